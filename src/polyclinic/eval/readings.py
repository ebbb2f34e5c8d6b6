"""Reading judges: a function over a transcript that asks the reader what words mean, made into a judge.

::

    RUDE = Metric("rude", "share of rude turns", higher_is_better=False, rests_on=("demo-rude",))

    @reading_judge("manners", RUDE)
    async def manners(case: Case, bench: Bench) -> Score:
        found = [(await bench.reads(said.text, [RUDENESS.ask()]))[0].yes for said in case.transcript.said("clerk")]
        return mark("rude", sum(found) / len(found))

It works like a rule judge, except that it waits for the reader. Marks, ranges and errors are the same. If the reader
fails, the reader owns the failure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Generic

from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.scenario import S, S_contra, V, V_contra
from polyclinic.core.transcript import Score
from polyclinic.errors import boundary
from polyclinic.eval.rules import CodedJudge, judging

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
