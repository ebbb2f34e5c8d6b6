"""Checks of the body: age, sex, pregnancy, and impossible numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polyclinic.clinics.patient.scenario.checking import named, short
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.people.vignette import stated_age

_FEMALE_ONLY = re.compile(
    r"\b(my periods?|last period|i am pregnant|weeks pregnant|my womb|miscarriage|hysterectomy)\b", re.IGNORECASE
)
_MALE_ONLY = re.compile(r"\b(my prostate|the prostate|my testicle|left testicle|right testicle)\b", re.IGNORECASE)
_PREGNANT = re.compile(r"\b(i am pregnant|weeks pregnant|i gave birth)\b", re.IGNORECASE)
_NO_FEVER = re.compile(r"\b(no fever|not had a fever|without fever)\b", re.IGNORECASE)
_OWN_AGE = re.compile(r"\b(?:I am|He is|She is) \d")
_GROWN_UP = re.compile(r"\bI (?:smoke|drink (?:wine|beer|vodka|whisky)|am retired|work as)\b", re.IGNORECASE)
_RANGE = re.compile(r"\((\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)\)")
_VITALS: dict[str, tuple[float, float]] = {
    "temperature": (30.0, 43.0),
    "pulse": (20.0, 250.0),
    "oxygen saturation": (50.0, 100.0),
    "breathing rate": (4.0, 90.0),
}


def _women_only(record: Record) -> Iterator[str]:
    yield from _other_sex(record, "male", _FEMALE_ONLY)


def _men_only(record: Record) -> Iterator[str]:
    yield from _other_sex(record, "female", _MALE_ONLY)


def _other_sex(record: Record, sex: str, only: re.Pattern[str]) -> Iterator[str]:
    if record.sex != sex:
        return
    for fact in record.spoken:
        if fact.topic not in (Topic.FAMILY, Topic.SOCIAL) and only.search(fact.text):
            yield f"'{short(fact)}' cannot be true of a {sex} patient"


def _pregnant_at_this_age(record: Record) -> Iterator[str]:
    if not 11 <= record.age <= 56 and record.informant == "self":
        for fact in record.spoken:
            if _PREGNANT.search(fact.text):
                yield f"'{short(fact)}' at {record.age_text}"


def _months_and_years(record: Record) -> Iterator[str]:
    if record.age_months is not None and record.age != record.age_months // 12:
        yield f"age {record.age} and age_months {record.age_months} do not agree"


def _age_told_otherwise(record: Record) -> Iterator[str]:
    for fact in record.spoken:
        if _OWN_AGE.search(fact.text) and "months" not in fact.text:
            told = stated_age(fact.text)
            if told is not None and told != record.age:
                yield f"'{short(fact)}', but the record says {record.age_text}"


def _child_with_a_grown_ups_life(record: Record) -> Iterator[str]:
    if record.age < 10:
        for fact in record.spoken:
            if fact.topic in (Topic.HABITS, Topic.SOCIAL) and _GROWN_UP.search(fact.text):
                yield f"'{short(fact)}' at {record.age_text}"


def _impossible_vital_sign(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        low, high = _VITALS.get(fact.item.lower(), (None, None))
        value = _number(fact)
        if low is not None and high is not None and value is not None and not low <= value <= high:
            yield f"{fact.test}: '{fact.text}' is not possible ({low:g} to {high:g})"


def _blood_pressure_upside_down(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        pressure = re.search(r"(\d{2,3})/(\d{2,3}) mmHg", fact.text)
        if pressure and int(pressure[1]) <= int(pressure[2]):
            yield f"{fact.test}: '{fact.text}': the first number of a blood pressure must be the larger one"


def _normal_range_upside_down(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        found = _RANGE.search(fact.text)
        if found and float(found[1]) >= float(found[2]):
            yield f"{fact.test}: '{fact.text}': the lower end of the normal range must come first"


def _fever_denied_and_measured(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        value = _number(fact)
        if fact.item.lower() == "temperature" and value is not None and value >= 38.0:
            for told in record.spoken:
                if _NO_FEVER.search(told.text):
                    yield f"'{short(told)}' contradicts the measured temperature of {value:g} C"


def _number(fact: Fact) -> float | None:
    found = re.search(r"-?\d+(?:\.\d+)?", fact.text.partition(":")[2])
    return float(found[0]) if found else None


BODY_CHECKS = named(
    _women_only,
    _men_only,
    _pregnant_at_this_age,
    _months_and_years,
    _age_told_otherwise,
    _child_with_a_grown_ups_life,
    _impossible_vital_sign,
    _blood_pressure_upside_down,
    _normal_range_upside_down,
    _fever_denied_and_measured,
)
