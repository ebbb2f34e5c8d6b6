"""What is learned, as arrays, and in which order: batches of rows of similar length. All of it without torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.encoder import LONGEST
from polyclinic.reading.pieces import WordPieces
from tools.encoder.network import TextTable
from tools.encoder.rows import EncoderRow, Lessons

Counts = NDArray[np.int64]
Shares = NDArray[np.float32]
_NEAR = 16
"""Rows are sorted by length within as many batches."""
_SECOND_STEP, _SECOND_FIRST = 12, 1000
"""They are sorted by the length of the second text, in steps of 12 pieces, and then by that of the text."""


@dataclass(frozen=True)
class EncoderSettings:
    """How the shipped file was trained. `rate` is for what the base has learned already, `new_rate` for the rest.

    `label_batch` is how many lines with a label a step learns; 0 means their share of all lines.
    """

    rate: float = 4e-4
    new_rate: float = 1e-3
    batch: int = 192
    inner: int = 768
    seconds: float = 225.0
    soft_share: float = 0.65
    soft_weight: float = 1.0
    label_weight: float = 0.5
    label_batch: int = 0
    smoothing: float = 0.03
    label_smoothing: float = 0.05
    decay: float = 0.01
    clip: float = 1.0
    warm_up: int = 200
    averaged_every: int = 4
    seed: int = 0


class NumberedRows(NamedTuple):
    """The rows as numbers: those with a label first, then the teacher's."""

    text: Counts
    second: Counts
    kind: Counts
    column: Counts
    compares: NDArray[np.bool_]
    answer: Shares
    weight: Shares


class NumberedLessons(NamedTuple):
    """All that is learned, as numbers. `written` is how many rows have a label that a person gave."""

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    texts: TextTable
    rows: NumberedRows
    written: int
    label_text: Counts
    label: Counts
    label_weight: Shares


def numbered(found: Lessons, pieces: WordPieces, settings: EncoderSettings) -> NumberedLessons:
    """All that is learned, as numbers. No text has the last number. Teacher's rows that ask what no author answered are
    left out.
    """
    columns, kinds = _numbers(row.column for row in found.rows), _numbers(row.kind for row in found.rows)
    soft = [row for row in found.soft if row.column in columns]
    rows = [*found.rows, *soft]
    labels = _numbers(line.label for line in found.labels)
    texts = _numbers([row.text for row in rows] + [row.second for row in rows] + [line.text for line in found.labels])
    texts.pop("", None)
    texts = {text: number for number, text in enumerate(texts)}
    table = text_table(pieces, list(texts))
    texts[""] = len(texts)
    answers = np.array([row.answer for row in rows], np.float32)
    often = Counter(line.label for line in found.labels)
    return NumberedLessons(
        tuple(columns),
        tuple(kinds),
        tuple(labels),
        table,
        NumberedRows(
            np.array([texts[row.text] for row in rows]),
            np.array([texts[row.second] for row in rows]),
            np.array([kinds[row.kind] for row in rows]),
            np.array([columns[row.column] for row in rows]),
            np.array([row.compares for row in rows]),
            answers * np.float32(1 - 2 * settings.smoothing) + np.float32(settings.smoothing),
            np.append(row_weights(found.rows), soft_weights(soft, settings.soft_weight)),
        ),
        len(found.rows),
        np.array([texts[line.text] for line in found.labels]),
        np.array([labels[line.label] for line in found.labels]),
        _evened([often[label] ** -0.5 for label in labels], most=np.inf),
    )


def _numbers(names: Sequence[str] | Iterator[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(sorted(set(names)))}


def row_weights(rows: Sequence[EncoderRow]) -> Shares:
    """How much each row counts: yes and no of a column count the same, and a kind with few rows more for each row."""
    answers = Counter((row.column, row.answer) for row in rows)
    kinds = Counter(row.kind for row in rows)
    found = []
    for row in rows:
        same, other = answers[row.column, row.answer], answers[row.column, 1 - row.answer]
        found.append(((same + other) / (2 * same) if other else 0.5) * kinds[row.kind] ** -0.4)
    return _evened(found, most=6)


def soft_weights(rows: Sequence[EncoderRow], weight: float) -> Shares:
    """How much each of the teacher's rows counts."""
    kinds = Counter(row.kind for row in rows)
    return _evened([kinds[row.kind] ** -0.35 for row in rows], most=4) * np.float32(weight)


def _evened(found: Sequence[float], most: float) -> Shares:
    """The weights with mean 1, but none above `most`."""
    values = np.array(found, np.float32)
    return np.minimum(values / values.mean(), np.float32(most)) if len(values) else values


def text_table(pieces: WordPieces, texts: Sequence[str]) -> TextTable:
    """The texts as numbers of word pieces. The last line stands for no text: one unknown piece."""
    cuts = [pieces.cut(text, LONGEST) for text in texts] + [[0]]
    table = np.zeros((len(cuts), LONGEST), np.int64)
    for line, cut in zip(table, cuts, strict=True):
        line[: len(cut)] = cut
    return TextTable(table, np.array([len(cut) for cut in cuts]))


def row_batches(lessons: NumberedLessons, settings: EncoderSettings, chance: np.random.Generator) -> Iterator[Counts]:
    """Batches of rows of similar length, without end. Rows with a person's label are in every epoch. Of the teacher's
    rows, each epoch takes so many that they make up their share.
    """
    rows, written, size = lessons.rows, lessons.written, settings.batch
    lengths = lessons.texts.lengths[rows.second] // _SECOND_STEP * _SECOND_FIRST + lessons.texts.lengths[rows.text]
    take = int(written * settings.soft_share / (1 - settings.soft_share))
    while True:
        soft = written + chance.permutation(len(lengths) - written)[:take]
        order = chance.permutation(np.append(np.arange(written), soft))
        batches: list[Counts] = []
        for start in range(0, len(order), size * _NEAR):
            part = order[start : start + size * _NEAR]
            part = part[np.argsort(lengths[part], kind="stable")]
            batches += [part[at : at + size] for at in range(0, len(part), size)]
        for place in chance.permutation(len(batches)):
            yield batches[place]
