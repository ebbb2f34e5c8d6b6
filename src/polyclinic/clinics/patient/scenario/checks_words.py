"""Checks of the spoken lines: who speaks, what gives the disease away, and lines that contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polyclinic.clinics.patient.scenario.checking import RecordCheck, each_line, short, whole
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.text.phrases import mentioned
from polyclinic.text.words import ContentWords

_LONGEST = 220
_FIRST_PERSON = re.compile(r"\b(I have|I am|I feel|I had|I cannot|My belly|My stomach|My head)\b")
_ABOUT_CHILD = re.compile(r"\b(my (?:son|daughter|baby|little (?:boy|girl)|child)|he|she|his|her|him)\b", re.IGNORECASE)
_CHILD_WORDS = re.compile(r"^\s*(My (?:son|daughter|baby|little (?:boy|girl))|(?:He|She) (?:has|is|was))\b")
_LABORATORY = re.compile(r"\b\d+(?:\.\d+)? ?(?:(?:mmol|umol|pmol|ng|ug|mIU|U|IU|g)/(?:L|mL|dL)|mg/d?L)\b")
_PLACEHOLDER = re.compile(r"\b(TODO|TBD|XXX|lorem ipsum)\b|\?\?\?|\[[^\]]*\]|^…$")
_SMOKES = r"\bI (?:smoke|vape)\b|\bsmoked? (?:a pack|\d+|ten|twenty)"
_NO_MEDICINES = r"\btake (?:nothing|no (?:regular )?(?:medicines|tablets))\b\.?$"
_OPPOSITES = (
    (Topic.HABITS, r"\b(never smoked|do not smoke|neither smoke)\b", _SMOKES),
    (Topic.HABITS, r"\b(drink no alcohol|do not drink|nor drink)\b", r"\bdrink (?:half|two|one|six|three) "),
    (Topic.MEDICATION, _NO_MEDICINES, r"\bI take (?!nothing|no )"),
    (Topic.ALLERGY, r"\bno allergies\b(?! to)", r"\b(rash from|hives|allergic to)\b"),
)
_medicines = ContentWords(
    frozenset(("take", "tablet", "medicine", "rash", "gave", "makes", "allergy", "allergic", "no"))
)


def _line_names_the_disease(record: Record) -> Iterator[str]:
    for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST):
        for name in mentioned(fact.text, record.disease.names):
            yield (
                f"the {fact.level.value} fact '{short(fact)}' names the disease ('{name}'); move it to "
                f"'never' or reword it"
            )


def _test_names_the_disease(record: Record) -> Iterator[str]:
    for test in record.investigations:
        for name in mentioned(test.name, record.disease.names):
            yield f"the test name '{test.name}' names the disease ('{name}')"


def _contradiction(record: Record) -> Iterator[str]:
    for topic, no, yes in _OPPOSITES:
        lines = [fact for fact in record.at(Level.ASKED) if fact.topic is topic]
        for denied in lines:
            if not re.search(no, denied.text, re.IGNORECASE):
                continue
            for claimed in lines:
                if claimed.id != denied.id and re.search(yes, claimed.text, re.IGNORECASE):
                    yield f"'{short(denied)}' and '{short(claimed)}' contradict each other"


def _allergic_to_own_medicine(record: Record) -> Iterator[str]:
    taken = [fact for fact in record.at(Level.ASKED) if fact.topic is Topic.MEDICATION]
    for allergy in record.at(Level.ASKED):
        named_here = re.search(r"rash from|gave me|allergic to|hives", allergy.text, re.IGNORECASE)
        if allergy.topic is not Topic.ALLERGY or not named_here:
            continue
        for medicine in taken:
            both = _medicines(allergy.text) & _medicines(medicine.text)
            if any(len(word) > 5 for word in both) and "stopped" not in medicine.text:
                yield f"'{short(allergy)}' contradicts '{short(medicine)}'"


def _very_long_line(record: Record) -> Iterator[str]:
    for fact in record.spoken:
        if len(fact.text) > _LONGEST:
            yield f"'{short(fact)}' has {len(fact.text)} characters; people answer in short sentences: split it"


def _placeholder_left(record: Record) -> Iterator[str]:
    for fact in record.facts:
        if _PLACEHOLDER.search(fact.text):
            yield f"'{short(fact)}' is not finished"


def _in_own_voice(fact: Fact) -> bool:
    """Whether the patient speaks of their own body in a line."""
    own_body = fact.topic in (Topic.COMPLAINT, Topic.SYMPTOM) and _FIRST_PERSON.search(fact.text)
    return bool(own_body) and not _ABOUT_CHILD.search(fact.text)


WORD_CHECKS: dict[str, RecordCheck] = {
    "line names the disease": _line_names_the_disease,
    "test names the disease": _test_names_the_disease,
    "laboratory values in speech": each_line(
        lambda _, fact: _LABORATORY.search(fact.text),
        "'{line}' is a laboratory's result; a patient does not know it: put it under a test",
    ),
    "small child tells": whole(
        lambda record: record.informant == "self" and record.age < 6,
        "a child of {record.age_text} cannot tell the story; set 'informant: parent'",
    ),
    "patient speaks of a child": each_line(
        lambda record, fact: (
            record.informant == "self" and fact.topic is Topic.COMPLAINT and _CHILD_WORDS.search(fact.text)
        ),
        "'{line}' speaks about a child, but the informant is the patient",
    ),
    "parent of an adult": whole(
        lambda record: record.informant == "parent" and record.age > 17,
        "the patient is {record.age_text} old; a parent as informant does not fit",
    ),
    "child in the first person": each_line(
        lambda record, fact: record.informant == "parent" and _in_own_voice(fact),
        "'{line}' is in the patient's own voice, but a parent tells the story",
    ),
    "contradiction": _contradiction,
    "allergic to own medicine": _allergic_to_own_medicine,
    "very long line": _very_long_line,
    "placeholder left": _placeholder_left,
}
