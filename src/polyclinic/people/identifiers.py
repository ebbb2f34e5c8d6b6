"""National identifiers that agree with birth date, sex and place, with the check digit each scheme defines.

Korea's resident registration number is ``YYMMDD-SRRnnnC``: S is for century and sex, R for the region of registration,
and C is a weighted sum modulo 11. Scotland's CHI number is ``DDMMYYnnSC``: the ninth digit is odd for men and even for
women, and C is a modulo-11 check digit.
"""

from __future__ import annotations

import random
from datetime import date

from polyclinic.people.locales import Locale, Region, Sex

_KOREA_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_CHI_WEIGHTS = (10, 9, 8, 7, 6, 5, 4, 3, 2)


def draw_identifier(locale: Locale, sex: Sex, born: date, region: Region, random: random.Random) -> str:
    """An identifier of the locale's scheme for this person."""
    if locale.identifier_kind == "korea_resident_number":
        return _korea(sex, born, region, random)
    return _chi(sex, born, random)


def _check_digit(weights: tuple[int, ...], digits: str) -> int:
    """11 less the remainder when the weighted sum of the digits is divided by 11."""
    return 11 - sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=True)) % 11


def _korea(sex: Sex, born: date, region: Region, random: random.Random) -> str:
    low, high = region.codes
    place = low + int(random.random() * (high - low + 1))
    serial = int(random.random() * 1000)
    sex_digit = (1 if sex == "male" else 2) + (2 if born.year >= 2000 else 0)
    body = f"{born.year % 100:02d}{born.month:02d}{born.day:02d}{sex_digit}{place:02d}{serial:03d}"
    return f"{body[:6]}-{body[6:]}{_check_digit(_KOREA_WEIGHTS, body) % 10}"


def _chi(sex: Sex, born: date, random: random.Random) -> str:
    head = f"{born.day:02d}{born.month:02d}{born.year % 100:02d}"
    while True:
        middle = int(random.random() * 100)
        ninth = int(random.random() * 5) * 2 + (1 if sex == "male" else 0)
        body = f"{head}{middle:02d}{ninth}"
        check = _check_digit(_CHI_WEIGHTS, body) % 11
        if check != 10:
            return f"{body}{check}"
