"""How a shift is scored: norms, identity, role, social quality, task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.duty.judges.norms import norms, not_judged
from polyclinic.clinics.duty.judges.view import by_role, everybody, identities_of, lines_of, messages_of, norms_of
from polyclinic.clinics.duty.prompts.reflection import JudgesIdentity
from polyclinic.clinics.duty.prompts.views import TraitLine
from polyclinic.clinics.duty.readings import NORM, TEACHBACK, TRAIT
from polyclinic.clinics.duty.rules.norms.checker import read_dialogue
from polyclinic.clinics.duty.rules.notes import Spoke
from polyclinic.clinics.duty.rules.tasks import ChecklistItem, ShiftRead, checked, said_back
from polyclinic.clinics.duty.rules.traits.hearing import listened_to, persona_heard, shares, shown
from polyclinic.clinics.duty.rules.triggers import stated_level
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.core.embedding import Embedder
from polyclinic.core.judge import Bench, Case, Judge, Metric
from polyclinic.core.transcript import Score, Transcript
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.eval.rules import check_scores, mark, reading_judge
from polyclinic.people.traits import degree

ICS = Metric(
    "ics",
    "cosine distance between how the person spoke and the established persona",
    higher_is_better=False,
    high=2.0,
    rests_on=(TRAIT.name,),
    title="change of character, by manner",
)
ICS_LLM = Metric(
    "ics_llm",
    "distance between the speaker and the persona, by a model",
    higher_is_better=False,
    title="change of character, by judge",
)


class IdentityJudge:
    """The distance between how a person spoke in an episode and their established persona, for every role with traits.

    `ics` describes the person by the manners that the reader finds, and takes the cosine distance between this
    description and the established persona. `ics_llm` asks a model how similar the two are, as the paper's authors did.
    """

    name = "identity"
    metrics = (ICS, ICS_LLM)

    k_samples = 1

    async def score(self, case: Case, bench: Bench) -> list[Score]:
        """One `ics` for each role, and as many `ics_llm` as samples are wanted."""
        lines = lines_of(case.transcript)
        identities = identities_of(case.transcript)
        spoken = dict.fromkeys((role, message) for role in identities for message in messages_of(lines, role))
        await bench.together(*(shown(bench.reads, role, message) for role, message in spoken))
        scores: list[Score] = []
        for role, (persona, anchor) in identities.items():
            messages = messages_of(lines, role)
            if not messages:
                continue
            heard = persona_heard(role, await shares(bench.reads, role, messages))
            scores.append(_made("ics", self._distance(persona, heard), role, 0, heard))
            asked = JudgesIdentity(role=role, traits=persona_lines(role, anchor), messages=messages)
            for sample in range(self.k_samples):
                verdict = await bench.agent("judge").ask(asked, sample=sample)
                scores.append(_made("ics_llm", verdict.distance, role, sample, verdict.reason))
        return check_scores(scores, self.name, self.metrics)

    def _distance(self, established: str, heard: str) -> float:
        first, second = _embedder().embed([established, heard])
        return float(min(max(1.0 - float(first @ second), 0.0), 2.0))


def _made(metric: str, value: float, role: str, sample: int, reason: str) -> Score:
    return Score(metric=metric, value=value, judge="identity", sample=sample, subject=role, reason=reason)


def persona_lines(role: str, anchor: dict[str, float]) -> tuple[TraitLine, ...]:
    """The established traits for a prompt."""
    return tuple(
        TraitLine(dimension=d.id, about=d.about, value=anchor[d.id], words=degree(anchor[d.id]))
        for d in listened_to(role)
    )


READ = (NORM.name, TEACHBACK.name)
TSR = Metric("tsr", "share of the task's checklist that was met", rests_on=READ, title="checklist met")
SUCCESS = Metric(
    "success", "whether the whole checklist was met", rests_on=READ, title="whole checklist met", yes_no=True
)
SE = Metric(
    "se",
    "messages until the decision was stated",
    higher_is_better=False,
    high=math.inf,
    title="messages until the decision",
)
DECIDES = ("plan", "explain")


@reading_judge("task", TSR, SUCCESS, SE)
async def task(case: Case[AnyDuty], bench: Bench) -> list[Score]:
    """TSR by checklist, by what the reader finds in each message, and step efficiency. An episode in which nothing was
    decided has no SE.
    """
    scenario, lines = case.scenario, lines_of(case.transcript)
    found = await read_dialogue(bench.reads, norms_of(case.transcript), scenario, lines)
    back = await said_back(bench.reads, scenario, lines)
    broken = tuple(v for v in found.broken if v.role in STAFF)
    scores = fold(checked(ShiftRead(scenario, lines, broken, back, found.unread)))
    decided = decision_step(scenario, case.transcript)
    if decided is not None:
        scores.append(mark("se", decided, reason="messages up to the decision"))
    return scores


def fold(items: Sequence[tuple[ChecklistItem, bool | None]]) -> list[Score]:
    """The share of the items that were met, and whether all were. An item that could not be judged is left out; the
    whole task then counts as done or not only if another item was missed. The evidence names what was missed.
    """
    judged = [met for _, met in items if met is not None]
    missed = [item.text for item, met in items if met is False]
    unjudged = [item.text for item, met in items if met is None]
    reason = "missed: " + "; ".join(missed) if missed else "all items met" if not unjudged else "nothing missed"
    reason = f"{reason}; {not_judged(unjudged)}" if unjudged else reason
    scores = [mark("tsr", sum(judged) / len(judged), reason=reason, evidence=missed)] if judged else []
    if missed or not unjudged:
        scores.append(mark("success", float(not missed), reason=reason))
    return scores


def decision_step(scenario: AnyDuty, transcript: Transcript) -> int | None:
    """The number of the message that states the decision: a triage level, or the plan for the patient."""
    for number, said in enumerate(transcript.said(), 1):
        if scenario.task == "T2":
            if said.speaker == "doctor" and stated_level(said.text) is not None:
                return number
        elif said.to == "patient" and (spoke := said.get(Spoke)) is not None and spoke.stage in DECIDES:
            return number
    return None


@lru_cache(maxsize=1)
def _embedder() -> Embedder:
    """The frozen embedder of identity scores, loaded when first needed."""
    from polyclinic.retrieval.embedders import WordLlamaEmbedder

    return WordLlamaEmbedder()


def judges() -> Sequence[Judge[AnyDuty]]:
    """All judges of this clinic. Models that judge are asked once, as in the published run; ``--samples 5`` asks five
    times.
    """
    role = package_rubric("polyclinic.clinics.duty", "data/rubrics/role.toml")
    social = package_rubric("polyclinic.clinics.duty", "data/rubrics/social.toml")
    return (
        norms,
        IdentityJudge(),
        RubricJudge(role, view=by_role, name="role"),
        RubricJudge(social, view=everybody, name="social"),
        task,
    )
