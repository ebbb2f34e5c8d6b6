"""Trait values with constraints between them, as the material files state them: which values exclude, need or allow
only each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from pydantic import BaseModel, ConfigDict


class Trait(BaseModel):
    """One value of a dimension. Constraints are written ``dimension:value``."""

    model_config = ConfigDict(frozen=True, extra="allow")
    name: str
    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def words(self, field: str) -> str:
        """A phrase of the material file, by its field name."""
        return str((self.model_extra or {}).get(field, ""))

    def list(self, field: str) -> tuple[str, ...]:
        """A list of the material file, by its field name."""
        value: Any = (self.model_extra or {}).get(field, ())
        return tuple(str(item) for item in value)


def conflicts(chosen: Mapping[str, Sequence[Trait]]) -> list[str]:
    """Which constraints a combination of traits breaks, by dimension; empty when it is consistent."""
    present = {f"{dimension}:{trait.name}" for dimension, traits in chosen.items() for trait in traits}
    faults = []
    for dimension, traits in chosen.items():
        for trait in traits:
            faults += [f"{dimension}:{trait.name} not with {other}" for other in trait.not_with if other in present]
            if trait.only_with and not any(other in present for other in trait.only_with):
                faults.append(f"{dimension}:{trait.name} only with {' or '.join(trait.only_with)}")
            faults += [f"{dimension}:{trait.name} needs {other}" for other in trait.needs if other not in present]
    return faults


def pair_counts(rows: Sequence[Mapping[str, str]], dimensions: Mapping[str, Sequence[Trait]]) -> tuple[int, int]:
    """How many pairs of values of two dimensions the constraints allow, and how many of these occur."""
    allowed, seen = 0, 0
    occurring = Counter((a, row[a], b, row[b]) for row in rows for a, b in combinations(sorted(dimensions), 2))
    for a, b in combinations(sorted(dimensions), 2):
        for first in dimensions[a]:
            for second in dimensions[b]:
                forbidden = f"{b}:{second.name}" in first.not_with or f"{a}:{first.name}" in second.not_with
                for one, other_dim, other in ((first, b, second), (second, a, first)):
                    same = [need.partition(":")[2] for need in one.only_with if need.startswith(f"{other_dim}:")]
                    forbidden = forbidden or (bool(same) and other.name not in same and len(same) == len(one.only_with))
                if not forbidden:
                    allowed += 1
                    seen += (a, first.name, b, second.name) in occurring
    return allowed, seen
