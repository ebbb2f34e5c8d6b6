"""The lines from which a network learns: those of the training authors, never a line of a test author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.core.reading import ReadingKind
from polyclinic.reading.features import scope_of
from polyclinic.reading.label_training import LabelledText
from polyclinic.reading.sets import Labelled
from polyclinic.reading.targets import compares, target_of, words_before
from polyclinic.runner.readings import all_kinds, labelled
from polyclinic.text.normal import Lang
from tools.encoder.batches import GROUPS

TRAIN, NETWORKS = "train", "networks"
"""Lines of `NETWORKS` train only networks."""
ENGLISH: tuple[Lang, ...] = ("en",)
KOREAN: Lang = "ko"
BOTH: tuple[Lang, ...] = (*ENGLISH, KOREAN)


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
    lang: str = "en"


def training_lines(
    lines: Iterable[Labelled], kinds: Mapping[str, ReadingKind], languages: Collection[str] = ENGLISH
) -> list[Labelled]:
    """The lines that a network may see: by training authors, in its languages, of the kinds that it is asked about."""
    return [
        line
        for line in lines
        if line.split in (TRAIN, NETWORKS) and line.lang in languages and not kinds[line.question.kind].in_reply
    ]


def row_of(line: Labelled, kinds: Mapping[str, ReadingKind]) -> EncoderRow:
    """A labelled line as the encoder is asked about it."""
    kind = kinds[line.question.kind]
    target = target_of(kind, line.question)
    pair = compares(kind) or kind.bound
    column = kind.name if pair else scope_of(kind, target)
    second = target.whole if pair else words_before(kind, line.question)
    return EncoderRow(kind.name, column, line.text, second, pair, line.label, line.author, line.lang)


def author_groups(authors: Iterable[str]) -> dict[str, int]:
    """Each author's group: the groups have nearly as many lines each. `authors` has one entry for each line."""
    counts = Counter(authors)
    sizes = [0] * GROUPS
    found: dict[str, int] = {}
    for author in sorted(counts, key=lambda name: (-counts[name], name)):
        found[author] = sizes.index(min(sizes))
        sizes[found[author]] += counts[author]
    return found


def repository_lines(
    languages: Collection[str] = ENGLISH,
) -> tuple[list[Labelled], list[LabelledText], dict[str, int]]:
    """The training lines of all clinics, the guard's training lines, and the groups of their authors."""
    lines = training_lines([*labelled(split=TRAIN), *labelled(split=NETWORKS)], all_kinds(), languages)
    labels = [line for line in guard_lines(TRAIN) if line.lang in languages]
    return lines, labels, author_groups([line.author for line in lines] + [line.author for line in labels])
