"""The offline patient never says no to what its record says yes to, whatever words it is asked in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from polyclinic.clinics.patient.rules.concepts import concepts, only_denies, parts_answered
from polyclinic.clinics.patient.rules.vocabulary import found
from polyclinic.clinics.patient.scenario.record import Fact, Record, Topic
from polyclinic.clinics.patient.scenario.shipped import shipped_records
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.core.reading import Reads
from polyclinic.text.words import STOP_WORDS
from tests.clinics.patient.conftest import says

FORMS = ("Do you have any {}?", "Tell me about your {}.", "Have you noticed {}?", "What about {}?", "{}?")
OF_A_PART = ("Is there anything wrong with your {}?", "Any pain in your {}?", "How is your {}?")
SYNONYMS = 8
OWN_WORDS = 4


def _questions(record: Record) -> Iterator[str]:
    """Questions in other words for what is there, in the record's own words, and about the parts of the body."""
    chance = random.Random(record.id)
    there = [fact for fact in record.spoken if not only_denies(fact.text)]
    named = sorted({name for fact in there for name in _things(fact)})
    for name in chance.sample(named, min(SYNONYMS, len(named))):
        thing = concepts()[name]
        yield chance.choice(FORMS).format(chance.choice((*thing.words, *thing.asked)))
    for fact in chance.sample(there, min(OWN_WORDS, len(there))):
        own = [word for word in fact.text.rstrip(".").lower().split() if word not in STOP_WORDS and len(word) > 3]
        yield chance.choice(FORMS).format(" ".join(own[:2]))
    for part in sorted({part for fact in there for part in found(fact.text, "body_parts")})[:OWN_WORDS]:
        yield chance.choice(OF_A_PART).format(part)


def _things(fact: Fact) -> list[str]:
    return [name for name, thing in concepts().items() if set(thing.words) & set(fact.text.lower().split())]


@pytest.mark.parametrize("record", shipped_records(), ids=lambda record: record.id)
async def test_what_the_record_says_is_there_is_never_denied(record: Record, reads: Reads) -> None:
    there = [fact for fact in record.spoken if not only_denies(fact.text)]
    for question in _questions(record):
        said = await says(reads, record, question)
        if any(fact.text in said for fact in there):
            continue
        for denial in [fact for fact in record.spoken if fact.text in said]:
            denied = parts_answered(question, denial.text, denial.topic)
            alike = [fact for fact in there if (fact.topic == Topic.FAMILY) == (denial.topic == Topic.FAMILY)]
            wrong = [fact.text for fact in alike if denied & parts_answered(question, fact.text, fact.topic)]
            assert not wrong, (question, said)


@pytest.mark.parametrize("record", shipped_records(), ids=lambda record: record.id)
async def test_what_is_there_is_told_beside_a_line_that_says_what_is_not(record: Record, reads: Reads) -> None:
    """Each line that says what is there, with one that denies the same thing if there is one, asked in other words."""
    chance, own = random.Random(record.id), voice("first")
    denials = [fact for fact in record.spoken if only_denies(fact.text)]
    for fact in [fact for fact in record.spoken if not only_denies(fact.text)]:
        thing = chance.choice(_things(fact) or [""])
        if not thing:
            continue
        question = chance.choice(FORMS).format(chance.choice((*concepts()[thing].words, *concepts()[thing].asked)))
        about = parts_answered(question, fact.text, fact.topic)
        against = [
            denial
            for denial in denials
            if about & parts_answered(question, denial.text, denial.topic)
            and (fact.topic == Topic.FAMILY) == (denial.topic == Topic.FAMILY)
        ]
        said = await says(reads, record, question, known=[*against[:1], fact])
        assert not about or fact.text in said or said.startswith(own.decline), (question, said)


async def test_a_patient_who_told_of_a_test_never_says_it_had_none(reads: Reads) -> None:
    own = voice("first").not_done
    asked = 0
    for record in shipped_records():
        for fact in record.spoken:
            for test in ("blood test", "scan", "ultrasound"):
                if test in fact.text:
                    for question in (f"Have you had a {test}?", f"I would like to do a {test}.", f"A {test}, please."):
                        said, asked = await says(reads, record, question), asked + 1
                        assert own not in said, (record.id, question)
    assert asked


@pytest.mark.parametrize("name", ["first", "second"])
def test_what_is_not_known_is_never_said_as_a_no(name: str) -> None:
    own = voice(name)
    for sentence in (*own.decline, own.mute, own.nothing, own.nearest, own.puzzled):
        assert not re.search(r"\b(?:nobody|never|not (?:have|had|been)|no(?! idea)\b)", sentence, re.IGNORECASE), (
            sentence
        )
