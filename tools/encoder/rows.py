"""The lines from which the encoder learns: English lines of the training authors, never a line of a test author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.core.reading import ReadingKind
from polyclinic.reading.features import scope_of
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.reading.targets import compares, target_of, words_before
from polyclinic.runner.readings import all_kinds, labelled

TRAIN, ENGLISH = "train", "en"
GROUPS = 4


class EncoderRow(NamedTuple):
    """One text and one question for the encoder. `second` is what the text is compared with, or what was said before
    it. `answer` is 1 for yes and 0 for no; from a teacher, how likely a yes is.
    """

    kind: str
    column: str
    text: str
    second: str
    compares: bool
    answer: float
    author: str


class Lessons(NamedTuple):
    """All that is learned: rows with an answer, texts with a label of the counsel guard, and the teacher's rows."""

    rows: list[EncoderRow]
    labels: list[LabelledText]
    soft: list[EncoderRow]


def training_lines(lines: Iterable[Labelled], kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """The lines that the encoder may see: English, by training authors, of the kinds that it is asked about."""
    return [
        line
        for line in lines
        if line.split == TRAIN and line.lang == ENGLISH and not kinds[line.question.kind].in_reply
    ]


def row_of(line: Labelled, kinds: Mapping[str, ReadingKind]) -> EncoderRow:
    """A labelled line as the encoder is asked about it."""
    kind = kinds[line.question.kind]
    target = target_of(kind, line.question)
    pair = compares(kind) or kind.bound
    column = kind.name if pair else scope_of(kind, target)
    second = target.whole if pair else words_before(kind, line.question)
    return EncoderRow(kind.name, column, line.text, second, pair, float(line.label), line.author)


def author_groups(authors: Iterable[str]) -> dict[str, int]:
    """Each author's group: four groups with nearly as many lines each. `authors` has one entry for each line."""
    counts = Counter(authors)
    sizes = [0] * GROUPS
    found: dict[str, int] = {}
    for author in sorted(counts, key=lambda name: (-counts[name], name)):
        found[author] = sizes.index(min(sizes))
        sizes[found[author]] += counts[author]
    return found


def repository_lines() -> tuple[list[Labelled], list[LabelledText], dict[str, int]]:
    """The training lines of all clinics, the guard's training lines, and the groups of their authors."""
    lines = training_lines(labelled(split=TRAIN), all_kinds())
    labels = [line for line in guard_lines(TRAIN) if line.lang == ENGLISH]
    return lines, labels, author_groups([line.author for line in lines] + [line.author for line in labels])


def lessons(soft: Path | None = None) -> tuple[Lessons, dict[str, int]]:
    """All that is learned, and the groups of the authors."""
    kinds = all_kinds()
    lines, labels, groups = repository_lines()
    rows = [row_of(line, kinds) for line in lines]
    return Lessons(rows, labels, read_rows(soft) if soft else []), groups


def without_group(found: Lessons, groups: Mapping[str, int], left_out: int) -> Lessons:
    """The same without all lines of one group of authors. A teacher's rows have the author of their text."""
    return Lessons(
        [row for row in found.rows if groups[row.author] != left_out],
        [line for line in found.labels if groups[line.author] != left_out],
        [row for row in found.soft if groups[row.author] != left_out],
    )


def write_rows(path: Path, rows: Sequence[EncoderRow]) -> None:
    """Write rows as JSON lines."""
    path.write_bytes(b"".join(orjson.dumps(row._asdict(), option=orjson.OPT_APPEND_NEWLINE) for row in rows))


def read_rows(path: Path) -> list[EncoderRow]:
    """The reverse of `write_rows`."""
    return [EncoderRow(**orjson.loads(line)) for line in path.read_bytes().splitlines()]
