"""The offline judge of a turn knows which steps the group has made.

The aim must be the next step, and the question must lead to a missing one.
"""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.rules.thinking import write_output, write_thinking
from polyclinic.clinics.rounds.rules.view import TurnContext
from polyclinic.runner.registry import load_clinic
from polyclinic.training.grading import open_grader
from tests.clinics.rounds.cases import case_named

CASE = case_named("card-01")
FIRST, SECOND, THIRD = (step.step_summary for step in CASE.steps[:3])
ASKS_FIRST = CASE.steps[0].key_question


def _context(held: tuple[int, ...]) -> str:
    """A group of two whose reports show these steps."""
    shown = " ".join(f"I see this: {CASE.steps[number].step_summary}" for number in held) or "I do not know."
    return TurnContext(
        vignette=CASE.vignette,
        question=CASE.question,
        options=CASE.options,
        answer=CASE.answer_text,
        explanation=CASE.explanation,
        steps=CASE.steps,
        pitfalls=CASE.pitfalls,
        names=("Ann", "Ben"),
        round=2,
        captions=(),
        said={"Ann": shown, "Ben": shown},
    ).model_dump_json()


async def _score(criterion: str, aim: str, words: str, held: tuple[int, ...]) -> float:
    students = [("Ann", "Ann needs a hint."), ("Ben", "Ben is quiet.")]
    output = write_output(write_thinking("They go on.", aim, students, "Ann and Ben agree."), words)
    async with open_grader(load_clinic("rounds")) as grader:
        made = await grader.grade(_context(held), output)
    assert made is not None
    return made.scores[criterion]


@pytest.mark.parametrize(
    ("aim", "held", "grade"),
    [
        (FIRST, (), 2),
        (f"Step 2 is next: {SECOND}", (0,), 2),
        (THIRD, (0,), 1),
        (FIRST, (0,), -1),
        ("They should be happy.", (0,), -2),
    ],
)
async def test_the_aim_must_be_the_step_that_the_group_has_not_made(
    aim: str, held: tuple[int, ...], grade: int
) -> None:
    assert await _score("is_2", aim, "Ann, Ben: what now?", held) == grade


@pytest.mark.parametrize(
    ("words", "held", "grade"),
    [
        (f"Thank you, Ann and Ben. {ASKS_FIRST}", (), 2),
        (f"Thank you, Ann. {ASKS_FIRST}", (), 1),
        (f"Ann, usually this is called urgent. {ASKS_FIRST}", (), 1),
        ("Let us go on. Ann, how would you answer Ben on this?", (), 0),
        (f"Thank you, Ann and Ben. {ASKS_FIRST}", (0, 1, 2), 0),
        ("Ann and Ben, think about it.", (), -2),
        (f"Ann and Ben, the right answer is: {CASE.answer_text}. Do you see why?", (), -2),
    ],
)
async def test_a_useful_question_leads_the_group_to_a_missing_step(
    words: str, held: tuple[int, ...], grade: int
) -> None:
    assert await _score("is_3", FIRST, words, held) == grade
