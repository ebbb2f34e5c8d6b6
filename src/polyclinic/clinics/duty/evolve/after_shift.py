"""After a shift: both reflections for everybody on duty, then edits, memory and identity, committed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from polyclinic.clinics.duty.agents import Staff, spoken, trait_lines
from polyclinic.clinics.duty.evolve.identity import candidates, preferred, tried
from polyclinic.clinics.duty.evolve.lines import keep_line
from polyclinic.clinics.duty.evolve.prompt_edits import edits_from
from polyclinic.clinics.duty.evolve.reflect import diagnose, hear_traits, identity_report, said_by
from polyclinic.clinics.duty.evolve.reports import R01, R02, Diagnosis, IdentityReport
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.norms.norm import Norm, applicable
from polyclinic.clinics.duty.rules.norms.scoring import RewardWeights
from polyclinic.clinics.duty.rules.notes import EditProposed, IdentityPreferred
from polyclinic.clinics.duty.rules.tasks import Beat
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.schema import AnyDuty, Role
from polyclinic.clinics.duty.state.memory import CommitmentBook, Step, Trajectory
from polyclinic.clinics.duty.state.ward import Counted, Edited, IdentityChosen, ShiftCounted, ShiftRemembered
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.episode import Episode

PROBES = 3
PROBE_SAMPLE = 7


@dataclass(frozen=True)
class ShiftRecord:
    """One finished shift as reflection sees it. `broken` are the breaches of the norms that are taught, which can be
    the true or the shuffled ones.
    """

    scenario: AnyDuty
    number: int
    staff: Mapping[Role, Staff]
    taught: Sequence[Norm]
    lines: tuple[SceneLine, ...]
    beats: tuple[tuple[Beat, int], ...]
    broken: tuple[NormVerdict, ...]
    commitments: CommitmentBook
    worries: tuple[str, ...]
    outcome: str

    def broken_by(self, role: Role) -> list[NormVerdict]:
        """What one role broke."""
        return [verdict for verdict in self.broken if verdict.role == role]


def drift_settings(variant: DutyVariant) -> DriftSettings:
    """The variant's drift detector."""
    return DriftSettings(
        distance=variant.drift_distance, threshold=variant.drift_threshold, window=variant.drift_window
    )


class Reflection(NamedTuple):
    """What reflection found about one role: both reports, and the traits as the reflector heard them."""

    r01: R01 | None
    r02: R02 | None
    raw: dict[str, float]


async def reflect(episode: Episode, variant: DutyVariant, shift: ShiftRecord) -> None:
    """R01, R02, edits and identity for every member of staff on duty. All members reflect at the same time."""
    seen = await episode.together(*(_look_back(episode, variant, shift, role) for role in shift.staff))
    reflections = dict(zip(shift.staff, seen, strict=True))
    for role, reflection in reflections.items():
        _learn(episode, variant, shift, role, reflection)
    if variant.identity and not variant.frozen and shift.number % variant.batch == 0:
        chosen = await episode.together(*(_optimise(episode, variant, shift, role) for role in shift.staff))
        for effect in chosen:
            if effect is not None:
                episode.effect(effect)


async def _look_back(episode: Episode, variant: DutyVariant, shift: ShiftRecord, role: Role) -> Reflection:
    """Both reflections of one role. Nothing is changed yet."""
    state, broken = shift.staff[role].state, shift.broken_by(role)
    r01 = r02 = None
    raw: dict[str, float] = {}
    if variant.r01:
        r01 = await diagnose(episode, state, shift.scenario, spoken(shift.lines), broken, shift.taught, shift.number)
        episode.note(Diagnosis(report=r01))
    if variant.r02 and state.profile is not None:
        heard, raw = await hear_traits(episode.agent("reflector"), state, shift.scenario, said_by(shift.lines, role))
        settings = drift_settings(variant)
        r02 = identity_report(
            state, shift.scenario, heard, shift.commitments, shift.worries, broken, settings, shift.number
        )
        episode.note(IdentityReport(report=r02))
    return Reflection(r01, r02, raw)


def _learn(episode: Episode, variant: DutyVariant, shift: ShiftRecord, role: Role, seen: Reflection) -> None:
    """Apply the edits, the counts and the memory that follow. A frozen variant only notes the edits and changes
    nothing.
    """
    edits = edits_from(shift.staff[role].state, seen.r01, seen.r02, {norm.id: norm for norm in shift.taught})
    for edit in edits:
        episode.note(EditProposed(role=role, edit=edit, withheld=variant.frozen))
    if variant.frozen:
        return
    for edit in edits:
        episode.effect(Edited(role=role, edit=edit))
        keep_line(episode, shift.scenario.task, role, edit)
    episode.effect(ShiftCounted(role=role, counted=_counted(shift, role, seen.r02, seen.raw)))
    if variant.memory:
        episode.effect(ShiftRemembered(role=role, trajectory=_trajectory(shift, role)))


def _counted(shift: ShiftRecord, role: Role, r02: R02 | None, raw: dict[str, float]) -> Counted:
    broken = [verdict.norm for verdict in shift.broken_by(role)]
    return Counted(
        episode=shift.number,
        task=shift.scenario.task,
        actions=len(said_by(shift.lines, role)),
        broken={norm: broken.count(norm) for norm in sorted(set(broken))},
        traits=r02.heard if r02 else {},
        raw=raw,
        distance=r02.drift.distance if r02 else 0.0,
        drift=r02.drift.drift if r02 else False,
    )


async def _optimise(episode: Episode, variant: DutyVariant, shift: ShiftRecord, role: Role) -> IdentityChosen | None:
    """Identity optimisation, in batches: candidates are tried in this shift's situations, and preferences decide."""
    member = shift.staff[role]
    state = member.state
    options = candidates(state, drift_settings(variant))
    if len(options) < 2 or state.anchor is None or state.profile is None:
        return None
    asked = [(beat, at) for beat, at in shift.beats if beat.role == role][:PROBES]
    replies = await episode.together(*(member.probes(asked, shift.lines, o.profile, PROBE_SAMPLE) for o in options))
    all_tried = [tried(option, probes) for option, probes in zip(options, replies, strict=True)]
    weights = RewardWeights(alpha=variant.alpha, beta=variant.beta, gamma=variant.gamma)
    chosen, wins = await preferred(episode, trait_lines(state.anchor), state, all_tried, weights)
    episode.note(IdentityPreferred(role=role, chosen=chosen.name, wins=wins))
    if chosen.profile == state.profile:
        return None
    episode.changed(f"identity:{role}", state.profile.means(), chosen.profile.means())
    return IdentityChosen(role=role, profile=chosen.profile)


def _trajectory(shift: ShiftRecord, role: Role) -> Trajectory:
    profile = shift.staff[role].state.profile
    bound = tuple(norm.id for norm in applicable(shift.taught, role, shift.scenario))
    steps = tuple(
        Step(
            observation=f"{beat.stage}: {shift.lines[at - 1].text if at else shift.scenario.title}",
            identity=profile.means() if profile is not None else {},
            action=shift.lines[at].text,
            norms=bound,
            violations=tuple(verdict.norm for verdict in shift.broken_by(role) if verdict.step == at),
        )
        for beat, at in shift.beats
        if beat.role == role
    )
    return Trajectory(
        episode=shift.number,
        scenario=shift.scenario.id,
        task=shift.scenario.task,
        steps=steps,
        outcome=shift.outcome,
        facts=tuple(finding.text for finding in shift.scenario.findings),
        commitments=tuple(item.words for item in shift.commitments.open),
    )
