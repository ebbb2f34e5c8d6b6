"""Names that fit a country, a sex and a year of birth; unique if the caller asks for it."""

from __future__ import annotations

import random
from bisect import bisect
from functools import cache
from itertools import accumulate

from polyclinic.core.message import Frozen
from polyclinic.people.locales import Locale, Sex, load_locale

_TRIES = 40


class Name(Frozen):
    """A person's name; `full` is the whole name in the order of that country."""

    family: str
    given: str
    full: str


@cache
def _family_table(locale: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    pack = load_locale(locale)
    return tuple(pack.families), tuple(accumulate(pack.families.values()))


def draw_name(locale: Locale, sex: Sex, birth_year: int, random: random.Random, taken: set[str] | None = None) -> Name:
    """Draw a name that is not in `taken`, and add it there.

    Common names are tried first. If all usual pairs are taken, a second given name is added, as people with a popular
    name do.
    """
    cohort = locale.cohort(birth_year)
    given_names = cohort.female if sex == "female" else cohort.male
    families, sums = _family_table(locale.name)
    extra = 0
    for attempt in range(10_000):
        family = families[bisect(sums, random.random() * sums[-1])]
        given = given_names[int(random.random() * len(given_names))]
        if attempt >= _TRIES:
            extra += 1
            given = f"{given} {given_names[(extra + attempt) % len(given_names)]}"
        full = f"{family} {given}" if locale.name_order == "family_first" else f"{given} {family}"
        if taken is None:
            return Name(family=family, given=given, full=full)
        if full not in taken:
            taken.add(full)
            return Name(family=family, given=given, full=full)
    raise ValueError(f"{locale.name} has no more unused names for {sex} people born in {birth_year}")
