from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from polyclinic.core.judge import Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.errors import JudgeError, UserError
from polyclinic.eval.rules import RuleJudge, mark, rule_judge

TURNS = Metric("turns", "spoken turns", higher_is_better=False, high=math.inf)
SHARE = Metric("share", "a share")
CaseOf = Callable[..., Case]


async def test_the_decorator_makes_a_judge_that_puts_its_name_on_its_scores(case_of: CaseOf) -> None:
    @rule_judge("length", TURNS)
    def length(case: Case) -> Score:
        return mark("turns", len(case.transcript.said()), reason="counted", evidence=["hello"], subject="all", weight=2)

    (score,) = await length.score(case_of("a: hello", "b: yes"), bench=None)  # type: ignore[arg-type]
    assert score == Score(
        metric="turns", value=2.0, judge="length", subject="all", reason="counted", evidence=("hello",), weight=2.0
    )
    assert length.name == "length" and length.metrics == (TURNS,)


def test_a_rule_that_does_not_apply_scores_nothing(case_of: CaseOf) -> None:
    assert RuleJudge("r", [SHARE], lambda case: []).apply(case_of()) == []


def test_a_crash_inside_the_rule_is_the_judges_failure(case_of: CaseOf) -> None:
    judge = RuleJudge("r", [SHARE], lambda case: [mark("share", 1 / len(case.transcript))])
    with pytest.raises(JudgeError, match=r"the rule on s1: ZeroDivisionError"):
        judge.apply(case_of())


def test_a_crash_while_yielding_is_caught_as_well(case_of: CaseOf) -> None:
    def rule(case: Case):  # type: ignore[no-untyped-def]
        yield mark("share", 1)
        raise KeyError("later")

    with pytest.raises(JudgeError, match="later"):
        RuleJudge("r", [SHARE], rule).apply(case_of())


def test_a_reason_or_evidence_that_is_not_text_is_the_judges_failure(case_of: CaseOf) -> None:
    with pytest.raises(JudgeError, match="reason"):
        RuleJudge("r", [SHARE], lambda case: mark("share", 1, reason=7)).apply(case_of())  # type: ignore[arg-type]
    with pytest.raises(JudgeError, match="evidence"):
        RuleJudge("r", [SHARE], lambda case: mark("share", 1, evidence=["a", None])).apply(case_of())  # type: ignore[list-item]


def test_a_user_error_inside_a_rule_stays_a_user_error(case_of: CaseOf) -> None:
    def rule(case: Case) -> Score:
        raise UserError("your norm file is wrong")

    with pytest.raises(UserError, match="norm file"):
        RuleJudge("r", [SHARE], rule).apply(case_of())


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        (mark("other", 1), "scored 'other'"),
        (mark("share", 1.5), "outside 0 to 1"),
        (mark("share", math.nan), "outside"),
        (mark("turns", math.inf), "outside"),
        (mark("share", 1, weight=-1), "weight"),
    ],
)
def test_a_value_its_metric_does_not_allow_is_refused(case_of: CaseOf, score: Score, fault: str) -> None:
    with pytest.raises(JudgeError, match=fault):
        RuleJudge("r", [SHARE, TURNS], lambda case: score).apply(case_of())


def test_a_judge_without_metrics_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="declares no metric"):
        RuleJudge("r", [], lambda case: [])
