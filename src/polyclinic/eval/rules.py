"""Judges that are code: a function over a transcript, made into a judge.

::

    TURNS = Metric("turns", "spoken turns", higher_is_better=False, high=math.inf)

    @rule_judge("length", TURNS)
    def length(case: Case) -> Score:
        return mark("turns", len(case.transcript.said()))

The function returns one `mark`, several, or none if the rule does not apply to the episode. An exception
inside it becomes a `JudgeError`: that judge gives no score in that episode, and the failure is counted separately.

A reading judge works like a rule judge, except that it waits for a reader, which says what words mean::

    RUDE = Metric("rude", "share of rude turns", higher_is_better=False, rests_on=("demo-rude",))

    @reading_judge("manners", RUDE)
    async def manners(case: Case, bench: Bench) -> Score:
        found = [(await bench.reads(said.text, [RUDENESS.ask()]))[0].yes for said in case.transcript.said("clerk")]
        return mark("rude", sum(found) / len(found))

If the reader fails, the reader owns the failure.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Generic, TypeVar

from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.scenario import S, S_contra, V, V_contra
from polyclinic.core.transcript import Score
from polyclinic.errors import JudgeError, boundary

_judging: ContextVar[str] = ContextVar("polyclinic_judging", default="")
RuleFunction = Callable[[Case[S, V]], Score | Iterable[Score]]
Function = TypeVar("Function")


@contextmanager
def judging(name: str) -> Iterator[None]:
    """Inside this block, new marks belong to this judge."""
    before = _judging.set(name)
    try:
        yield
    finally:
        _judging.reset(before)


def mark(
    metric: str,
    value: float,
    *,
    reason: str = "",
    evidence: Iterable[str] = (),
    subject: str = "",
    weight: float = 1.0,
) -> Score:
    """A score of the judge that is judging now.

    `subject` distinguishes several scores of one metric in one episode (a student, a turn). `weight` is the value's
    weight in means: a rate over 7 chances has the weight 7.
    """
    evidence = tuple(evidence)
    for word in (metric, subject, reason, *evidence):
        if word.__class__ is not str and not isinstance(word, str):
            raise TypeError(f"a score's metric, subject, reason and evidence must be text, not {word!r}")
    return Score(
        metric=metric,
        value=float(value),
        judge=_judging.get(),
        subject=subject,
        reason=reason,
        evidence=evidence,
        weight=float(weight),
    )


def check_scores(scores: Iterable[Score], judge: str, metrics: Iterable[Metric]) -> list[Score]:
    """The scores with the judge's name added. Raises `JudgeError` for a number that its metric does not allow."""
    known = {metric.name: metric for metric in metrics}
    checked: list[Score] = []
    for score in scores:
        metric = known.get(score.metric)
        if metric is None:
            raise JudgeError(f"scored '{score.metric}', but {judge} declares only {', '.join(sorted(known))}")
        if not math.isfinite(score.value) or not metric.low <= score.value <= metric.high:
            raise JudgeError(f"{score.metric} = {score.value} is outside {metric.low:g} to {metric.high:g}")
        if not math.isfinite(score.weight) or score.weight < 0:
            raise JudgeError(f"{score.metric} has the weight {score.weight}: a weight must be finite and at least 0")
        checked.append(score if score.judge == judge else replace(score, judge=judge))
    return checked


class CodedJudge(Generic[Function]):
    """What judges that are code have in common: a name, metrics whose ranges are enforced, and the function."""

    def __init__(self, name: str, metrics: Iterable[Metric], function: Function) -> None:
        self.name, self.metrics, self._function = name, tuple(metrics), function
        if not self.metrics:
            raise ValueError(f"the judge '{name}' declares no metric")

    def checked(self, found: Score | Iterable[Score]) -> list[Score]:
        """The scores as a list, each checked against its metric's range."""
        return check_scores([found] if isinstance(found, Score) else found, self.name, self.metrics)


class RuleJudge(CodedJudge[RuleFunction[S_contra, V_contra]], Generic[S_contra, V_contra]):
    """A judge that is code. A score outside its metric's range is refused: write ``high=math.inf`` for counts."""

    def apply(self, case: Case[S_contra, V_contra]) -> list[Score]:
        """The scores of one case. Rules need no bench."""
        with boundary("judge", f"the rule on {case.scenario.id}"), judging(self.name):
            return self.checked(self._function(case))

    async def score(self, case: Case[S_contra, V_contra], bench: Bench) -> list[Score]:
        """The scores, or `JudgeError`."""
        return self.apply(case)


def rule_judge(name: str, *metrics: Metric) -> Callable[[RuleFunction[S, V]], RuleJudge[S, V]]:
    """Decorator: ``@rule_judge("name", Metric(...), ...)`` over a function from a case to its marks."""
    return lambda function: RuleJudge(name, metrics, function)


ReadingFunction = Callable[[Case[S, V], Bench], Awaitable[Score | Iterable[Score]]]


class ReadingJudge(CodedJudge[ReadingFunction[S_contra, V_contra]], Generic[S_contra, V_contra]):
    """A judge that is code and asks the reader."""

    async def score(self, case: Case[S_contra, V_contra], bench: Bench) -> list[Score]:
        """The scores, or `JudgeError`."""
        with boundary("judge", f"the readings of {case.scenario.id}"), judging(self.name):
            return self.checked(await self._function(case, bench))


def reading_judge(name: str, *metrics: Metric) -> Callable[[ReadingFunction[S, V]], ReadingJudge[S, V]]:
    """Decorator: ``@reading_judge("name", Metric(...), ...)`` over an async function from a case and a bench."""
    return lambda function: ReadingJudge(name, metrics, function)
