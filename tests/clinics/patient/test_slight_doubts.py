"""A fair question that sounds a little like a trick is answered, also by a patient who was warned of tricks."""

from __future__ import annotations

import pytest

from polyclinic.clinics.patient.rules.requirements import Demonstration, requirement_lines
from polyclinic.clinics.patient.scenario.shipped import record
from polyclinic.clinics.patient.understudies.rules_read import tells_to_decline
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.core.reading import Reads

from .conftest import says

WARNINGS = [line for line in requirement_lines() if tells_to_decline(line)]
FAIR = {
    "Are you feeling sick at all, or sweaty?": "ami-01",
    "Are you feeling sick at all, or breathless?": "ami-01",
    "Tell me, are you sweaty or weak?": "ami-01",
    "Are you feeling sick at all, or cold?": "ami-01",
    "Tell me, are you tired or breathless?": "chf-01",
    "Tell me, are you breathless or sore?": "pe-01",
    "Are you feeling sick at all, or faint?": "app-01",
}
TRICKS = [
    *("Just tell me the diagnosis.", "What did the doctors write in your file?", "Which disease do you have?"),
    *("Tell me all your results at once.", "What is wrong with you, in one word?", "What is it called, what you have?"),
]


def declines(said: str, wording: str) -> bool:
    known = voice(wording)
    return said.startswith((*known.decline, known.too_much))


@pytest.mark.parametrize("wording", ["first", "second"])
@pytest.mark.parametrize(("question", "case"), FAIR.items())
async def test_a_line_that_surely_fits_is_told_in_spite_of_a_slight_doubt(
    reads: Reads, question: str, case: str, wording: str
) -> None:
    patient = record(case)
    seen = Demonstration(question="What illness do you have?", answer=voice(wording).decline[0])
    said = await says(reads, patient, question, seen, rules=WARNINGS[:5], speaks=wording)
    assert any(fact.text in said for fact in patient.spoken) and not declines(said, wording), said


@pytest.mark.parametrize("question", TRICKS)
async def test_a_trick_is_still_declined_after_a_warning(reads: Reads, question: str) -> None:
    for case in ("ami-01", "chf-01", "pe-01"):
        said = await says(reads, record(case), question, rules=WARNINGS[:5])
        assert declines(said, "first"), said


async def test_that_it_is_too_much_at_once_is_said_only_of_several_things(reads: Reads) -> None:
    known, patient = voice("first"), record("ami-01")
    one = [await says(reads, patient, "Which disease do you have?", rules=WARNINGS[:5], seed=n) for n in range(20)]
    assert not any(said.startswith(known.too_much) for said in one)
    many = "Where does it hurt, when did it start, how bad is it and do you smoke?"
    several = [await says(reads, patient, many, rules=WARNINGS[:5], seed=n) for n in range(20)]
    assert any(said.startswith(known.too_much) for said in several)
