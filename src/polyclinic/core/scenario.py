"""What one episode starts from: frozen data with an id that always means the same scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import ValidationError
from typing_extensions import TypeVar

from polyclinic.core.message import Frozen
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import ConfigError
from polyclinic.text.normal import Lang, language_of

_HANGUL_WEIGHT = 4
"""Korean says the same in fewer letters, and an introduction may have an English frame."""


class Scenario(Frozen):
    """Base of every clinic's scenarios.

    Scenarios with the same non-empty `campaign` share state and run as one sequence in the given order. `wave` puts a
    barrier between groups of them: a wave starts when the one before it has completely ended. `lanes` says which lanes
    the scenario may enter (empty: any), so that it delays nobody in other lanes.
    """

    id: str
    tags: tuple[str, ...] = ()
    campaign: str = ""
    wave: int = 0
    lanes: tuple[str, ...] = ()

    def introduction(self) -> str:
        """One line by which a person chooses what to play. It does not reveal what the player should find out."""
        return self.id

    def language(self) -> Lang | None:
        """The language that people in this case speak, by the words of its introduction; None if it has none."""
        return language_of(self.introduction(), _HANGUL_WEIGHT)

    def written(self) -> str:
        """The id of the scenario that this one repeats, or its own.

        Repeats are not independent evidence: an interval counts them as one scenario.
        """
        return self.id


class Variant(Frozen):
    """Base of a clinic's variants: a named configuration of its flow, as plain data.

    `SETTINGS` names the fields that a user may set for a run (``--set turns=20``).
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ()

    name: str
    about: str
    baseline: bool = False

    def configured(self, options: Mapping[str, str]) -> Self:
        """The variant with a user's own settings."""
        changes = {name: options[name] for name in self.SETTINGS if name in options}
        try:
            return type(self).model_validate({**self.model_dump(), **changes}) if changes else self
        except ValidationError as error:
            fault = error.errors()[0]
            raise ConfigError(f"--set {fault['loc'][0]}: {plain_fault(fault)} (got {fault['input']!r})") from None


# The types of a clinic's scenarios and variants. An episode and a case only return them (covariant), a judge only takes
# them as arguments (contravariant). A clinic is covariant too: the engine works with every clinic, and gives each one
# only the scenarios and variants that it got from it.
S = TypeVar("S", bound=Scenario, default=Scenario)
V = TypeVar("V", bound=Variant, default=Variant)
S_co = TypeVar("S_co", bound=Scenario, covariant=True, default=Scenario)
V_co = TypeVar("V_co", bound=Variant, covariant=True, default=Variant)
S_contra = TypeVar("S_contra", bound=Scenario, contravariant=True, default=Scenario)
V_contra = TypeVar("V_contra", bound=Variant, contravariant=True, default=Variant)
