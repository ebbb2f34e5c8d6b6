"""The linter for case files: what is missing, what contradicts itself, what would give the diagnosis away.

Findings are sentences with the record, the place and the fix; an empty list means that a case is fit for use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from polyclinic.clinics.patient.scenario.disciplines import DISCIPLINES
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.text.phrases import mentioned

Check = Callable[[Record], Iterator[str]]

_NEEDED_TOPICS = (Topic.SYMPTOM, Topic.HISTORY, Topic.MEDICATION, Topic.FAMILY, Topic.HABITS)
_FEMALE_ONLY = re.compile(
    r"\b(my periods?|last period|i am pregnant|weeks pregnant|my womb|miscarriage|hysterectomy)\b", re.IGNORECASE
)
_MALE_ONLY = re.compile(r"\b(my prostate|the prostate|my testicle|left testicle|right testicle)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(I have|I am|I feel|I had|I cannot|My belly|My stomach|My head)\b")
_ABOUT_CHILD = re.compile(r"\b(my (?:son|daughter|baby|little (?:boy|girl)|child)|he|she|his|her|him)\b", re.IGNORECASE)
_CHILD_WORDS = re.compile(r"^\s*(My (?:son|daughter|baby|little (?:boy|girl))|(?:He|She) (?:has|is|was))\b")
_NO_FEVER = re.compile(r"\b(no fever|not had a fever|without fever)\b", re.IGNORECASE)
_VITALS: dict[str, tuple[float, float]] = {
    "temperature": (30.0, 43.0),
    "pulse": (20.0, 250.0),
    "oxygen saturation": (50.0, 100.0),
    "breathing rate": (4.0, 90.0),
}


def lint_records(records: Sequence[Record]) -> list[str]:
    """Every finding over a set of records."""
    findings = [
        f"{id}: the id is used {count} times" for id, count in Counter(r.id for r in records).items() if count > 1
    ]
    for record in records:
        for check in CHECKS:
            findings += [f"{record.id}: {finding}" for finding in check(record)]
    return findings


def _missing(record: Record) -> Iterator[str]:
    if not record.at(Level.VOLUNTEERED):
        yield "nothing is volunteered; add at least one line under 'volunteered' for the complaint"
    asked = Counter(fact.topic for fact in record.at(Level.ASKED))
    for topic in _NEEDED_TOPICS:
        if not asked[topic]:
            yield (
                f"nothing is known about {topic.value}; add a line under 'asked: {topic.value}', if only that "
                f"there is none"
            )
    if 0 < asked[Topic.SYMPTOM] < 3:
        yield f"only {asked[Topic.SYMPTOM]} symptom line(s); a doctor needs at least 3 to work with"
    if len(record.investigations) < 2:
        yield f"{len(record.investigations)} investigation(s); at least 2 with itemised results are needed"
    if not record.at(Level.NEVER):
        yield "nothing is kept from the patient; the diagnosis must be"
    if not record.diagnosis.strip():
        yield "the diagnosis is empty"
    if len(record.disease.synonyms) < 2:
        yield "the disease has fewer than 2 synonyms, so a leak could go unseen; list what people call it"
    if record.disease.discipline not in DISCIPLINES:
        yield f"'{record.disease.discipline}' is not one of the 20 disciplines"
    for name in record.disease.consult:
        if name not in DISCIPLINES:
            yield f"consult: '{name}' is not one of the 20 disciplines"


def _gives_away(record: Record) -> Iterator[str]:
    names = record.disease.names
    for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST):
        for name in mentioned(fact.text, names):
            yield (
                f"the {fact.level.value} fact '{_short(fact)}' names the disease ('{name}'); move it to "
                f"'never' or reword it"
            )
    for test in record.investigations:
        for name in mentioned(test.name, names):
            yield f"the test name '{test.name}' names the disease ('{name}')"


def _informant(record: Record) -> Iterator[str]:
    spoken = record.at(Level.VOLUNTEERED, Level.ASKED)
    if record.informant == "self":
        if record.age < 6:
            yield f"a child of {record.age_text} cannot tell the story; set 'informant: parent'"
        for fact in spoken:
            if fact.topic is Topic.COMPLAINT and _CHILD_WORDS.search(fact.text):
                yield f"'{_short(fact)}' speaks about a child, but the informant is the patient"
        return
    if record.age > 17:
        yield f"the patient is {record.age_text} old; a parent as informant does not fit"
    for fact in spoken:
        own_body = fact.topic in (Topic.COMPLAINT, Topic.SYMPTOM) and _FIRST_PERSON.search(fact.text)
        if own_body and not _ABOUT_CHILD.search(fact.text):
            yield f"'{_short(fact)}' is in the patient's own voice, but a parent tells the story"


def _body(record: Record) -> Iterator[str]:
    for fact in record.at(Level.VOLUNTEERED, Level.ASKED):
        if fact.topic in (Topic.FAMILY, Topic.SOCIAL):
            continue
        if record.sex == "male" and _FEMALE_ONLY.search(fact.text):
            yield f"'{_short(fact)}' cannot be true of a male patient"
        if record.sex == "female" and _MALE_ONLY.search(fact.text):
            yield f"'{_short(fact)}' cannot be true of a female patient"
    if record.age_months is not None and record.age != record.age_months // 12:
        yield f"age {record.age} and age_months {record.age_months} do not agree"


def _numbers(record: Record) -> Iterator[str]:
    for fact in record.at(Level.TEST):
        low, high = _VITALS.get(fact.item.lower(), (None, None))
        value = _number(fact)
        if low is not None and high is not None and value is not None and not low <= value <= high:
            yield f"{fact.test}: '{fact.text}' is not possible ({low:g} to {high:g})"
        pressure = re.search(r"(\d{2,3})/(\d{2,3}) mmHg", fact.text)
        if pressure and int(pressure[1]) <= int(pressure[2]):
            yield f"{fact.test}: '{fact.text}': the first number of a blood pressure is the larger one"
        if fact.item.lower() == "temperature" and value is not None and value >= 38.0:
            for told in record.at(Level.VOLUNTEERED, Level.ASKED):
                if _NO_FEVER.search(told.text):
                    yield f"'{_short(told)}' contradicts the measured temperature of {value:g} C"


def _number(fact: Fact) -> float | None:
    found = re.search(r"-?\d+(?:\.\d+)?", fact.text.partition(":")[2])
    return float(found[0]) if found else None


_OPPOSITES: tuple[tuple[Topic, str, str], ...] = (
    (
        Topic.HABITS,
        r"\b(never smoked|do not smoke|neither smoke)\b",
        r"\bI (?:smoke|vape)\b|\bsmoked? (?:a pack|\d+|ten|twenty)",
    ),
    (Topic.HABITS, r"\b(drink no alcohol|do not drink|nor drink)\b", r"\bdrink (?:half|two|one|six|three) "),
    (Topic.MEDICATION, r"\btake (?:nothing|no (?:regular )?(?:medicines|tablets))\b\.?$", r"\bI take (?!nothing|no )"),
    (Topic.ALLERGY, r"\bno allergies\b", r"\b(rash from|hives|allergic to)\b"),
)


def _opposites(record: Record) -> Iterator[str]:
    for topic, no, yes in _OPPOSITES:
        lines = [fact for fact in record.at(Level.ASKED) if fact.topic is topic]
        for denied in lines:
            if not re.search(no, denied.text, re.IGNORECASE):
                continue
            for claimed in lines:
                if claimed.id != denied.id and re.search(yes, claimed.text, re.IGNORECASE):
                    yield f"'{_short(denied)}' and '{_short(claimed)}' contradict each other"


def _duplicates(record: Record) -> Iterator[str]:
    seen = Counter(fact.text.lower() for fact in record.at(Level.VOLUNTEERED, Level.ASKED))
    for text, count in seen.items():
        if count > 1:
            yield f"'{text[:60]}' stands {count} times"
    names = Counter(test.name.lower() for test in record.investigations)
    for name, count in names.items():
        if count > 1:
            yield f"the test '{name}' stands {count} times; merge its items"


def _short(fact: Fact) -> str:
    return fact.text if len(fact.text) <= 70 else fact.text[:69] + "…"


CHECKS: tuple[Check, ...] = (_missing, _gives_away, _informant, _body, _numbers, _opposites, _duplicates)
