"""Pairwise preference: which of two texts is better, asked in both orders.

A verdict that changes with the order is a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.scenario import S_contra, V_contra
from polyclinic.core.transcript import Score
from polyclinic.errors import JudgeError, ReplyError, boundary
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.prompts import JudgesPair, Preferred
from polyclinic.eval.view import View, whole_dialogue

Winner = Literal["a", "b", "draw"]
_VOTES: dict[str, Winner] = {"first": "a", "second": "b", "neither": "draw"}
_SWAPPED_VOTES: dict[str, Winner] = {"first": "b", "second": "a", "neither": "draw"}


@dataclass(frozen=True)
class PairPreference:
    """One pair judged in both orders. `consistent` is False when the order decided."""

    winner: Winner
    consistent: bool
    reasons: tuple[str, str]
    sample: int = 0

    @property
    def value(self) -> float:
        """1 when a wins, 0.5 for a draw, 0 when b wins."""
        return {"a": 1.0, "draw": 0.5, "b": 0.0}[self.winner]


def settle(forward: Preferred, backward: Preferred, sample: int = 0) -> PairPreference:
    """The verdict from both orders: in `forward`, a was shown first; in `backward`, b was."""
    vote, swapped = _VOTES[forward.better], _SWAPPED_VOTES[backward.better]
    same = vote == swapped
    return PairPreference(vote if same else "draw", same, (forward.reason, backward.reason), sample)


class PairwiseJudge(Generic[S_contra, V_contra]):
    """Asks a model which of two texts is better on one question, `k_samples` times, each in both orders.

    With `metric` and `against` it is also a judge of single episodes. It compares what `view` shows of the case with
    what `against` shows (a reference answer, a baseline's words). 1 is a win of the episode, 0.5 a draw, 0 a loss.
    """

    def __init__(
        self,
        name: str,
        question: str,
        *,
        k_samples: int = 1,
        role: str = "judge",
        metric: str = "",
        view: Callable[[Case[S_contra, V_contra]], View] = whole_dialogue,
        against: Callable[[Case[S_contra, V_contra]], View] | None = None,
        context: Callable[[Case[S_contra, V_contra]], str] = lambda case: "",
    ) -> None:
        if k_samples < 1:
            raise ValueError("a pairwise judge takes at least one sample")
        self.name, self.question, self.k_samples, self.role = name, question, k_samples, role
        self._metric = Metric(metric or name, question)
        self.metrics = (self._metric,)
        self._view, self._against, self._context = view, against, context

    async def prefer(self, a: View, b: View, bench: Bench, context: str = "", sample: int = 0) -> PairPreference:
        """The preference between two texts, judged in both orders."""
        agent = bench.agent(self.role)

        def prompt(first: View, second: View) -> JudgesPair:
            return JudgesPair(
                judge=self.name,
                question=self.question,
                context=context,
                first=first.text,
                second=second.text,
                first_facts=first.facts,
                second_facts=second.facts,
            )

        try:
            forward = await agent.ask(prompt(a, b), sample=sample)
            backward = await agent.ask(prompt(b, a), sample=sample)
        except ReplyError as error:
            raise JudgeError(str(error), prompt=error.prompt, calls=error.calls) from error
        return settle(forward, backward, sample)

    async def compare(
        self, a: Case[S_contra, V_contra], b: Case[S_contra, V_contra], bench: Bench
    ) -> list[PairPreference]:
        """The preferences between two episodes of one scenario, one for each sample."""
        with boundary("judge", f"choosing what to compare in {a.scenario.id}"):
            ours, theirs, context = self._view(a), self._view(b), self._context(a)
        return [await self.prefer(ours, theirs, bench, context, sample) for sample in range(self.k_samples)]

    async def score(self, case: Case[S_contra, V_contra], bench: Bench) -> list[Score]:
        """Score the episode against its reference; no score if either text is empty."""
        if self._against is None:
            raise JudgeError("has nothing to compare an episode with: give it 'against'")
        with boundary("judge", f"choosing what to compare in {case.scenario.id}"):
            ours, theirs, context = self._view(case), self._against(case), self._context(case)
        if not ours.text.strip() or not theirs.text.strip():
            return []
        scores = []
        for sample in range(self.k_samples):
            found = await self.prefer(ours, theirs, bench, context, sample)
            reason = found.reasons[0] if found.consistent else f"the order decided: {' | '.join(found.reasons)}"
            scores.append(
                Score(metric=self._metric.name, value=found.value, judge=self.name, sample=sample, reason=reason)
            )
        return scores


@dataclass(frozen=True)
class WinRate:
    """How often a was preferred to b; draws count half.

    `consistent` is the share of pairs that the order did not decide.
    """

    rate: Estimate
    wins: int
    draws: int
    losses: int
    consistent: float


def win_rate(preferences: Iterable[PairPreference], clusters: Sequence[str] | None = None) -> WinRate | None:
    """The share of pairs that a won, with its interval (clustered, say by scenario); None without pairs."""
    found = list(preferences)
    rate = estimate([item.value for item in found], clusters=clusters, bounds=(0.0, 1.0))
    if rate is None:
        return None
    count = {winner: sum(item.winner == winner for item in found) for winner in ("a", "draw", "b")}
    return WinRate(rate, count["a"], count["draw"], count["b"], sum(item.consistent for item in found) / len(found))
