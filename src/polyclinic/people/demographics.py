"""A simulated person's personal data: name, sex, birth date, phone, identifier and address, consistent with each
other.
"""

from __future__ import annotations

import random
from bisect import bisect
from datetime import date, timedelta
from functools import cache
from itertools import accumulate

from polyclinic.core.message import Frozen
from polyclinic.people.identifiers import draw_identifier
from polyclinic.people.locales import Locale, Region, Sex, load_locale
from polyclinic.people.names import draw_name

_UNIT_LETTERS = "ABDEFGHJLNPQRSTUWXYZ"


class Person(Frozen):
    """A person's data, as a front desk would ask for it."""

    name: str
    family: str
    given: str
    sex: Sex
    birth_date: date
    phone: str
    identifier: str
    address: str
    region: str


@cache
def _region_sums(locale: str) -> tuple[int, ...]:
    return tuple(accumulate(region.weight for region in load_locale(locale).regions))


def _draw_birth_date(on: date, ages: tuple[int, int], random: random.Random) -> date:
    youngest = _years_before(on, ages[0])
    oldest = _years_before(on, ages[1] + 1) + timedelta(days=1)
    return oldest + timedelta(days=int(random.random() * ((youngest - oldest).days + 1)))


def _years_before(day: date, years: int) -> date:
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)


def _draw_address(locale: Locale, region: Region, random: random.Random) -> str:
    low, high = region.postcodes
    unit = (
        f"{int(random.random() * 9) + 1}"
        f"{_UNIT_LETTERS[int(random.random() * 20)]}{_UNIT_LETTERS[int(random.random() * 20)]}"
    )
    return locale.address_format.format(
        number=int(random.random() * 199) + 1,
        street=locale.streets[int(random.random() * len(locale.streets))],
        area=region.areas[int(random.random() * len(region.areas))],
        region=region.name,
        postcode=low + int(random.random() * (high - low + 1)),
        outward=region.outward,
        unit=unit,
    )


def _draw_phone(locale: Locale, region: Region, random: random.Random) -> str:
    if region.phone and random.random() < 0.3:
        return f"{region.phone}{int(random.random() * 1000):04d}"
    phones = locale.phones[int(random.random() * len(locale.phones))]
    number = phones.first + int(random.random() * (phones.last - phones.first + 1))
    return f"{phones.prefix}{number:0{phones.digits}d}"


def draw_person(
    locale: Locale,
    random: random.Random,
    *,
    on: date,
    ages: tuple[int, int] = (18, 90),
    sex: Sex | None = None,
    taken: set[str] | None = None,
) -> Person:
    """A person of that age on that day; the name is not in `taken` and is added to it."""
    chosen: Sex = sex or ("female" if random.random() < 0.5 else "male")
    born = _draw_birth_date(on, ages, random)
    sums = _region_sums(locale.name)
    region = locale.regions[bisect(sums, random.random() * sums[-1])]
    name = draw_name(locale, chosen, born.year, random, taken)
    return Person(
        name=name.full,
        family=name.family,
        given=name.given,
        sex=chosen,
        birth_date=born,
        phone=_draw_phone(locale, region, random),
        identifier=draw_identifier(locale, chosen, born, region, random),
        address=_draw_address(locale, region, random),
        region=region.name,
    )
