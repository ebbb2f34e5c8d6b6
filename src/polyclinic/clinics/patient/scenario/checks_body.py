"""Checks of the body: age, sex, pregnancy, and impossible numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polyclinic.clinics.patient.scenario.checking import RecordCheck, each_line, short, whole
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.people.one_sex import belongs_to_others
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
_ALSO_CALLED = {"body temperature": "temperature", "heart rate": "pulse", "respiratory rate": "breathing rate"}


def _impossible_vital_sign(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        low, high = _VITALS.get(_vital_sign(fact), (None, None))
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
        if _vital_sign(fact) == "temperature" and value is not None and value >= 38.0:
            for told in record.spoken:
                if _NO_FEVER.search(told.text):
                    yield f"'{short(told)}' contradicts the measured temperature of {value:g} C"


def _vital_sign(fact: Fact) -> str:
    """The name of a measured item. An imported record has the names of a code system."""
    return _ALSO_CALLED.get(fact.item.lower(), fact.item.lower())


def _number(fact: Fact) -> float | None:
    found = re.search(r"-?\d+(?:\.\d+)?", fact.text.partition(":")[2])
    return float(found[0]) if found else None


def _tells_other_age(record: Record, fact: Fact) -> bool:
    told = stated_age(fact.text) if _OWN_AGE.search(fact.text) and "months" not in fact.text else None
    return told is not None and told != record.age


def _not_for(sex: str, only: re.Pattern[str]) -> RecordCheck:
    """A check of lines that only a person of the other sex can say."""
    return each_line(
        lambda record, fact: (
            record.sex == sex and fact.topic not in (Topic.FAMILY, Topic.SOCIAL) and only.search(fact.text)
        ),
        f"'{{line}}' cannot be true of a {sex} patient",
    )


BODY_CHECKS: dict[str, RecordCheck] = {
    "women only": _not_for("male", _FEMALE_ONLY),
    "men only": _not_for("female", _MALE_ONLY),
    "illness of the other sex": whole(
        lambda record: any(belongs_to_others(name, record.sex) for name in (record.diagnosis, record.disease.name)),
        "a {record.sex} patient cannot have '{record.diagnosis}'; correct the sex or the diagnosis",
    ),
    "pregnant at this age": each_line(
        lambda record, fact: not 11 <= record.age <= 56 and record.informant == "self" and _PREGNANT.search(fact.text),
        "'{line}' at {record.age_text}",
    ),
    "months and years": whole(
        lambda record: record.age_months is not None and record.age != record.age_months // 12,
        "age {record.age} and age_months {record.age_months} do not agree",
    ),
    "age told otherwise": each_line(_tells_other_age, "'{line}', but the record says {record.age_text}"),
    "child with a grown ups life": each_line(
        lambda record, fact: (
            record.age < 10 and fact.topic in (Topic.HABITS, Topic.SOCIAL) and _GROWN_UP.search(fact.text)
        ),
        "'{line}' at {record.age_text}",
    ),
    "impossible vital sign": _impossible_vital_sign,
    "blood pressure upside down": _blood_pressure_upside_down,
    "normal range upside down": _normal_range_upside_down,
    "fever denied and measured": _fever_denied_and_measured,
}
