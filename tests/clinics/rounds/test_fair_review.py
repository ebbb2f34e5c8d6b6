"""A tutor is told only what is true: what gives nothing away is no leak, a question is not false, and a mistake is only
named to somebody who spoke about its subject.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.reviewers import ChecksFacts
from polyclinic.clinics.rounds.readings import READINGS
from polyclinic.clinics.rounds.rules.heard import TutorHeard, hear_tutor
from polyclinic.clinics.rounds.rules.leak import touches_answer
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.understudies.specialist import SpecialistUnderstudy
from polyclinic.core.model import Request
from polyclinic.core.reading import Finding, Question, Reads
from polyclinic.core.understudy import Ask
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.sets import sets_folder, shipped
from tests.clinics.rounds.cases import case_named

READER = BuiltInReader({kind.name: kind for kind in READINGS})


async def _reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    return tuple(Finding(*READER.read(text, question)) for question in questions)


async def _suspects(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    """A reader that errs in every question: what remains is decided by rules."""
    return tuple(Finding("yes", text) for _ in questions)


async def _hear(case: str, text: str, reads: Reads = _reads) -> TutorHeard:
    return await hear_tutor(reads, case_named(case), text, ())


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("infe-03", "I think the pain comes from the heart because it spreads to the arm"),
        ("card-03", "I think it is only anxiety, because she sleeps badly."),
        ("resp-01", "The rash comes from a new soap."),
        ("endo-01", "The headache is a migraine, since light hurts her eyes."),
        ("card-03", "Do not hurry; safety comes first."),
        ("neph-02", "Let us hear from somebody who has not spoken yet."),
    ],
)
async def test_words_about_something_else_give_nothing_away(case: str, said: str) -> None:
    assert not (await _hear(case, said, _suspects)).leak.yes
    assert not (await _hear(case, said)).leak.yes


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("infe-03", "He needs surgery now, to cut all of it out."),
        ("infe-03", "Well, you can cross off A, C and D."),
        ("card-03", "She will go home with a pacemaker, that is clear."),
    ],
)
async def test_words_that_hand_out_the_answer_are_still_a_leak(case: str, said: str) -> None:
    assert (await _hear(case, said)).leak.yes


def test_a_negation_touches_no_case() -> None:
    """ "Not" was once taken for a patient's notes."""
    said = "And not all in the same way."
    assert len([case.id for case in shipped_cases() if touches_answer(case, said, ())]) <= 1


def test_nearly_all_leaks_by_training_authors_touch_their_case() -> None:
    kinds = {kind.name: kind for kind in READINGS if kind.name == "rounds-leak"}
    lines = [
        line
        for line in shipped(sets_folder("polyclinic.clinics.rounds"), kinds)
        if line.split == "train" and line.label
    ]
    touching = sum(touches_answer(case_named(line.about), line.text, ()) for line in lines)
    assert len(lines) > 300 and touching >= 0.97 * len(lines), f"{touching} of {len(lines)}"


def test_a_step_that_a_student_has_made_may_be_said_again() -> None:
    case = case_named("emer-02")
    step = case.steps[0].step_summary
    assert touches_answer(case, step, ()) and not touches_answer(case, step, [f"I see this: {step}"])


async def test_a_question_is_never_false() -> None:
    draft = "On the rhythm strip, mark the P waves and the QRS complexes: what is the rate of each?"
    assert not (await _hear("card-03", draft, _suspects)).false.yes
    assert not (
        await _hear("card-03", f"Good work, Zara, Beth and Struan: each of you holds a piece. {draft}")
    ).false.yes
    assert (await _hear("card-03", "A wide escape rhythm is more dependable than a narrow one.")).false.yes


def _reason(case_id: str, statement: str) -> str:
    case = case_named(case_id)
    prompt = ChecksFacts(sheet=Sheet.from_case(case), key=CaseKey.from_case(case), statement=statement)
    found = SpecialistUnderstudy().checks(Ask(prompt, Request("specialist", prompt, ()), {}, READER))
    assert not isinstance(found, str) and found.verdict == "wrong", statement
    return found.reason


def test_the_specialist_names_a_mistake_only_to_somebody_who_spoke_about_it() -> None:
    for case_id, other in (
        ("infe-03", "I think the pain comes from the heart because it spreads to the arm"),
        ("card-03", "It is the gall bladder, because the pain came after a fatty meal."),
        ("endo-01", "His ankle is sprained, so rest and ice will do."),
    ):
        reason = _reason(case_id, other)
        assert not any(pitfall.right in reason for pitfall in case_named(case_id).pitfalls), reason
        assert "facts of this case" in reason
    case = case_named("card-03")
    reason = _reason("card-03", f"{case.pitfalls[0].wrong}.")
    assert case.pitfalls[0].right in reason and case.pitfalls[1].right not in reason
