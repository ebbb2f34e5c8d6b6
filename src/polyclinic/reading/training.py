"""Training the built-in reader from the labelled sets: the same lines give the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polyclinic.core.reading import ReadingKind, Says
from polyclinic.reading.features import Features, features, scope_of, scoped, text_grams
from polyclinic.reading.fit import Linear, fit, whole_table
from polyclinic.reading.longer import put_together, swapped
from polyclinic.reading.measure import accuracy
from polyclinic.reading.order import OrderNetwork
from polyclinic.reading.order_training import NetworkLine, train_order
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.recall import Recall, Sample, learn
from polyclinic.reading.sets import Labelled
from polyclinic.reading.targets import compares, target_of
from polyclinic.reading.weights import Weights, made, save, sentence_kind
from polyclinic.reading.windows import LEAST_WINDOWS, Floats, fit_gather, found, windows

OPEN_DECAY, CLOSED_DECAY = 1e-3, 2e-4
_MARGIN = 0.4
"""Added to the bound for single sentences: the network that reads words in order has learned from all these authors, so
their harmless sentences score lower than those of other people.
"""


class Trained(NamedTuple):
    """The result of training: a model for each kind of reading, the targets seen for kinds with a fixed list, and the
    remembered examples of kinds that compare texts.
    """

    models: dict[str, Linear]
    scopes: frozenset[str]
    recalls: dict[str, Recall]


def train(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> Trained:
    """Train everything except how the sentences of a longer text are weighed."""
    models: dict[str, Linear] = {}
    scopes: set[str] = set()
    recalls: dict[str, Recall] = {}
    for name, kind in sorted(kinds.items()):
        mine = [row for row in rows if row.question.kind == name]
        if len({row.label for row in mine}) < 2:
            continue
        lines = _all_lines(mine, kind, rows)
        decay = OPEN_DECAY if compares(kind) else CLOSED_DECAY
        read = [features(kind, target_of(kind, row.question), row.question.context, row.text) for row in lines]
        if compares(kind) and len({row.author for row in mine}) > 1:
            recalls[name], without = learn([_sample(kind, row) for row in mine])
            read = [_recalled(found, without[row.author], kind, row) for found, row in zip(read, lines, strict=True)]
        targets = [scope_of(kind, target_of(kind, row.question)) for row in lines] if kind.listed else []
        models[name] = fit(read, [row.label for row in lines], sparse_decay=decay, targets=targets)
        scopes |= set(targets)
    return Trained(models, frozenset(scopes), recalls)


def _all_lines(mine: list[Labelled], kind: ReadingKind, rows: Sequence[Labelled]) -> list[Labelled]:
    """The labelled lines of one kind, and further lines made from them."""
    lines = list(mine)
    if kind.parts:
        lines += put_together(mine, [row for row in rows if row.question.kind in kind.quiet and row.label])
    if kind.swaps:
        lines += swapped(lines)
    return lines


def _sample(kind: ReadingKind, row: Labelled) -> Sample:
    return Sample(row.text, target_of(kind, row.question).whole, row.label, row.author)


def _recalled(found: Features, recall: Recall, kind: ReadingKind, row: Labelled) -> Features:
    """The features of a line, with the answer recalled from lines of other authors."""
    return found.recalling(recall.says(row.text, target_of(kind, row.question).whole))


def train_file(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind], out: Path) -> str:
    """Train and write the weights of all kinds but those that are `in_reply`; returns their digest."""
    mine = {name: kind for name, kind in kinds.items() if not kind.in_reply}
    weights = made(*train(rows, mine))
    gather = train_gather([row for row in rows if row.question.kind in mine], mine)
    return save(out, with_sentences(replace(weights, gather=gather, order=in_order(rows, mine)), rows, mine))


def with_sentences(weights: Weights, rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> Weights:
    """The weights with those for single sentences, for the kinds that are read `by_sentence`.

    They learn the labelled lines, and each sentence of a line whose answer is no. How high the score of a sentence must
    be is found on sentences of authors whom they had not seen: weights from one half of the authors read the other
    half.
    """
    for name, kind in sorted(kinds.items()):
        mine = [row for row in rows if row.question.kind == name]
        if not kind.by_sentence or name not in weights.offsets:
            continue
        scores: dict[str, list[float]] = defaultdict(list)
        authors = sorted({row.author for row in mine})
        for side in (0, 1):
            some = set(authors[side::2])
            reader = BuiltInReader(kinds, weights=_taught(weights, [row for row in mine if row.author in some], kind))
            for row in _harmless_sentences([row for row in mine if row.author not in some]):
                scores[scope_of(kind, target_of(kind, row.question))].append(
                    reader.sentence_score(row.text, kind, row.question)
                )
        enough = {scope: float(np.quantile(row, 1 - kind.by_sentence)) + _MARGIN for scope, row in scores.items()}
        weights = replace(_taught(weights, mine, kind), enough={**weights.enough, **enough})
    return weights


def _taught(weights: Weights, rows: Sequence[Labelled], kind: ReadingKind) -> Weights:
    """The weights with a table for single sentences, from these lines."""
    model = train([*rows, *_harmless_sentences(rows)], {kind.name: kind}).models.get(kind.name)
    if model is None:
        return weights
    made_now = made({sentence_kind(kind.name): model}, weights.scopes, {})
    return replace(
        weights,
        tables={**weights.tables, **made_now.tables},
        steps={**weights.steps, **made_now.steps},
        dense={**weights.dense, **made_now.dense},
        offsets={**weights.offsets, **made_now.offsets},
    )


def _harmless_sentences(rows: Sequence[Labelled]) -> list[Labelled]:
    """Each sentence of the lines that have several and whose answer is no."""
    cut = [(row, windows(row.text, short=True)) for row in rows if not row.label]
    return [replace(row, text=part) for row, parts in cut if len(parts) > 1 for part in parts]


def in_order(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> OrderNetwork | None:
    """The network that reads words in order, for the kinds that ask about the text alone or about a listed target.

    Lines of kinds that are not `in_order` train it too.
    """
    lines: list[NetworkLine] = []
    for name, kind in sorted(kinds.items()):
        mine = [row for row in rows if row.question.kind == name and not compares(kind) and not kind.bound]
        lines += [
            NetworkLine(row.text, scope_of(kind, target_of(kind, row.question)), row.label)
            for row in _all_lines(mine, kind, rows)
        ]
    order = train_order(lines)
    return order.without(tuple(name for name, kind in kinds.items() if not kind.in_order)) if order else None


def train_lines(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind], out: Path) -> str:
    """Train and write the weights of the kinds that are `in_reply`; returns their digest."""
    mine = {name: kind for name, kind in kinds.items() if kind.in_reply}
    return save(out, made(*train([*rows, *ordinary_lines(rows, kinds)], mine)))


def ordinary_lines(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """Lines of patients from the sets of other kinds, as lines that are in character.

    The sets of the kinds that are `in_reply` have few ordinary lines: half of them were made hard to tell. Only lines
    that were labelled no are taken, since a yes may be a fault. What was said before is not known: each line gets one
    of the questions of the kind, in turn, so that a question tells nothing about the answer.
    """
    told = {row.text: row for row in rows if kinds[row.question.kind].who == ("patient",) and not row.label}
    found: list[Labelled] = []
    for name, kind in kinds.items():
        mine = [row.question for row in rows if row.question.kind == name] if kind.in_reply else []
        found += [replace(row, question=question) for row, question in zip(told.values(), cycle(mine), strict=False)]
    return found


def train_gather(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> dict[str, Floats]:
    """How to weigh the sentences of a longer text: learned on long messages of authors whom the weights had not seen.

    Weights from one half of the authors read the long messages of the other half, and vice versa. Training with
    messages that were put together from short lines worked less well than with messages that people wrote as one.
    """
    authors = sorted({row.author for row in rows})
    read: dict[str, list[tuple[Floats, bool]]] = defaultdict(list)
    for side in (0, 1):
        mine = set(authors[side::2])
        reader = BuiltInReader(kinds, weights=made(*train([row for row in rows if row.author in mine], kinds)))
        for row in rows:
            kind, parts = kinds[row.question.kind], windows(row.text)
            if row.author not in mine and len(parts) >= LEAST_WINDOWS and kind.name in reader.weights.offsets:
                scores = [reader.score(part, kind, row.question) for part in parts]
                read[kind.name].append((found(reader.score(row.text, kind, row.question), scores), row.label))
    enough = {name: mine for name, mine in read.items() if len({label for _, label in mine}) == 2}
    return fit_gather(enough) if enough else {}


def text_only(
    train_rows: Sequence[Labelled], test_rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]
) -> dict[str, float]:
    """Balanced accuracy of a reader that never sees the question: what the style of a text alone reveals."""
    found: dict[str, float] = {}
    for name in sorted(kinds):
        mine = [row for row in train_rows if row.question.kind == name]
        theirs = [row for row in test_rows if row.question.kind == name]
        if len({row.label for row in mine}) < 2 or not theirs:
            continue
        model = fit([_blind(row.text) for row in mine], [row.label for row in mine])
        weights = whole_table(model)
        pairs: list[tuple[bool, Says]] = []
        for row in theirs:
            grams = _blind(row.text)
            score = model.offset + float(weights[grams.places] @ grams.values)
            pairs.append((row.label, "yes" if score > 0 else "no"))
        found[name] = accuracy(pairs).balanced
    return found


def _blind(text: str) -> Features:
    grams = text_grams(text)
    return Features(scoped(grams, "text"), grams.values * 2.0, np.zeros(1, np.float32))
