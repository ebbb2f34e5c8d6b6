"""Locale packs: the names, places, phone ranges and identifier scheme of one country, as data.

A pack is one JSON file beside this module. Phone numbers come from ranges that are never given to subscribers, so no
simulated person can be called by accident.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field, model_validator

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.errors import UnknownName

Sex = Literal["female", "male"]
_PACKS = ("korea", "scotland")
IdentifierKind = Literal["korea_resident_number", "scotland_chi_number"]


class Cohort(Frozen):
    """Given names that were common for people born in these years."""

    from_year: int
    to_year: int
    female: tuple[str, ...] = Field(min_length=1)
    male: tuple[str, ...] = Field(min_length=1)


class Region(Frozen):
    """A province or city: its share of people, its areas, postcodes, and what else depends on the place."""

    name: str
    weight: int = Field(gt=0)
    areas: tuple[str, ...] = Field(min_length=1)
    postcodes: tuple[int, int]
    codes: tuple[int, int]
    outward: str = ""
    phone: str = ""


class PhoneRange(Frozen):
    """A phone prefix, and the numbers after it that are given to nobody."""

    prefix: str
    first: int = Field(alias="from")
    last: int = Field(alias="to")
    digits: int


class Locale(Frozen):
    """One country's pack."""

    name: str
    language_tag: str
    utc_offset: str
    name_order: Literal["family_first", "given_first"]
    identifier_kind: IdentifierKind
    identifier_system: str
    families: dict[str, int]
    cohorts: tuple[Cohort, ...]
    regions: tuple[Region, ...]
    streets: tuple[str, ...]
    address_format: str
    phones: tuple[PhoneRange, ...]

    @model_validator(mode="after")
    def _cohorts_meet(self) -> Locale:
        for before, after in zip(self.cohorts, self.cohorts[1:], strict=False):
            if after.from_year != before.to_year + 1:
                raise ValueError(
                    f"{self.name}: birth years between {before.to_year} and {after.from_year} have no names"
                )
        return self

    def cohort(self, year: int) -> Cohort:
        """The names usual for that birth year."""
        for cohort in self.cohorts:
            if cohort.from_year <= year <= cohort.to_year:
                return cohort
        raise ValueError(f"{self.name} has no names for people born in {year}")


def locale_names() -> list[str]:
    """The names of all packs."""
    return list(_PACKS)


@cache
def load_locale(name: str) -> Locale:
    """A pack by name, validated once."""
    if name not in _PACKS:
        raise UnknownName("locale", name, locale_names())
    return Locale.model_validate(package_data("polyclinic.people", f"data/{name}.json"))
