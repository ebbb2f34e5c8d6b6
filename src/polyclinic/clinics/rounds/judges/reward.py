"""The training reward of each turn: IS-1 by rule, six criteria by rubric, combined with the veto.

The thinking and the first draft of each turn are judged, because the tutor's model wrote them. Later drafts, which
reviewers changed, are not judged. Training rows ask for the reward of their own target (`rubric_reward`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from polyclinic.clinics.rounds.rewards import CRITERIA, JUDGED, PENALTY, Reward, combine, reward, structure
from polyclinic.clinics.rounds.rules.thinking import NotAsAsked, TutorOutput, read_output, write_output
from polyclinic.clinics.rounds.rules.view import (
    TurnContext,
    TutorRound,
    group_of,
    output_view,
    taught_case,
    turn_view,
    tutor_rounds,
)
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score, Started
from polyclinic.errors import JudgeError
from polyclinic.eval.criteria import Rubric
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.eval.view import View

RUBRICS = ("structure", "analysis", "safety")
RoundsCase = Case[TeachingCase, RoundsVariant]


def metric_name(criterion: str) -> str:
    """A criterion such as ``IS-1`` as the name of a metric."""
    return criterion.lower().replace("-", "_")


def judged_turns(case: RoundsCase) -> list[TutorRound]:
    """The turns of a tutor that must write down its thinking, even turns without it. A person's turns are left out."""
    person = case.transcript.of(Started)[0].cast.get("tutor") == "human"
    return [] if person or case.variant.tutor != "socratic" else tutor_rounds(case.transcript)


def _views(case: RoundsCase) -> Mapping[str, View]:
    return {f"round {turn.round}": turn_view(case.transcript, turn) for turn in judged_turns(case)}


@lru_cache(maxsize=1)
def _shipped() -> tuple[Rubric, ...]:
    return tuple(package_rubric("polyclinic.clinics.rounds", f"data/rubrics/{name}.toml") for name in RUBRICS)


@lru_cache(maxsize=1)
def _plain() -> Rubric:
    return package_rubric("polyclinic.clinics.rounds", "data/rubrics/overall.toml")


async def rubric_reward(context: TurnContext, output: str, bench: Bench) -> Reward:
    """The three-axis reward of any output in this context. If its form already brings the veto, no judge is asked."""
    with_images = bool(context.captions)
    if structure(output, context.names, with_images)[0] < 0:
        return _given(reward(output, context.names, with_images, None))
    read = read_output(output)
    view = output_view(context, read.monologue, read.guidance)
    by_name = {metric_name(criterion): criterion for criterion in JUDGED}
    judged: dict[str, int] = {}
    for rubric in _shipped():
        for score in await RubricJudge(rubric, name="reward").score_view(view, bench):
            if score.metric in by_name:
                judged[by_name[score.metric]] = int(score.value)
    return _given(reward(output, context.names, with_images, judged))


def _given(made: Reward | None) -> Reward:
    if made is None:
        raise JudgeError("no judgement for an output whose form is right")
    return made


async def plain_reward(context: TurnContext, output: str, bench: Bench) -> float:
    """One overall score from 1 to 10, without criteria, form or veto. The rubric is compared with it."""
    try:
        read = read_output(output)
    except NotAsAsked:
        read = TutorOutput(monologue="", guidance=output)
    view = output_view(context, read.monologue, read.guidance or "(nothing)")
    return (await RubricJudge(_plain(), name="overall").score_view(view, bench))[0].value


class RewardJudge:
    """Scores every turn on the seven criteria and the combined reward."""

    name = "reward"

    k_samples = 1

    def _rubrics(self) -> tuple[RubricJudge[TeachingCase, RoundsVariant], ...]:
        return tuple(RubricJudge(rubric, k_samples=self.k_samples, view=_views, name="reward") for rubric in _shipped())

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The seven criteria and the reward."""
        judged = tuple(metric for rubric in self._rubrics() for metric in rubric.metrics)
        form = Metric(metric_name("IS-1"), "the form of the tutor's output, by rule", True, -2, 2, title="form")
        return (form, *judged, Metric("reward", "training reward of a turn; the veto makes it -15", True, PENALTY, 14))

    async def score(self, case: RoundsCase, bench: Bench) -> list[Score]:
        """The scores of every turn; an unreadable reply of the judge raises an error, and then no turn has a reward."""
        turns = judged_turns(case)
        if not turns:
            return []
        judged = [score for rubric in self._rubrics() for score in await rubric.score(case, bench)]
        names, with_images = group_of(case.transcript), bool(taught_case(case.transcript).images)
        scores = list(judged)
        for turn in turns:
            form, reason = structure(write_output(turn.monologue, turn.drafts[0]), names, with_images)
            scores += self._combined(f"round {turn.round}", form, reason, judged)
        return scores

    @staticmethod
    def _combined(subject: str, form: int, reason: str, judged: list[Score]) -> list[Score]:
        by_name = {metric_name(criterion): criterion for criterion in JUDGED}
        samples = sorted({score.sample for score in judged})
        made = [Score(metric=metric_name("IS-1"), value=form, judge="reward", subject=subject, reason=reason)]
        for sample in samples:
            found = {
                by_name[score.metric]: int(score.value)
                for score in judged
                if score.subject == subject and score.sample == sample and score.metric in by_name
            }
            result = combine({"IS-1": form, **found})
            why = f"veto: {', '.join(result.vetoed)}" if result.vetoed else f"sum of {len(CRITERIA)} criteria"
            made.append(
                Score(metric="reward", value=result.value, judge="reward", sample=sample, subject=subject, reason=why)
            )
        return made
