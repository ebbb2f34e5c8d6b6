"""What a registrar checks in a person's data, computed here without the code that draws the people."""

from __future__ import annotations

from datetime import date

from polyclinic.people.demographics import Person
from polyclinic.people.locales import Locale, Sex

_KOREA_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_CHI_WEIGHTS = (10, 9, 8, 7, 6, 5, 4, 3, 2)


def age_on(person: Person, day: date) -> int:
    """Age in whole years on that day."""
    born = person.birth_date
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def identifier_faults(locale: Locale, identifier: str, sex: Sex, born: date) -> list[str]:
    """What contradicts the birth date, the sex or the check digit; empty if nothing does."""
    if locale.identifier_kind == "korea_resident_number":
        return _korea_faults(identifier, sex, born)
    return _chi_faults(identifier, sex, born)


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(weight * int(digit) for weight, digit in zip(weights, digits, strict=True))


def _korea_faults(identifier: str, sex: Sex, born: date) -> list[str]:
    head, dash, tail = identifier.partition("-")
    if not (dash and head.isdigit() and tail.isdigit() and (len(head), len(tail)) == (6, 7)):
        return ["not of the form 000000-0000000"]
    century_and_sex = {("male", 19): "1", ("female", 19): "2", ("male", 20): "3", ("female", 20): "4"}
    checks = {
        "the first six digits are not the birth date": head == born.strftime("%y%m%d"),
        "the seventh digit does not fit sex and century": tail[0] == century_and_sex[sex, born.year // 100],
        "the check digit is wrong": int(tail[6]) == (11 - _weighted(head + tail[:6], _KOREA_WEIGHTS) % 11) % 10,
    }
    return [fault for fault, right in checks.items() if not right]


def _chi_faults(identifier: str, sex: Sex, born: date) -> list[str]:
    if not (identifier.isdigit() and len(identifier) == 10):
        return ["not ten digits"]
    checks = {
        "the first six digits are not the birth date": identifier[:6] == born.strftime("%d%m%y"),
        "the ninth digit does not fit the sex": (int(identifier[8]) % 2 == 1) == (sex == "male"),
        "the check digit is wrong": (_weighted(identifier[:9], _CHI_WEIGHTS) + int(identifier[9])) % 11 == 0,
    }
    return [fault for fault, right in checks.items() if not right]
