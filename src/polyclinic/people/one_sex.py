"""Whether an illness is one that only women or only men can have, by its name."""

from __future__ import annotations

import re
from functools import cache

from polyclinic.core.files import package_data
from polyclinic.people.locales import Sex
from polyclinic.text.normal import normalise

_OTHER: dict[Sex, Sex] = {"female": "male", "male": "female"}
_MOTHERS = re.compile(r"\b(?:maternal|mother|neonat|newborn|birth)|산모의|신생아")
"""An illness of a newborn that the mother's illness or the birth explains."""


@cache
def _names(sex: Sex) -> re.Pattern[str]:
    words = package_data("polyclinic.people", "data/one_sex.toml")[sex]
    return re.compile(rf"(?<![a-z])(?:{'|'.join(words)})")


def belongs_to_others(illness: str, sex: Sex) -> bool:
    """Whether only a person of the other sex can have the illness: a woman no prostate cancer, a man no eclampsia."""
    plain = normalise(illness)
    return _names(_OTHER[sex]).search(plain) is not None and not _MOTHERS.search(plain)
