"""Training of the network in `order.py`: plain NumPy, the same bytes each time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from polyclinic.reading.order import FILTERS, LONGEST, WIDTHS, OrderNetwork, Singles, neighbours, shapes
from polyclinic.reading.vectors import token_rows

_ROUNDS = 30
_BATCH, _SORTED = 128, 2048
_RATE, _DECAY = 4e-3, 1e-3
_WARM = 0.2
_LOST_WORDS, _LOST_HIDDEN, _LOST_FOUND = 0.15, 0.2, 0.5
"""How much of the words, of the layer and of what the filters found is left out by chance in each step of training."""


class NetworkLine(NamedTuple):
    """A labelled text for one head of the network."""

    text: str
    head: str
    label: bool


class _Batch(NamedTuple):
    rows: Singles
    lengths: NDArray[np.intp]
    answer: Singles
    weight: Singles


def train_order(lines: Sequence[NetworkLine]) -> OrderNetwork | None:
    """Train on all lines; None if there are none. Within each head yes and no have the same total weight."""
    heads = tuple(sorted({line.head for line in lines}))
    if not heads:
        return None
    texts = sorted({line.text for line in lines})
    answer, weight = _wanted(lines, texts, heads)
    rows = [token_rows(text)[:LONGEST] for text in texts]
    chance = np.random.default_rng(0)
    weights = [_start(shape, chance) for shape in shapes(len(heads))]
    means = [np.zeros_like(part) for part in weights]
    squares = [np.zeros_like(part) for part in weights]
    steps, step = _ROUNDS * -(-len(texts) // _BATCH), 0
    for _ in range(_ROUNDS):
        for chosen in _batches([len(row) for row in rows], chance):
            step += 1
            rate = _RATE * min(step / (_WARM * steps), (steps - step) / ((1 - _WARM) * steps))
            batch = _batch([rows[place] for place in chosen], answer[chosen], weight[chosen])
            for place, slope in enumerate(_slopes(weights, batch, chance)):
                means[place] += np.float32(0.1) * (slope - means[place])
                squares[place] += np.float32(0.001) * (slope * slope - squares[place])
                size = np.sqrt(squares[place] / np.float32(1 - 0.999**step)) + np.float32(1e-8)
                weights[place] *= np.float32(1 - rate * _DECAY)
                weights[place] -= np.float32(rate / (1 - 0.9**step)) * means[place] / size
    return OrderNetwork(heads, tuple(part.astype(np.float16).astype(np.float32) for part in weights))


def _wanted(lines: Sequence[NetworkLine], texts: Sequence[str], heads: Sequence[str]) -> tuple[Singles, Singles]:
    """For each text and head the answer, and how much it counts: 0 if it was not asked."""
    row = {text: place for place, text in enumerate(texts)}
    column = {head: place for place, head in enumerate(heads)}
    answer, weight = np.zeros((2, len(texts), len(heads)), dtype=np.float32)
    counts: dict[tuple[str, bool], int] = defaultdict(int)
    for line in lines:
        counts[line.head, line.label] += 1
    for line in lines:
        all_lines = counts[line.head, True] + counts[line.head, False]
        answer[row[line.text], column[line.head]] = line.label
        weight[row[line.text], column[line.head]] += all_lines / (2 * counts[line.head, line.label])
    return answer, weight


def _start(shape: tuple[int, ...], chance: Generator) -> Singles:
    if len(shape) == 1:
        return np.zeros(shape, dtype=np.float32)
    bound = shape[0] ** -0.5
    return chance.uniform(-bound, bound, shape).astype(np.float32)


def _batches(lengths: Sequence[int], chance: Generator) -> Iterator[NDArray[np.intp]]:
    """All texts in batches, by chance. Texts of a batch are of about the same length, so that little room is wasted."""
    order = chance.permutation(len(lengths))
    sizes = np.asarray(lengths)
    batches: list[NDArray[np.intp]] = []
    for start in range(0, len(order), _SORTED):
        part = order[start : start + _SORTED]
        part = part[np.argsort(sizes[part], kind="stable")]
        batches += [part[first : first + _BATCH] for first in range(0, len(part), _BATCH)]
    for place in chance.permutation(len(batches)):
        yield batches[place]


def _batch(rows: Sequence[Singles], answer: Singles, weight: Singles) -> _Batch:
    lengths = np.array([len(row) for row in rows])
    table = np.zeros((len(rows), max(int(lengths.max()), 1), rows[0].shape[1]), dtype=np.float32)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return _Batch(table, lengths, answer, weight)


def _kept(shape: tuple[int, ...], lost: float, chance: Generator) -> Singles:
    return (chance.random(shape, dtype=np.float32) >= lost).astype(np.float32)


def _slopes(weights: Sequence[Singles], batch: _Batch, chance: Generator) -> list[Singles]:
    """How the loss of a batch changes with each weight."""
    rows, lengths = batch.rows, batch.lengths
    size, longest, _ = rows.shape
    there = (np.arange(longest) < lengths[:, None]).astype(np.float32)
    there *= _kept(there.shape, _LOST_WORDS, chance)
    hidden = np.tanh(rows @ weights[0] + weights[1])
    left = _kept(hidden.shape, _LOST_HIDDEN, chance) * (there[..., None] / np.float32(1 - _LOST_HIDDEN))
    used = hidden * left
    count = np.maximum(lengths, 1).astype(np.float32)[:, None]
    read: list[tuple[Singles, Singles, NDArray[np.intp]]] = []
    found: list[Singles] = []
    for number, width in enumerate(WIDTHS):
        wide = neighbours(used, width)
        answers = np.maximum(wide @ weights[2 + 2 * number] + weights[3 + 2 * number], 0.0)
        answers *= (np.arange(longest + width - 1) < lengths[:, None] + width - 1)[..., None]
        strongest = answers.argmax(axis=1)
        found += [np.take_along_axis(answers, strongest[:, None], axis=1)[:, 0], answers.sum(axis=1) / count]
        read.append((wide, answers, strongest))
    kept = _kept((size, 2 * len(WIDTHS) * FILTERS), _LOST_FOUND, chance) / np.float32(1 - _LOST_FOUND)
    features = np.concatenate(found, axis=1) * kept
    scores = features @ weights[-2] + weights[-1]
    errors = (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - batch.answer) * batch.weight
    errors /= np.float32(max(int((batch.weight > 0).sum()), 1))
    back = np.split((errors @ weights[-2].T) * kept, 2 * len(WIDTHS), axis=1)
    to_hidden, slopes = np.zeros_like(used), []
    for number, (width, (wide, answers, strongest)) in enumerate(zip(WIDTHS, read, strict=True)):
        change = np.repeat((back[2 * number + 1] / count)[:, None], answers.shape[1], axis=1)
        at = np.take_along_axis(change, strongest[:, None], axis=1) + back[2 * number][:, None]
        np.put_along_axis(change, strongest[:, None], at, axis=1)
        change *= answers > 0
        flat = change.reshape(-1, change.shape[2])
        slopes += [wide.reshape(-1, wide.shape[2]).T @ flat, flat.sum(axis=0)]
        parts = np.split(change @ weights[2 + 2 * number].T, width, axis=2)
        for start, part in enumerate(parts):
            to_hidden += part[:, width - 1 - start : width - 1 - start + longest]
    layer = to_hidden * left * (1 - hidden * hidden)
    flat = layer.reshape(-1, layer.shape[2])
    return [
        rows.reshape(-1, rows.shape[2]).T @ flat, flat.sum(axis=0), *slopes, features.T @ errors, errors.sum(axis=0),
    ]  # fmt: skip
