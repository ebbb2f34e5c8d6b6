"""How often a network is right about the lines of authors that it had not learned, in each language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tools.encoder.batches import LabelLessons, RowLessons

LANGUAGES = {"en": False, "ko": True}


def rows_right(rows: RowLessons, scores: NDArray[np.float32], kinds: Sequence[str]) -> dict[str, float]:
    """How often each kind is read right in each language: the mean of both answers, where there are both."""
    found = {}
    for number, kind in enumerate(kinds):
        for lang, korean in LANGUAGES.items():
            here = (rows.kind == number) & (rows.korean == korean)
            sides = [(scores[here & (rows.answer == answer)] > 0) == answer for answer in (0, 1)]
            if all(len(side) for side in sides):
                found[f"{kind}, {lang}"] = float(np.mean([side.mean() for side in sides]))
    return found


def labels_right(lines: LabelLessons, labels: NDArray[np.float32]) -> dict[str, float]:
    """The share of lines whose label has the highest score, in each language."""
    found = {}
    for lang, korean in LANGUAGES.items():
        here = lines.korean == korean
        if here.any():
            found[f"labels, {lang}"] = float((labels[here].argmax(axis=1) == lines.label[here]).mean())
    return found
