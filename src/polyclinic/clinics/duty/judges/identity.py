"""Identity consistency: the distance between how a person spoke in an episode and their established persona.

There are two measures. `ics` describes the person by the manners that the reader finds, and takes the cosine distance
between this description and the established persona. `ics_llm` asks a model how similar the two are, as the paper's
authors did.
"""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.clinics.duty.judges.view import identities_of, lines_of, messages_of
from polyclinic.clinics.duty.prompts.reflection import JudgesIdentity
from polyclinic.clinics.duty.prompts.views import TraitLine
from polyclinic.clinics.duty.readings import TRAIT
from polyclinic.clinics.duty.rules.traits.hearing import listened_to, persona_heard, shares, shown
from polyclinic.core.embedding import Embedder
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import check_scores
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
    """Scores every role that has traits, each separately."""

    name = "identity"
    metrics = (ICS, ICS_LLM)

    def __init__(self, embedder: Callable[[], Embedder], k_samples: int = 1) -> None:
        if k_samples < 1:
            raise ValueError("the identity judge needs at least one sample")
        self._embedder, self.k_samples = embedder, k_samples

    def with_samples(self, samples: int) -> IdentityJudge:
        """The same judge with another number of samples."""
        return IdentityJudge(self._embedder, samples)

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
        first, second = self._embedder().embed([established, heard])
        return float(min(max(1.0 - float(first @ second), 0.0), 2.0))


def _made(metric: str, value: float, role: str, sample: int, reason: str) -> Score:
    return Score(metric=metric, value=value, judge="identity", sample=sample, subject=role, reason=reason)


def persona_lines(role: str, anchor: dict[str, float]) -> tuple[TraitLine, ...]:
    """The established traits for a prompt."""
    return tuple(
        TraitLine(dimension=d.id, about=d.about, value=anchor[d.id], words=degree(anchor[d.id]))
        for d in listened_to(role)
    )
