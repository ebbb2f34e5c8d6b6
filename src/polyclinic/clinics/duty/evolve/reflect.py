"""Reflection at an episode's end: R01 asks why norms were broken, R02 listens to who somebody has become."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.duty.evolve.reports import R01, R02
from polyclinic.clinics.duty.prompts import (
    DiagnosesShift,
    HearsTraits,
    NormJudged,
    NormLine,
    Spoken,
    TraitLine,
)
from polyclinic.clinics.duty.rules.norms.checker import Verdict
from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.rules.traits.compatibility import context_weight, trait_risks
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings, detect
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.clinics.duty.scenario import AnyDuty
from polyclinic.clinics.duty.state.memory import CommitmentBook
from polyclinic.clinics.duty.state.style import style_for, styled
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.core.agent import Agent
from polyclinic.people.traits import TraitProfile, dimensions

LATE = 0.6


async def diagnose(
    agent: Agent,
    state: RoleState,
    scenario: AnyDuty,
    dialogue: tuple[Spoken, ...],
    broken: Sequence[Verdict],
    norms: Sequence[Norm],
    episode: int,
) -> R01:
    """R01. Nothing broken means nothing to ask."""
    if not broken:
        return R01(role=state.role, episode=episode, broken=(), causes=(), corrections=())
    named = {verdict.norm for verdict in broken}
    prompt = DiagnosesShift(
        role=state.role,
        task=scenario.task_id,
        norms=tuple(NormLine(id=norm.id, text=norm.remind) for norm in norms if norm.id in named),
        late_after=round(LATE * scenario.turns[1]),
        broken=tuple(
            NormJudged(number=v.step + 1, norm=v.norm, rationale=v.rationale, words=v.words, severity=v.severity)
            for v in broken
        ),
        dialogue=dialogue,
    )
    answer = await agent.ask(prompt)
    return R01(
        role=state.role,
        episode=episode,
        broken=tuple(broken),
        causes=answer.violations,
        corrections=answer.corrections,
    )


def scale_lines(profile: TraitProfile) -> tuple[TraitLine, ...]:
    """The dimensions with their two ends, for a listener."""
    return tuple(
        TraitLine(dimension=d.id, about=d.about, value=profile.traits[d.id].mean, words=f"{d.low} / {d.high}")
        for d in dimensions(profile.role)
    )


async def hear_traits(
    agent: Agent, profile: TraitProfile, scenario: AnyDuty, messages: Sequence[str]
) -> dict[str, float]:
    """t_hat: the traits that the messages imply, with the lean of the moment's style taken off again."""
    if not messages:
        return {}
    prompt = HearsTraits(role=profile.role, traits=scale_lines(profile), messages=tuple(messages))
    answer = await agent.ask(prompt)
    means = profile.means()
    asked = styled(means, style_for(scenario))
    return {
        item.dimension: round(item.value - (asked[item.dimension] - means[item.dimension]), 6)
        for item in answer.traits
        if item.dimension in means
    }


def identity_report(
    state: RoleState,
    scenario: AnyDuty,
    heard: dict[str, float],
    book: CommitmentBook,
    unanswered: Sequence[str],
    broken: Sequence[Verdict],
    settings: DriftSettings,
    episode: int,
) -> R02:
    """R02 from what was heard now and in the window before."""
    target = state.profile.means() if state.profile is not None else {}
    history = [*state.trait_history(), heard]
    drift = detect(history, target, settings)
    inconsistent = tuple(
        f"{item.commitment.about}: {item.commitment.speaker} said '{item.commitment.words}', then '{item.words}'"
        for item in book.broken
    )
    relational = [f"left unanswered: {worry}" for worry in unanswered]
    relational += [f"hurt by: {verdict.words}" for verdict in broken if verdict.norm == "SAFE-1"]
    return R02(
        role=state.role,
        episode=episode,
        heard=heard,
        drift=drift,
        risks=tuple(trait_risks(heard, context_weight(scenario))),
        inconsistent=inconsistent,
        relational=tuple(relational),
    )


def said_by(lines: Sequence[Line], role: str) -> list[str]:
    """One role's messages."""
    return [line.text for line in lines if line.speaker == role]
