"""Checks of the spoken lines: who speaks, what gives the disease away, and lines that contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polyclinic.clinics.patient.scenario.checking import named, short
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
from polyclinic.text.phrases import mentioned
from polyclinic.text.words import ContentWords

_LONGEST = 220
_FIRST_PERSON = re.compile(r"\b(I have|I am|I feel|I had|I cannot|My belly|My stomach|My head)\b")
_ABOUT_CHILD = re.compile(r"\b(my (?:son|daughter|baby|little (?:boy|girl)|child)|he|she|his|her|him)\b", re.IGNORECASE)
_CHILD_WORDS = re.compile(r"^\s*(My (?:son|daughter|baby|little (?:boy|girl))|(?:He|She) (?:has|is|was))\b")
_LABORATORY = re.compile(r"\b\d+(?:\.\d+)? ?(?:mmol|umol|pmol|ng|ug|mIU|U|IU|g)/(?:L|mL|dL)\b")
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


def _laboratory_values_in_speech(record: Record) -> Iterator[str]:
    for fact in record.spoken:
        if _LABORATORY.search(fact.text):
            yield f"'{short(fact)}' is a laboratory's result; a patient does not know it: put it under a test"


def _small_child_tells(record: Record) -> Iterator[str]:
    if record.informant == "self" and record.age < 6:
        yield f"a child of {record.age_text} cannot tell the story; set 'informant: parent'"


def _patient_speaks_of_a_child(record: Record) -> Iterator[str]:
    if record.informant == "self":
        for fact in record.spoken:
            if fact.topic is Topic.COMPLAINT and _CHILD_WORDS.search(fact.text):
                yield f"'{short(fact)}' speaks about a child, but the informant is the patient"


def _parent_of_an_adult(record: Record) -> Iterator[str]:
    if record.informant == "parent" and record.age > 17:
        yield f"the patient is {record.age_text} old; a parent as informant does not fit"


def _child_in_the_first_person(record: Record) -> Iterator[str]:
    if record.informant != "parent":
        return
    for fact in record.spoken:
        own_body = fact.topic in (Topic.COMPLAINT, Topic.SYMPTOM) and _FIRST_PERSON.search(fact.text)
        if own_body and not _ABOUT_CHILD.search(fact.text):
            yield f"'{short(fact)}' is in the patient's own voice, but a parent tells the story"


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


WORD_CHECKS = named(
    _line_names_the_disease,
    _test_names_the_disease,
    _laboratory_values_in_speech,
    _small_child_tells,
    _patient_speaks_of_a_child,
    _parent_of_an_adult,
    _child_in_the_first_person,
    _contradiction,
    _allergic_to_own_medicine,
    _very_long_line,
    _placeholder_left,
)
