"""Judges read a transcript and its scenario, and return scores. Rule judges are code; rubric judges ask a model.

A judge whose reply cannot be read raises `JudgeError`. It gives no score, and the failure is counted separately, never
as a zero.

Several scores of one metric are combined into one number in the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from polyclinic.core.reading import Finding, Question
from polyclinic.core.scenario import S_co, S_contra, V_co, V_contra
from polyclinic.core.transcript import Score, Transcript
from polyclinic.core.value import unchanging

if TYPE_CHECKING:
    from polyclinic.core.agent import Agent

T = TypeVar("T")


@dataclass(frozen=True)
class Metric:
    """What a number means: its direction, its range and one line about it.

    `rests_on` names the kinds of reading that the number comes from: those that the judge asks, and those whose answers
    made a decision that it counts (a draft that was refused). A number that comes from no reading is exact, or comes
    from the judge itself. `follows` names the other kinds by whose answers the flow decided what was said: the number
    is right without them, but with other answers there would have been another talk to count in. `title` says in words
    what a name like "nvr" stands for. `yes_no` says that one episode scores 1 (yes) or 0 (no).
    """

    name: str
    about: str
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0
    rests_on: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    title: str = ""
    yes_no: bool = False

    @property
    def label(self) -> str:
        """What readers see: the title with the name behind it, or the name in plain words."""
        return f"{self.title} ({self.name})" if self.title else self.name.replace("_", " ")


class Bench(Protocol):
    """What a judge works with. It may ask models in judging roles; these calls are journalled like any other."""

    def agent(self, role: str = "judge") -> Agent:
        """An agent in a judging role."""
        ...

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """Ask the reader what a text means. It is the same reader that the flow asks."""
        ...

    async def together(self, *branches: Coroutine[Any, Any, T]) -> list[T]:
        """Run branches concurrently, for calls that are independent. Results are in the order of the branches."""
        ...


@unchanging
class Case(Generic[S_co, V_co]):
    """What a judge may see."""

    scenario: S_co
    variant: V_co
    transcript: Transcript
    trial: int = 0


class Judge(Protocol[S_contra, V_contra]):
    """Scores one episode."""

    @property
    def name(self) -> str:
        """Names the judge on the command line and in scores."""
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that the judge measures."""
        ...

    async def score(self, case: Case[S_contra, V_contra], bench: Bench) -> list[Score]:
        """The scores, or `JudgeError`."""
        ...


def weighted_value(scores: Sequence[Score]) -> tuple[float, float] | None:
    """(value, weight) of one episode from one metric's scores; None when nobody scored it.

    Samples of a judge are averaged first, then judges, then subjects by their weight. The weight is the sum of the
    subjects' weights.
    """
    if len(scores) == 1:  # nearly always the case, and this runs at the end of every episode
        (only,) = scores
        return (only.value * only.weight / only.weight, only.weight) if only.weight > 0 else (only.value, 0.0)
    cells: dict[str, dict[str, list[Score]]] = {}
    for score in scores:
        cells.setdefault(score.subject, {}).setdefault(score.judge, []).append(score)
    total = weight = plain = 0.0
    for judges in cells.values():
        means = [sum(score.value for score in samples) / len(samples) for samples in judges.values()]
        weights = [sum(score.weight for score in samples) / len(samples) for samples in judges.values()]
        value, subject_weight = sum(means) / len(means), sum(weights) / len(weights)
        total, weight, plain = total + value * subject_weight, weight + subject_weight, plain + value
    if not cells:
        return None
    return (total / weight, weight) if weight > 0 else (plain / len(cells), 0.0)


def values_of(scores: Sequence[Score]) -> dict[str, float]:
    """The combined value of each metric that was scored."""
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.metric, []).append(score)
    valued = {metric: weighted_value(mine) for metric, mine in found.items()}
    return {metric: value[0] for metric, value in valued.items() if value is not None}
