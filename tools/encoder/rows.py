"""The lines from which the encoder learns: English lines of the training authors, never a line of a test author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.core.reading import ReadingKind
from polyclinic.reading.features import scope_of
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.reading.targets import compares, target_of, words_before
from polyclinic.runner.readings import all_kinds, labelled
from tools.encoder.batches import GROUPS

TRAIN, NETWORKS, ENGLISH = "train", "networks", "en"
"""Lines of `NETWORKS` train only networks."""


class EncoderRow(NamedTuple):
    """One text and one question for the encoder. `second` is what the text is compared with, or what was said before
    it.
    """

    kind: str
    column: str
    text: str
    second: str
    compares: bool
    answer: bool
    author: str


def training_lines(lines: Iterable[Labelled], kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """The lines that the encoder may see: English, by training authors, of the kinds that it is asked about."""
    return [
        line
        for line in lines
        if line.split in (TRAIN, NETWORKS) and line.lang == ENGLISH and not kinds[line.question.kind].in_reply
    ]


def row_of(line: Labelled, kinds: Mapping[str, ReadingKind]) -> EncoderRow:
    """A labelled line as the encoder is asked about it."""
    kind = kinds[line.question.kind]
    target = target_of(kind, line.question)
    pair = compares(kind) or kind.bound
    column = kind.name if pair else scope_of(kind, target)
    second = target.whole if pair else words_before(kind, line.question)
    return EncoderRow(kind.name, column, line.text, second, pair, line.label, line.author)


def author_groups(authors: Iterable[str]) -> dict[str, int]:
    """Each author's group: the groups have nearly as many lines each. `authors` has one entry for each line."""
    counts = Counter(authors)
    sizes = [0] * GROUPS
    found: dict[str, int] = {}
    for author in sorted(counts, key=lambda name: (-counts[name], name)):
        found[author] = sizes.index(min(sizes))
        sizes[found[author]] += counts[author]
    return found


def repository_lines() -> tuple[list[Labelled], list[LabelledText], dict[str, int]]:
    """The training lines of all clinics, the guard's training lines, and the groups of their authors."""
    lines = training_lines([*labelled(split=TRAIN), *labelled(split=NETWORKS)], all_kinds())
    labels = [line for line in guard_lines(TRAIN) if line.lang == ENGLISH]
    return lines, labels, author_groups([line.author for line in lines] + [line.author for line in labels])
