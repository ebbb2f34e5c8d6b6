from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from polyclinic.clinics.rounds.rewards import PENALTY
from polyclinic.clinics.rounds.rules.thinking import write_output, write_thinking
from polyclinic.clinics.rounds.rules.view import TurnContext
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import Store, open_store
from polyclinic.training.grading import open_grader
from polyclinic.training.grading_pool import GradingPlan, grading
from polyclinic.training.trl_reward import RewardFunction, grading_thread, text_of
from tests.clinics.rounds.cases import case_named

ROUNDS = load_clinic("rounds")
NAMES = ("Ann", "Ben")


def _context(organ: str = "the heart") -> str:
    case = case_named("card-03")
    said = {name: f"{name} thinks that it is {organ}." for name in NAMES}
    return TurnContext(
        vignette=case.vignette,
        question=case.question,
        options=case.options,
        answer=case.answer_text,
        explanation=case.explanation,
        steps=case.steps,
        pitfalls=case.pitfalls,
        names=NAMES,
        round=1,
        captions=(),
        said=said,
    ).model_dump_json()


def _output(question: str = case_named("card-03").steps[0].key_question) -> str:
    students = [(name, f"{name} sees the heart and misses the rhythm.") for name in NAMES]
    thinking = write_thinking(
        "They begin.", case_named("card-03").steps[0].step_summary, students, "Ann and Ben agree."
    )
    return write_output(thinking, f"Thank you, Ann and Ben. {question}")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(f"sqlite:///{tmp_path}/grades.db") as opened:
        yield opened


async def test_no_judgement_is_paid_twice_even_after_a_restart(store: Store) -> None:
    outputs = [_output(), _output("Which part of the picture surprises you?"), _output()]
    contexts = [_context()] * 3
    async with open_grader(ROUNDS, "", store) as grader:
        first = await grader.grade_all(contexts, outputs)
        assert grader.paid == 2 * 3, "three rubrics for each different output"
    async with open_grader(ROUNDS, "", store) as again:
        assert await again.grade_all(contexts, outputs) == first
        assert again.paid == 0


async def test_an_output_with_a_broken_form_is_vetoed_without_asking_a_judge(store: Store) -> None:
    async with open_grader(ROUNDS, "", store) as grader:
        grade = await grader.grade(_context(), "What do you think, all of you?")
        assert grade is not None and grade.value == PENALTY and grade.vetoed == ("IS-1",)
        assert grade.scores == {"is_1": -2}, "what nobody judged has no score"
        assert grader.paid == 0


async def test_a_failed_judge_drops_the_output_and_a_judge_that_always_fails_stops_the_run(store: Store) -> None:
    broken = "judge=understudy:mistake=off_scale@1,all=understudy"
    async with open_grader(ROUNDS, broken, store) as grader:
        assert await grader.grade(_context(), _output()) is None
        assert sum(grader.failures.values()) == 1
        kept = await grader.grade_all([_context()] * 2, [_output(), "no form"])
        assert kept[0] is None and kept[1] is not None
        with pytest.raises(ConfigError, match="failed on all 2 outputs"):
            await grader.grade_all([_context()] * 2, [_output(), _output("Why?")])


async def test_the_plain_reward_has_one_score_and_no_veto(store: Store) -> None:
    async with open_grader(ROUNDS, "", store, reward="plain") as grader:
        good, bare = await grader.grade_all([_context()] * 2, [_output(), "It is the heart."])
    assert good is not None and bare is not None
    assert 1 <= bare.value < good.value <= 10 and not bare.vetoed
    with pytest.raises(UnknownName, match="plain"):
        async with open_grader(ROUNDS, "", store, reward="shiny"):
            pass


async def test_a_clinic_without_a_reward_says_so(store: Store) -> None:
    with pytest.raises(ConfigError, match="no reward"):
        async with open_grader(load_clinic("demo"), "", store):
            pass


def test_the_reward_function_gives_a_trainer_numbers_and_logs_the_criteria(tmp_path: Path) -> None:
    logged: dict[str, float] = {}
    with grading_thread("rounds", "", f"sqlite:///{tmp_path}/g.db") as grades:
        reward = RewardFunction(grades)
        chat = [{"role": "assistant", "content": _output()}]
        found = reward([chat, "no form"], [_context()] * 2, log_metric=logged.__setitem__, prompts=["", ""])
    assert found[0] is not None and found[0] > 0 and found[1] == PENALTY
    assert logged["veto"] == 0.5 and logged["ungraded"] == 0 and logged["criterion/is_1"] == 0
    assert logged["criterion/is_3"] == 2, "only outputs that were judged count"
    assert reward.account().new_calls == 3 and reward.account().outputs == 2


@pytest.mark.slow
def test_several_processes_grade_like_one_and_find_their_judgements_again(tmp_path: Path) -> None:
    moments = [_context(said) for said in ("the heart", "the lungs", "the kidneys", "the liver")]
    contexts, outputs = [*moments, *moments], [*([_output()] * 4), *(["no form"] * 4)]
    plan, stores = GradingPlan("rounds", ""), [f"sqlite:///{tmp_path}/{name}.db" for name in "ab"]
    with grading(plan, [f"sqlite:///{tmp_path}/alone.db"]) as alone:
        expected = alone.grades(contexts, outputs)
    with grading(plan, stores) as several:
        assert several.grades(contexts, outputs) == expected
        assert several.paid == 4 * 3 and not several.failures
    with grading(plan, stores) as again:
        assert again.grades(contexts, outputs) == expected
        assert again.paid == 0


_GRADES = """
import multiprocessing, pathlib, sys, time
from polyclinic.training.grading_pool import GradingPlan, grading
if __name__ == "__main__":
    home = pathlib.Path(sys.argv[1])
    contexts = home.joinpath("contexts").read_text().splitlines()
    with grading(GradingPlan("rounds", ""), [f"sqlite:///{home}/{name}.db" for name in "ab"]) as several:
        several.grades(contexts, ["no form"] * len(contexts))
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        time.sleep(600)
"""


@pytest.mark.slow
def test_grading_processes_end_with_a_run_that_was_killed(tmp_path: Path) -> None:
    organs = ("the heart", "the lungs", "the kidneys", "the liver", "the brain", "the skin")
    (tmp_path / "contexts").write_text("\n".join(_context(organ) for organ in organs))
    (tmp_path / "grades.py").write_text(_GRADES)
    line = [sys.executable, str(tmp_path / "grades.py"), str(tmp_path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        parent.kill()
    assert len(children) == 2
    ends = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < ends, "a child outlived the run"
        time.sleep(0.1)


def test_the_text_parts_of_a_completion_are_joined() -> None:
    assert (
        text_of([{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}])
        == "ab"
    )
