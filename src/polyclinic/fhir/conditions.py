"""What a FHIR search asks for, as values: conditions, order, page and what to bring along."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polyclinic.core.records import RecordsError
from polyclinic.fhir.parameters import Parameter, parameters

DEFAULT_COUNT = 50
Prefix = Literal["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"]


class BadSearch(RecordsError):
    """A search that cannot be understood."""

    code = "invalid"


@dataclass(frozen=True)
class Token:
    """A code with or without its system. None means any; an empty system means none."""

    system: str | None
    code: str | None


@dataclass(frozen=True)
class Target:
    """The id or URL that a reference must have, and its type when the search says so."""

    type: str | None
    value: str


@dataclass(frozen=True)
class Interval:
    """A date or quantity with its comparison; the range is what the written precision covers."""

    prefix: Prefix
    low: int | float
    high: int | float
    system: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Text:
    """A string as written and in its normal form."""

    written: str
    normal: str


Value: TypeAlias = Token | Target | Interval | Text


@dataclass(frozen=True)
class Filter:
    """A parameter with any of these values."""

    parameter: Parameter
    modifier: str | None
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Missing:
    """Whether a parameter has no value at all."""

    parameter: Parameter
    missing: bool


@dataclass(frozen=True)
class Chain:
    """A reference to a resource of one of these types that itself meets a condition."""

    parameter: Parameter
    targets: tuple[tuple[str, Condition], ...]


@dataclass(frozen=True)
class Has:
    """Some resource of another type refers here and meets a condition."""

    type: str
    parameter: Parameter
    condition: Condition


Condition: TypeAlias = Filter | Missing | Chain | Has


@dataclass(frozen=True)
class Include:
    """What to bring along: references of `type` through a parameter (None: all), only to `target` when given."""

    type: str
    parameter: str | None
    target: str | None
    iterate: bool


@dataclass
class Search:
    """Everything a search asks for."""

    type: str
    conditions: list[Condition] = field(default_factory=list)
    sort: list[tuple[Parameter, bool]] = field(default_factory=list)
    count: int = DEFAULT_COUNT
    includes: list[Include] = field(default_factory=list)
    reverse_includes: list[Include] = field(default_factory=list)
    total: Literal["none", "estimate", "accurate"] = "none"
    summary: Literal["true", "text", "data", "count", "false"] = "false"
    elements: tuple[str, ...] = ()
    cursor: str | None = None
    included_after: str | None = None
    ignored: list[str] = field(default_factory=list)
    used: list[tuple[str, str]] = field(default_factory=list)

    def by_schedule(self) -> bool:
        """Whether slots of certain schedules are asked for."""
        return self.type == "Slot" and any(
            isinstance(c, Filter | Chain) and c.parameter.code == "schedule" for c in self.conditions
        )

    def order(self) -> list[tuple[Parameter, bool]]:
        """The asked order, or the natural one: a schedule's slots by time, everything else by id alone."""
        if not self.sort and self.by_schedule():
            return [(parameters("Slot")["start"], False)]
        return self.sort
