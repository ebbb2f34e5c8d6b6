"""Rubric judges: a model scores a view of the transcript against a rubric, K times; each reason comes before its score.

::

    judge = RubricJudge(package_rubric("polyclinic.clinics.demo", "data/warmth.toml"), k_samples=3)

Code enforces what a rubric promises: every criterion answered once, every score a whole number on its scale (see
`eval.sheet`), every quote found in the words the judge was shown. If an answer breaks this, the judge is told what was
wrong and asked again, at most twice. Then the judge has failed, and a failed judge gives no score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Generic

from polyclinic.core.judge import Bench, Case
from polyclinic.core.scenario import S_contra, V_contra
from polyclinic.core.transcript import Score
from polyclinic.errors import JudgeError, ReplyError, boundary
from polyclinic.eval.criteria import Criterion, Flag, Rubric
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.eval.rules import check_scores
from polyclinic.eval.sheet import RubricJudged
from polyclinic.eval.view import View, whole_dialogue
from polyclinic.text.normal import normalise

_ELLIPSIS = re.compile(r"\s*\.{3,}\s*")


def missing_quotes(quotes: Iterable[str], text: str) -> list[str]:
    """The quotes that do not occur in the text, in order; empty quotes count as missing."""
    plain = normalise(text)
    return [quote for quote in quotes if not _occurs(normalise(quote), plain)]


def _occurs(quote: str, text: str) -> bool:
    """Whether a quote occurs in a text. With an ellipsis, all its parts must occur in their order."""
    bare = quote.strip("\"' ")
    parts = [part for part in _ELLIPSIS.split(bare) if part]
    if not parts:
        return False
    if bare in text:
        return True
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


REASKS = 2


class RubricJudge(Generic[S_contra, V_contra]):
    """Asks a model in a judging role to score a view of the transcript against a rubric.

    `view` says what of the case the judge sees: one view, or several by subject (a student, a turn), each judged
    separately. A view without words is not judged. With `apart`, each criterion is judged in a separate call, so that
    none influences another.
    """

    def __init__(
        self,
        rubric: Rubric,
        *,
        k_samples: int = 1,
        role: str = "judge",
        view: Callable[[Case[S_contra, V_contra]], View | Mapping[str, View]] = whole_dialogue,
        name: str = "",
        apart: bool = False,
    ) -> None:
        if k_samples < 1:
            raise ValueError("a rubric judge takes at least one sample")
        self.rubric, self.role, self.view = rubric, role, view
        self.k_samples, self.apart = k_samples, apart
        self.name, self.metrics = name or rubric.id, rubric.metrics()

    async def score(self, case: Case[S_contra, V_contra], bench: Bench) -> list[Score]:
        """The scores of every sample, each marked with its number; or `JudgeError`, and no score at all."""
        with boundary("judge", f"choosing what to judge in {case.scenario.id}"):
            shown = self.view(case)
            views = {"": shown} if isinstance(shown, View) else dict(shown)
        scores = [score for subject, view in views.items() for score in await self.score_view(view, bench, subject)]
        return check_scores(scores, self.name, self.metrics)

    async def score_view(self, view: View, bench: Bench, subject: str = "") -> list[Score]:
        """The scores of one view, which need not come from a transcript; empty for a view without words."""
        scores: list[Score] = []
        if view.text.strip():
            for sample in range(self.k_samples):
                scores.extend(self._scores(await self._judge(view, bench, sample), subject, sample))
        return scores

    async def _judge(self, view: View, bench: Bench, sample: int) -> RubricJudged:
        if not self.apart:
            return await self._ask(view, self.rubric.criteria, self.rubric.flags, bench, sample)
        replies = [await self._ask(view, (item,), (), bench, sample) for item in self.rubric.criteria]
        if self.rubric.flags:
            replies.append(await self._ask(view, (), self.rubric.flags, bench, sample))
        return RubricJudged(
            criteria=tuple(item for reply in replies for item in reply.criteria),
            flags=tuple(item for reply in replies for item in reply.flags),
        )

    async def _ask(
        self, view: View, criteria: tuple[Criterion, ...], flags: tuple[Flag, ...], bench: Bench, sample: int
    ) -> RubricJudged:
        agent = bench.agent(self.role)
        fault = ""
        for _ in range(REASKS + 1):
            prompt = JudgesRubric(
                rubric=self.rubric.id,
                title=self.rubric.title,
                instructions=self.rubric.instructions,
                criteria=criteria,
                flags=flags,
                view=view.text,
                facts=view.facts,
                fault=fault,
            )
            try:
                sheet = await agent.ask(prompt, sample=sample)
            except ReplyError as error:
                raise JudgeError(str(error), prompt=error.prompt, calls=error.calls) from error
            reply = sheet.judged([item.id for item in criteria], [flag.id for flag in flags])
            fault = judgement_fault(reply, view.text)
            if not fault:
                return reply
        raise JudgeError(f"no usable judgement in {REASKS + 1} tries (sample {sample}): {fault}")

    def _scores(self, judged: RubricJudged, subject: str, sample: int) -> list[Score]:
        raised = [item.flag for item in judged.flags if item.raised]
        outcome = self.rubric.conclude({item.criterion: item.score for item in judged.criteria}, raised)

        def made(metric: str, value: float, reason: str, quotes: tuple[str, ...]) -> Score:
            return Score(
                metric=metric,
                value=value,
                judge=self.name,
                sample=sample,
                subject=subject,
                reason=reason,
                evidence=quotes,
            )

        metric_of = {item.id: item.metric_name for item in self.rubric.criteria}
        scores = [
            made(metric_of[item.criterion], float(outcome.scores[item.criterion]), item.reason, item.quotes)
            for item in judged.criteria
        ]
        flag_metric = {flag.id: flag.metric for flag in self.rubric.flags}
        scores += [
            made(flag_metric[item.flag], float(item.raised), item.reason, item.quotes)
            for item in judged.flags
            if flag_metric[item.flag]
        ]
        if outcome.aggregate is not None:
            vetoed = f"veto: {'; '.join(outcome.vetoes)}" if outcome.vetoes else ""
            reason = vetoed or f"{self.rubric.aggregate} of the criteria"
            scores.append(made(self.rubric.metric, outcome.aggregate, reason, ()))
        return scores


def judgement_fault(reply: RubricJudged, view: str) -> str:
    """What makes this judgement unusable, in words that the judge can be shown; empty if it is usable.

    The sheet itself makes sure that each criterion is answered on its scale.
    """
    for raised in reply.flags:
        if raised.raised and not raised.quotes:
            return f"the flag '{raised.flag}' is raised without the words it rests on"
    quotes = [item.quotes for item in reply.criteria] + [raised.quotes for raised in reply.flags]
    invented = missing_quotes([quote for group in quotes for quote in group], view)
    if invented:
        return f"these words are not in the transcript, copy them exactly: {'; '.join(invented[:3])}"
    return ""
