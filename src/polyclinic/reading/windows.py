"""A longer text sentence by sentence: often one sentence has the meaning, and the others are about something else.

The weights are trained on short texts. For a longer text the reader reads each sentence and the whole, and a small
model for each kind (`Gather`) weighs what it found: the clearest sentence, the second, the last, the mean, the whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyclinic.text.normal import HANGUL
from polyclinic.text.sentences import sentences

Floats = NDArray[np.float64]
FOUND = ("clearest", "second", "last", "mean", "whole", "sentences")
SPEAKER = re.compile(r"The [\w ]{2,20} says to the [\w ]{2,20}: ")
LEAST_WINDOWS = 3
_LEAST_WORDS = 4
_LONG = 180
_LONG_KOREAN = 80
_MOST = 10
_SURE = 12.0
_WHOLE = 0.3
"""How much the score of the whole text counts by itself. It was chosen on held-out training authors."""


@lru_cache(maxsize=2048)
def windows(text: str, *, short: bool = False) -> tuple[str, ...]:
    """The sentences of a long text, at most ten. If the text begins with the name of its speaker, each sentence gets
    that name. Very short sentences are joined with the next. A text as short as the lines that the weights learned from
    is one window, unless `short` texts are to be cut too.
    """
    if not short and len(text) < (_LONG_KOREAN if HANGUL.search(text) else _LONG):
        return (text,)
    speaker = SPEAKER.match(text)
    named = speaker[0] if speaker else ""
    joined: list[str] = []
    for part in sentences(text[len(named) :], semicolons=True):
        if joined and len(joined[-1].split()) < _LEAST_WORDS:
            joined[-1] += f" {part}"
        elif part.strip():
            joined.append(part.strip())
    if len(joined) > 1 and len(joined[-1].split()) < _LEAST_WORDS:
        last = joined.pop()
        joined[-1] += f" {last}"
    size = -(-len(joined) // _MOST) if joined else 1
    return tuple(named + " ".join(joined[start : start + size]) for start in range(0, len(joined), size)) or (text,)


def found(whole: float, parts: Sequence[float]) -> Floats:
    """The scores of a longer text's sentences as numbers, in the order of `FOUND`."""
    row = sorted(parts, reverse=True)
    values = [row[0], row[1], parts[-1], sum(row) / len(row), whole, float(np.log(len(row)))]
    return np.clip(values, -_SURE, _SURE)


def gathered(
    read: Callable[[str], float], text: str, weights: Mapping[str, Floats], kind: str, *, alone: float = 0.0
) -> float:
    """The score of a text. For a longer text it combines the scores of all its sentences and of the whole. One sentence
    whose yes is at least as likely as `alone` decides by itself; 0: no sentence does.
    """
    whole = score = read(text)
    parts = windows(text)
    mine = weights.get(kind) if len(parts) >= LEAST_WINDOWS else None
    if len(parts) == 1 or (mine is None and not alone):
        return whole
    scores = [read(part) for part in parts]
    if mine is not None:
        combined = float(found(whole, scores) @ mine[:-1] + mine[-1])
        score = (1 - _WHOLE) * combined + _WHOLE * whole
    decides = alone and max(scores) >= math.log(alone / (1 - alone))
    return max(score, max(scores)) if decides else score


def fit_gather(rows: Mapping[str, Sequence[tuple[Floats, bool]]]) -> dict[str, Floats]:
    """For each kind, the weights of `FOUND` and an offset. For kinds with few labelled lines they stay near the weights
    of all kinds.
    """
    tables = {kind: (np.stack([row for row, _ in mine]), np.array([y for _, y in mine])) for kind, mine in rows.items()}
    everything = np.concatenate([table for table, _ in tables.values()])
    labels = np.concatenate([wanted for _, wanted in tables.values()])
    start = np.zeros(len(FOUND) + 1)
    common = _descend(everything, labels, start, 1e-3)
    return {kind: _descend(table, wanted, common, 0.02) for kind, (table, wanted) in sorted(tables.items())}


def _descend(table: Floats, labels: NDArray[np.bool_], start: Floats, pull: float) -> Floats:
    """Logistic regression by Newton's method.

    Yes and no have the same total weight; `pull` keeps the weights near `start`.
    """
    rows = np.concatenate([table, np.ones((len(table), 1))], axis=1)
    wanted = labels.astype(np.float64)
    share = np.where(labels, 0.5 / max(wanted.sum(), 1), 0.5 / max((1 - wanted).sum(), 1))
    weights = start.copy()
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (share * (chance - wanted)) + pull * (weights - start)
        slope = (rows * (share * chance * (1 - chance))[:, None]).T @ rows + pull * np.eye(len(weights))
        weights = weights - np.linalg.solve(slope, gradient)
    return weights
