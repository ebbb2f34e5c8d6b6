"""What a FHIR search asks for, as values: conditions, order, page, and which resources to include."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError
from polyclinic.fhir.parameters import Parameter, parameters
from polyclinic.fhir.slot_rules import Key

DEFAULT_COUNT = 50
Prefix = Literal["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"]


class BadSearch(RecordsError, code="invalid"):
    """A search that cannot be understood."""


@dataclass(frozen=True)
class Token:
    """A code with or without its system. None means any; an empty system means that the code has no system."""

    system: str | None
    code: str | None


@dataclass(frozen=True)
class ReferenceTarget:
    """The id or URL that a reference must have; also its type, if the search gives one."""

    type: str | None
    value: str


@dataclass(frozen=True)
class Interval:
    """A date or quantity and how to compare with it.

    `low` and `high` are the range that its precision covers: 2025-03 is all of March.
    """

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


SearchValue: TypeAlias = Token | ReferenceTarget | Interval | Text


@dataclass(frozen=True)
class Filter:
    """A condition: the parameter has one of these values."""

    parameter: Parameter
    modifier: str | None
    values: tuple[SearchValue, ...]


@dataclass(frozen=True)
class Missing:
    """A condition: a parameter has no value at all. If `missing` is false: it has a value."""

    parameter: Parameter
    missing: bool


@dataclass(frozen=True)
class Chain:
    """A condition: the parameter refers to a resource of one of these types, which itself meets a condition."""

    parameter: Parameter
    targets: tuple[tuple[str, Condition], ...]


@dataclass(frozen=True)
class Has:
    """A condition: some resource of another type refers to this one and meets a condition."""

    type: str
    parameter: Parameter
    condition: Condition


@dataclass(frozen=True)
class AnyOf:
    """A condition: in at least one of these groups, every condition is met. If `negated`: in none of them."""

    groups: tuple[tuple[Condition, ...], ...]
    negated: bool = False


Condition: TypeAlias = Filter | Missing | Chain | Has | AnyOf


@dataclass(frozen=True)
class Include:
    """Resources to include: those that `type` refers to by `parameter` (None: by any).

    With `target`, only resources of that type.
    """

    type: str
    parameter: str | None
    target: str | None
    iterate: bool


@dataclass
class Search:
    """Everything a search asks for.

    Only resources of `includable` types are included (None: of all types), and only those whose keys `visible` returns.
    """

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
    includable: frozenset[str] | None = None
    visible: Callable[[Transaction, set[Key]], set[Key]] | None = None

    def by_schedule(self) -> bool:
        """Whether the search is for slots of certain schedules."""
        return self.type == "Slot" and any(
            isinstance(c, Filter | Chain) and c.parameter.code == "schedule" for c in self.conditions
        )

    def order(self) -> list[tuple[Parameter, bool]]:
        """The requested order, or the default one: a schedule's slots by time, everything else by id alone."""
        if not self.sort and self.by_schedule():
            return [(parameters("Slot")["start"], False)]
        return self.sort
