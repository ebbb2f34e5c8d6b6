"""Reflection at an episode's end: R01 asks why norms were broken, R02 checks how a person's traits have changed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from polyclinic.clinics.duty.evolve.reports import R01, R02
from polyclinic.clinics.duty.prompts.reflection import HearsTraits, ReviewsBreach
from polyclinic.clinics.duty.prompts.replies import BreachReviewed, Correction, Diagnosed
from polyclinic.clinics.duty.prompts.views import BreachSteers, ScaleLine, SpokenMessage
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.rules.traits.compatibility import context_weight, trait_risks
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings, detect
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.clinics.duty.state.memory import CommitmentBook
from polyclinic.clinics.duty.state.style import style_for, styled
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.core.agent import Agent
from polyclinic.core.episode import Episode
from polyclinic.errors import ReplyError
from polyclinic.people.traits import Communicator, dimensions

LATE = 0.6
REVIEWED = 3
USUAL = 4


async def diagnose(
    episode: Episode,
    state: RoleState,
    scenario: AnyDuty,
    dialogue: tuple[SpokenMessage, ...],
    broken: Sequence[NormVerdict],
    norms: Sequence[Norm],
    number: int,
) -> R01:
    """R01: one question for each broken norm, gravest first. If nothing was broken, nothing is asked."""
    rules = {norm.id: norm for norm in norms}
    first: dict[str, NormVerdict] = {}
    for verdict in sorted(broken, key=lambda v: (-v.severity, v.norm, -v.step)):
        if verdict.norm in rules:
            first.setdefault(verdict.norm, verdict)
    gravest = list(first.items())[:REVIEWED]
    agent = episode.agent("reflector")
    asked = (_review(agent, _breach(state, scenario, dialogue, verdict, rules[name])) for name, verdict in gravest)
    causes, corrections = [], []
    for (name, verdict), answer in zip(gravest, await episode.together(*asked), strict=True):
        if answer is not None:
            causes.append(Diagnosed(norm=name, severity=verdict.severity, cause=answer.cause, why=answer.why))
            corrections.append(Correction(norm=name, kind=answer.kind, text=answer.correction))
    return R01(
        role=state.role,
        episode=number,
        broken=tuple(broken),
        causes=tuple(causes),
        corrections=tuple(corrections),
    )


async def _review(agent: Agent, breach: ReviewsBreach) -> BreachReviewed | None:
    """Why a norm was broken. If the reply is unreadable, nothing is learned from this breach; others still count."""
    try:
        return await agent.ask(breach)
    except ReplyError as error:
        agent.survives(error, "reflection")
        return None


def _breach(
    state: RoleState, scenario: AnyDuty, dialogue: tuple[SpokenMessage, ...], verdict: NormVerdict, norm: Norm
) -> ReviewsBreach:
    """The question about one broken norm."""
    message = dialogue[verdict.step]
    return ReviewsBreach(
        role=state.role,
        rule=norm.statement(),
        rationale=verdict.rationale,
        said=message.text,
        to=message.to,
        late=verdict.step + 1 > LATE * scenario.turns[1],
        before=dialogue[max(verdict.step - 2, 0) : verdict.step],
        steers=BreachSteers(then=norm.then),
    )


def scales(role: Communicator) -> tuple[ScaleLine, ...]:
    """The dimensions with their two ends, for a listener, without the values that are expected of the person."""
    return tuple(ScaleLine(dimension=d.id, about=d.about, low=d.low, high=d.high) for d in dimensions(role))


async def hear_traits(
    agent: Agent, state: RoleState, scenario: AnyDuty, messages: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """The estimated traits (t_hat) and the raw ones: what the listener hears in these messages, compared with what it
    heard before.

    No listener is calibrated to the scale of a profile, so only the change counts. An estimate is the person's own
    mean, plus how much more or less than usual is heard now. Without earlier shifts to compare with, nothing counts as
    changed. The effect of the situation's style is subtracted.
    """
    profile = state.profile
    if not messages or profile is None:
        return {}, {}
    try:
        answer = await agent.ask(HearsTraits(role=profile.role, scales=scales(profile.role), messages=tuple(messages)))
    except ReplyError as error:  # nothing was heard
        agent.survives(error, "traits")
        return {}, {}
    means = profile.means()
    asked = styled(means, style_for(scenario))
    raw = {name: value for name, value in answer.values().items() if name in means}
    heard: dict[str, float] = {}
    for name, value in raw.items():
        before = [count.raw[name] for count in state.counted if name in count.raw]
        if len(before) >= USUAL:
            lean = asked[name] - means[name]
            heard[name] = round(min(max(means[name] + value - fmean(before) - lean, 0.0), 1.0), 6)
    return heard, raw


def identity_report(
    state: RoleState,
    scenario: AnyDuty,
    heard: dict[str, float],
    book: CommitmentBook,
    unanswered: Sequence[str],
    broken: Sequence[NormVerdict],
    settings: DriftSettings,
    episode: int,
) -> R02:
    """R02 from the traits heard now and in earlier episodes."""
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


def said_by(lines: Sequence[SceneLine], role: str) -> list[str]:
    """One role's messages."""
    return [line.text for line in lines if line.speaker == role]
