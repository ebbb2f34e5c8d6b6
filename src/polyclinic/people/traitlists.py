"""Values of traits with constraints between them, as the material files state them: which values exclude, need or allow
only each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict


class TraitValue(BaseModel):
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


def conflicts(chosen: Mapping[str, Sequence[TraitValue]]) -> list[str]:
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
