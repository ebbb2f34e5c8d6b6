"""What is learned, as arrays, and in which order: batches of rows of similar length. All of it with numpy alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.pieces import WordPieces

Arrays = dict[str, NDArray[np.float32]]
Counts = NDArray[np.int64]
Shares = NDArray[np.float32]
_NEAR = 16
"""Rows are sorted by length within as many batches."""
_SECOND_STEP, _SECOND_FIRST = 12, 1000
"""They are sorted by the length of the second text, in steps of 12 pieces, and then by that of the text."""
_MOST = 6.0
"""No row counts more than so many average ones."""
INFERS = "infers"
"""The name of the weights that answer lessons in inference. They are not shipped."""
INFERENCES = ("entailment", "neutral", "contradiction")
GROUPS = 4
"""The authors are in so many groups, to measure on one of them."""


@dataclass(frozen=True)
class EncoderSettings:
    """How the second shipped network was trained. `rate` is for what the base has learned already, `new_rate` for the
    rest. `layers` are the numbers of the layers that are kept, `inner` is how many inner units each of them keeps, and
    `label_batch` is how many lines with a label a step learns. Training ends after `seconds`, after `steps` if there
    are any, or at the time `until` (in seconds since 1970). The network is written every `save_every` seconds, and
    `resume` is one to begin with. `inferences` is a file of `tools.encoder.inferences`, `opinions` are files of
    `teacher` and `readings`, with commas between them: a step learns `message_batch` messages and `statement_batch`
    statements of these.
    """

    rate: float = 2e-4
    new_rate: float = 1e-3
    batch: int = 192
    layers: str = "012345"
    inner: int = 1536
    seconds: float = 380.0
    label_weight: float = 1.0
    label_batch: int = 64
    smoothing: float = 0.03
    label_smoothing: float = 0.05
    decay: float = 0.01
    clip: float = 1.0
    warm_up: int = 200
    averaged_every: int = 4
    seed: int = 0
    inferences: str = ""
    inference_batch: int = 96
    inference_weight: float = 0.5
    opinions: str = ""
    message_batch: int = 64
    statement_batch: int = 64
    opinion_weight: float = 1.0
    row_weight: float = 1.0
    steps: int = 0
    until: float = 0.0
    save_every: float = 60.0
    resume: str = ""


class TextTable(NamedTuple):
    """All texts as numbers of word pieces, filled up with zeros, and their lengths. The last one stands for no text."""

    pieces: Counts
    lengths: Counts


def text_table(pieces: WordPieces, texts: Sequence[str], longest: int) -> TextTable:
    """The texts as numbers of word pieces. The last line stands for no text."""
    cuts = [pieces.cut(text, longest) for text in [*texts, ""]]
    table = np.zeros((len(cuts), longest), np.int64)
    for line, cut in zip(table, cuts, strict=True):
        line[: len(cut)] = cut
    return TextTable(table, np.array([len(cut) for cut in cuts]))


class RowLessons(NamedTuple):
    """Questions about texts, as numbers. `second` is what the text is compared with, or what was said before it;
    `group` is the group of the author.
    """

    text: Counts
    second: Counts
    kind: Counts
    column: Counts
    compares: NDArray[np.bool_]
    answer: Counts
    group: Counts
    korean: NDArray[np.bool_]


class LabelLessons(NamedTuple):
    """Texts with a label of the counsel guard, as numbers."""

    text: Counts
    label: Counts
    group: Counts
    korean: NDArray[np.bool_]


class Names(NamedTuple):
    """What the numbers of columns, kinds, labels and word pieces stand for. `scores` are those of the pieces, if the
    vocabulary has any.
    """

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    pieces: tuple[str, ...]
    scores: tuple[float, ...] = ()

    def arrays(self) -> dict[str, Any]:
        """The names as a file holds them."""
        return {name: np.array(value) for name, value in self._asdict().items()}


def names_in(file: Mapping[str, NDArray[Any]]) -> Names:
    """The reverse of `Names.arrays`."""
    return Names(**{name: tuple(file[name].tolist()) for name in Names._fields})


class Start(NamedTuple):
    """All that a training starts from."""

    names: Names
    base: Arrays
    texts: TextTable
    rows: RowLessons
    lines: LabelLessons


_TABLES: dict[str, Any] = {"texts": TextTable, "rows": RowLessons, "lines": LabelLessons}


def save_start(path: Path, start: Start) -> None:
    """Write all that a training starts from. Large base weights get two bytes each."""
    parts = start.names.arrays()
    for name, value in start.base.items():
        parts[f"base {name}"] = value.astype(np.float16) if value.ndim > 1 else value
    for table in _TABLES:
        for name, value in getattr(start, table)._asdict().items():
            parts[f"{table} {name}"] = value if value.dtype == np.bool_ else value.astype(np.int32)
    np.savez_compressed(path, **parts)


def open_start(path: Path) -> Start:
    """The reverse of `save_start`."""
    with np.load(path) as file:
        base = {name.removeprefix("base "): file[name].astype(np.float32) for name in file if name.startswith("base ")}
        found: dict[str, Any] = {}
        for table, made in _TABLES.items():
            columns = [file[f"{table} {name}"] for name in made._fields]
            found[table] = made(*(part if part.dtype == np.bool_ else part.astype(np.int64) for part in columns))
        return Start(names_in(file), base, **found)


def without_group(start: Start, left_out: int) -> Start:
    """The same without all lines of one group of authors."""
    kept, known = start.rows.group != left_out, start.lines.group != left_out
    rows = RowLessons(*(part[kept] for part in start.rows))
    return start._replace(rows=rows, lines=LabelLessons(*(part[known] for part in start.lines)))


def row_weights(rows: RowLessons) -> Shares:
    """How much each row counts: yes and no of a column count the same, and a kind with few rows more for each row."""
    side = np.bincount(rows.column * 2 + rows.answer, minlength=2 * (int(rows.column.max(initial=0)) + 1))
    same, other = side[rows.column * 2 + rows.answer], side[rows.column * 2 + 1 - rows.answer]
    even = np.where(other > 0, (same + other) / (2 * same), 0.5)
    return _evened(even * np.bincount(rows.kind)[rows.kind] ** -0.4, _MOST)


def label_weights(lines: LabelLessons, labels: int) -> Shares:
    """How much each label counts: a rare one more."""
    return _evened(np.maximum(np.bincount(lines.label, minlength=labels), 1) ** -0.5, np.inf)


def _evened(values: NDArray[np.float64], most: float) -> Shares:
    """The weights with mean 1, but none above `most`."""
    return np.minimum(values / values.mean(), most).astype(np.float32) if len(values) else values.astype(np.float32)


def row_batches(start: Start, settings: EncoderSettings, chance: np.random.Generator) -> Iterator[Counts]:
    """Batches of rows of similar length, without end. Each row is in every epoch."""
    rows, size, lengths = start.rows, settings.batch, start.texts.lengths
    near = lengths[rows.second] // _SECOND_STEP * _SECOND_FIRST + lengths[rows.text]
    while True:
        order = chance.permutation(len(near))
        batches: list[Counts] = []
        for begin in range(0, len(order), size * _NEAR):
            part = order[begin : begin + size * _NEAR]
            part = part[np.argsort(near[part], kind="stable")]
            batches += [part[at : at + size] for at in range(0, len(part), size)]
        for place in chance.permutation(len(batches)):
            yield batches[place]
