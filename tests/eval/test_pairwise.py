from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from polyclinic.core.judge import Case
from polyclinic.core.transcript import Said
from polyclinic.errors import JudgeError
from polyclinic.eval.pairwise import PairPreference, PairwiseJudge, win_rate
from polyclinic.eval.rubric_understudy import PairUnderstudy
from polyclinic.eval.view import Conversation, View

CaseOf = Callable[..., Case]
BenchOf = Callable[..., Any]


class Shorter(PairUnderstudy[Conversation]):
    """A judge that prefers fewer characters."""

    def worth(self, judge: str, facts: Conversation) -> float:
        return -sum(len(said.text) for said in facts.said)


def shown(text: str) -> View:
    return View(text, Conversation(said=(Said(speaker="a", text=text),)))


def vote(better: str) -> str:
    return json.dumps({"reason": f"chose {better}", "better": better})


JUDGE = PairwiseJudge("brief", "Which is briefer?")


@pytest.mark.parametrize(
    ("forward", "backward", "winner", "consistent"),
    [
        ("first", "second", "a", True),
        ("second", "first", "b", True),
        ("neither", "neither", "draw", True),
        ("first", "first", "draw", False),
        ("second", "second", "draw", False),
        ("first", "neither", "draw", False),
    ],
)
async def test_only_a_verdict_that_stays_the_same_after_swapping_counts(
    bench_of: BenchOf, forward: str, backward: str, winner: str, consistent: bool
) -> None:
    bench = bench_of([vote(forward), vote(backward)])
    found = await JUDGE.prefer(shown("A text"), shown("B text"), bench)
    assert (found.winner, found.consistent) == (winner, consistent)
    first, second = (request.prompt for request in bench.requests)
    assert (first.first, first.second) == (second.second, second.first) == ("A text", "B text")


async def test_an_understudy_prefers_the_better_answer_and_its_bias_is_noticed(bench_of: BenchOf) -> None:
    assert (await JUDGE.prefer(shown("ab"), shown("abcd"), bench_of(Shorter()))).winner == "a"
    assert (await JUDGE.prefer(shown("ab"), shown("cd"), bench_of(Shorter()))).winner == "draw"
    biased = await JUDGE.prefer(shown("ab"), shown("abcd"), bench_of(Shorter(), {"first_bias": 1.0}))
    assert biased.winner == "draw" and not biased.consistent


async def test_two_cases_are_compared_once_for_each_sample(case_of: CaseOf, bench_of: BenchOf) -> None:
    bench = bench_of(Shorter())
    judge = PairwiseJudge("brief", "?", k_samples=2, context=lambda case: f"about {case.scenario.id}")
    found = await judge.compare(case_of("a: hi"), case_of("a: hello there"), bench)
    assert [item.winner for item in found] == ["a", "a"] and [item.sample for item in found] == [0, 1]
    assert bench.requests[0].prompt.context == "about s1" and len(bench.requests) == 4


async def test_an_episode_is_scored_against_its_reference(case_of: CaseOf, bench_of: BenchOf) -> None:
    judge = PairwiseJudge("brief", "?", metric="pref", against=lambda case: shown("a much longer reference"))
    (score,) = await judge.score(case_of("a: hi"), bench_of(Shorter()))
    assert (score.metric, score.value, score.judge) == ("pref", 1.0, "brief")
    assert await judge.score(case_of(), bench_of(Shorter())) == []
    with pytest.raises(JudgeError, match="against"):
        await JUDGE.score(case_of("a: hi"), bench_of(Shorter()))


async def test_an_unreadable_preference_gives_no_score(case_of: CaseOf, bench_of: BenchOf) -> None:
    with pytest.raises(JudgeError):
        await JUDGE.prefer(shown("a"), shown("b"), bench_of([vote("the former")] * 3))


def test_win_rates_count_draws_as_half_and_report_consistency() -> None:
    reasons = ("", "")
    found = win_rate(
        [PairPreference("a", True, reasons), PairPreference("draw", False, reasons), PairPreference("b", True, reasons)]
        * 4
    )
    assert found is not None
    assert found.rate.mean == 0.5 and (found.wins, found.draws, found.losses) == (4, 4, 4)
    assert found.consistent == pytest.approx(2 / 3)
    assert win_rate([]) is None
