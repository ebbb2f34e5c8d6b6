"""How different the members of a generated population are. Low numbers show a poor generator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from polyclinic.core.message import Frozen
from polyclinic.people.traitlists import Trait, pair_counts


class Diversity(Frozen):
    """How different the members are. `evenness` is the normalised entropy per dimension (1 = all values equally often).
    `pair_coverage` is the share of allowed value pairs that occur at all. `distance` is the mean share of dimensions on
    which two members differ. `distinct` is the number of different combinations. `repeated_text` is how much the two
    most similar texts share.
    """

    members: int
    distinct: int
    evenness: dict[str, float]
    pair_coverage: float
    distance: float
    repeated_text: float


def evenness(values: Sequence[str], possible: int) -> float:
    """Entropy of the values, divided by the greatest possible entropy."""
    if possible < 2:
        return 1.0
    counts = Counter(values)
    total = len(values)
    return -sum(n / total * math.log(n / total) for n in counts.values()) / math.log(possible)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def measure(
    rows: Sequence[Mapping[str, str]], dimensions: Mapping[str, Sequence[Trait]], texts: Sequence[str]
) -> Diversity:
    """The diversity of a population given as one mapping of dimension to value per member."""
    names = sorted(dimensions)
    allowed_pairs, seen_pairs = pair_counts(rows, dimensions)
    differing, pairs, repeated = 0, 0, 0.0
    bags = [_words(text) for text in texts]
    for i, first in enumerate(rows):
        for j in range(i):
            second = rows[j]
            differing += sum(first[name] != second[name] for name in names)
            pairs += 1
            repeated = max(repeated, len(bags[i] & bags[j]) / len(bags[i] | bags[j]))
    return Diversity(
        members=len(rows),
        distinct=len({tuple(row[name] for name in names) for row in rows}),
        evenness={name: round(evenness([row[name] for row in rows], len(dimensions[name])), 4) for name in names},
        pair_coverage=round(seen_pairs / allowed_pairs, 4) if allowed_pairs else 1.0,
        distance=round(differing / (pairs * len(names)), 4) if pairs else 0.0,
        repeated_text=round(repeated, 4),
    )
