"""What a text says beside the known mistakes of a case: whether it is nearer to a mistake or to what is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyclinic.reading.vectors import nearness, whole
from polyclinic.reading.words import NEGATIONS, content, opposed, words
from polyclinic.text.sentences import clauses

_MOST = 8
_SIZE = 11


def pitfall_features(text: str, pitfalls: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    """Plain features of a text beside pairs of a mistake and what is right instead.

    They are about the clause and the pair that are nearest to each other, and about the clauses that lean most to a
    mistake and most to what is right. All are zero if the case names no mistakes.
    """
    if not pitfalls:
        return np.zeros(_SIZE, dtype=np.float32)
    parts = clauses(text)[:_MOST]
    units = np.stack([whole(part) for part in parts])
    mistake, correct = (units @ np.stack([whole(one) for one in side]).T for side in zip(*pitfalls, strict=True))
    leans = mistake - correct
    clause, pair = divmod(int(np.argmax(mistake + correct)), len(pitfalls))
    said, (wrong, right) = parts[clause], pitfalls[pair]
    to_wrong, to_right = nearness(said, wrong), nearness(said, right)
    mine, theirs, ours = content(said), content(wrong), content(right)
    row = [
        mistake[clause, pair],
        leans[clause, pair],
        leans.max(),
        leans.min(),
        to_wrong.covered - to_right.covered,
        to_wrong.used - to_right.used,
        len(mine & (theirs - ours)) / max(1, len(theirs - ours)),
        len(mine & (ours - theirs)) / max(1, len(ours - theirs)),
        float(_negated(said) == _negated(wrong)),
        float(_negated(said) == _negated(right)),
        opposed(mine, ours) - opposed(mine, theirs),
    ]
    return np.asarray(row, dtype=np.float32)


def _negated(text: str) -> bool:
    return not NEGATIONS.isdisjoint(words(text))
