"""Who speaks when, and what is learned from it: one shift, then reflection, then evolution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from polyclinic.clinics.duty.agents import Patient, Staff, spoken, trait_lines
from polyclinic.clinics.duty.evolve.identity import candidates, preferred, tried
from polyclinic.clinics.duty.evolve.prompt_edits import edits_from
from polyclinic.clinics.duty.evolve.reflect import diagnose, hear_traits, identity_report, said_by
from polyclinic.clinics.duty.rules.checker import Verdict, check_action
from polyclinic.clinics.duty.rules.drift import Distance, DriftSettings
from polyclinic.clinics.duty.rules.norms import (
    Norm,
    applicable,
    inventory,
    parse_norms,
    shuffled_between_roles,
    with_own,
)
from polyclinic.clinics.duty.rules.order import Beat, running_order
from polyclinic.clinics.duty.rules.scene import Line, Scene
from polyclinic.clinics.duty.rules.scoring import RewardWeights
from polyclinic.clinics.duty.scenario import STAFF, AnyDuty, Role
from polyclinic.clinics.duty.state.memory import CommitmentBook, Step, Trajectory
from polyclinic.clinics.duty.state.ward import Counted, Ward
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.episode import Episode
from polyclinic.core.scenario import Scenario, Variant
from polyclinic.core.seed import stream
from polyclinic.core.services import Services
from polyclinic.errors import DataError
from polyclinic.people.traits import Communicator, Prior, TraitProfile, draw_profile
from polyclinic.people.traits_survey import read_priors, shipped_priors

PROBES = 3


async def flow(episode: Episode) -> str:
    """One shift. Ends as ``clean`` when no norm was broken, else as ``broken``."""
    await episode.turn("ward")
    shift = Shift(episode)
    shift.introduce()
    order = list(running_order(shift.scenario))
    while order and len(shift.lines) < shift.scenario.turns[1]:
        beat = order.pop(0)
        episode.take_turn()
        if beat.role != "patient":
            await shift.staff_speaks(beat)
        elif await shift.patient_speaks(beat) and shift.room_for(order, 2):
            order = [Beat(role=beat.to, stage="answer", to="patient"), *order]
    shift.outcome = "broken" if shift.verdicts else "clean"
    if shift.learns:
        await shift.reflects()
    episode.effect("episode")
    return shift.outcome


class Shift:
    """One episode at work: who is on duty, what has been said, what was broken."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self.scenario = cast(AnyDuty, episode.scenario)
        self.variant = cast(DutyVariant, episode.variant)
        self.norms = house_norms(episode.services)
        self.taught = (
            shuffled_between_roles(self.norms, episode.spec.seed) if self.variant.shuffled_norms else self.norms
        )
        shared = episode.shared
        self.ward: Ward = (
            shared if isinstance(shared, Ward) else open_ward((), self.variant, episode.spec.seed, episode.services)
        )
        self.number = self.ward.episodes + 1
        self.staff = {
            role: Staff(episode, self.scenario, self.variant, self.ward.roles[role], self.taught, self.number)
            for role in self.scenario.roles
            if role in STAFF
        }
        rng = episode.random("patient", paired=True)
        self.patient = Patient(
            episode, self.scenario, draw_profile("patient", priors(episode.services)["patient"], rng)
        )
        self.lines: list[Line] = []
        self.beats: list[tuple[Beat, int]] = []
        self.verdicts: list[Verdict] = []
        self.taught_verdicts: list[Verdict] = []
        self.commitments = CommitmentBook()
        self.worries: list[str] = []
        self.outcome = ""

    @property
    def learns(self) -> bool:
        """Whether anything is looked at after the shift."""
        return self.variant.memory or self.variant.r01 or self.variant.r02 or self.variant.identity

    def introduce(self) -> None:
        """Write down who is on duty, and an institution's own norms, so that judges need nothing else."""
        for role, member in self.staff.items():
            anchor, now = member.state.anchor, member.state.profile
            if anchor is not None and now is not None:
                self.episode.note(
                    "identity", role=role, persona=anchor.persona(), anchor=anchor.means(), profile=now.means()
                )
            self.episode.note(
                "prompt", role=role, version=member.state.book.version, text=member.state.book.text(), shift=self.number
            )
        if self.norms != inventory():
            self.episode.note("norms", norms=[norm.model_dump(mode="json", by_alias=True) for norm in self.norms])

    def room_for(self, order: Sequence[Beat], more: int) -> bool:
        """Whether so many more messages fit beside what is still planned."""
        return len(self.lines) + len(order) + more <= self.scenario.turns[1]

    async def staff_speaks(self, beat: Beat) -> None:
        """A member of staff speaks, and the checker looks at it: for the record, and for what will be learned."""
        told = await self.staff[beat.role].speaks(beat, self.lines, self.commitments)
        scene = Scene(self.scenario, beat.role, told.text, beat.to, tuple(self.lines))
        self.episode.say(
            beat.role, told.text, to=beat.to, stage=beat.stage, drafts=len(told.drafts), refused=told.refused
        )
        for verdict in check_action(self.norms, scene):
            self.verdicts.append(verdict)
            self.episode.violated(verdict.norm, beat.role, verdict.severity, verdict.words, verdict.rationale)
        self.taught_verdicts += check_action(self.taught, scene)
        self.beats.append((beat, len(self.lines)))
        self._heard(Line(speaker=beat.role, text=told.text, to=beat.to))

    async def patient_speaks(self, beat: Beat) -> bool:
        """The patient answers; true if a worry is still open."""
        answer = await self.patient.answers(beat.to, self.lines)
        self.episode.say("patient", answer.text, to=beat.to, stage=beat.stage, asks_more=answer.asks_more)
        self._heard(Line(speaker="patient", text=answer.text, to=beat.to))
        self.worries = [answer.text] if answer.asks_more else []
        return answer.asks_more

    def _heard(self, line: Line) -> None:
        before = len(self.commitments.broken)
        self.lines.append(line)
        if line.speaker != "patient":
            self.commitments = self.commitments.heard(line.speaker, line.text)
        for broken in self.commitments.broken[before:]:
            self.episode.note(
                "broken_commitment", about=broken.commitment.about, was=broken.commitment.words, now=broken.words
            )

    async def reflects(self) -> None:
        """R01, R02, edits and identity for every member of staff on duty; then everything is committed together."""
        for role in self.staff:
            await self._reflect(role)

    async def _reflect(self, role: Role) -> None:
        episode, variant, state = self.episode, self.variant, self.ward.roles[role]
        agent = episode.agent("reflector")
        broken = [verdict for verdict in self.taught_verdicts if verdict.role == role]
        messages = said_by(self.lines, role)
        heard: dict[str, float] = {}
        r01 = r02 = None
        if variant.r01:
            r01 = await diagnose(agent, state, self.scenario, spoken(self.lines), broken, self.taught, self.number)
            episode.note("R01", report=r01)
        if variant.r02 and state.profile is not None:
            heard = await hear_traits(agent, state.profile, self.scenario, messages)
            settings = drift_settings(variant)
            r02 = identity_report(
                state, self.scenario, heard, self.commitments, self.worries, broken, settings, self.number
            )
            episode.note("R02", report=r02)
        edits = edits_from(state, r01, r02, {norm.id: norm for norm in self.taught})
        for edit in edits:
            episode.note("edit", role=role, edit=edit, withheld=variant.frozen)
        if variant.frozen:
            return
        for edit in edits:
            episode.effect("edit", role=role, edit=edit)
        counted = Counted(
            episode=self.number,
            task=self.scenario.task_id,
            actions=len(messages),
            broken={norm: sum(v.norm == norm for v in broken) for norm in sorted({v.norm for v in broken})},
            traits=heard,
            distance=r02.drift.distance if r02 else 0.0,
            drift=r02.drift.drift if r02 else False,
        )
        episode.effect("counted", role=role, counted=counted)
        if variant.memory:
            episode.effect("remember", role=role, trajectory=self._trajectory(role, broken))
        if variant.identity and self.number % variant.batch == 0:
            await self._optimise(role)

    async def _optimise(self, role: Role) -> None:
        """Identity optimisation, in batches: candidates are tried on this shift's situations, preferences decide."""
        member, state = self.staff[role], self.ward.roles[role]
        options = candidates(state, drift_settings(self.variant))
        asked = [(beat, at) for beat, at in self.beats if beat.role == role][:PROBES]
        if len(options) < 2 or state.anchor is None:
            return
        all_tried = [
            tried(option, await member.probes(asked, self.lines, option.profile, sample=7)) for option in options
        ]
        weights = RewardWeights(alpha=self.variant.alpha, beta=self.variant.beta, gamma=self.variant.gamma)
        agent = self.episode.agent("reflector")
        chosen, wins = await preferred(agent, trait_lines(state.anchor), state, all_tried, weights)
        self.episode.note("identity_choice", role=role, chosen=chosen.name, wins=wins)
        if chosen.profile != state.profile and state.profile is not None:
            self.episode.changed(f"identity:{role}", state.profile.means(), chosen.profile.means())
            self.episode.effect("identity", role=role, profile=chosen.profile)

    def _trajectory(self, role: Role, broken: Sequence[Verdict]) -> Trajectory:
        bound = tuple(norm.id for norm in applicable(self.taught, role, self.scenario))
        profile = self.ward.roles[role].profile
        steps = tuple(
            Step(
                observation=f"{beat.stage}: {self.lines[at - 1].text if at else self.scenario.title}",
                identity=profile.means() if profile is not None else {},
                action=self.lines[at].text,
                norms=bound,
                violations=tuple(verdict.norm for verdict in broken if verdict.step == at),
            )
            for beat, at in self.beats
            if beat.role == role
        )
        return Trajectory(
            episode=self.number,
            scenario=self.scenario.id,
            task=self.scenario.task_id,
            steps=steps,
            outcome=self.outcome,
            facts=tuple(finding.text for finding in self.scenario.findings),
            commitments=tuple(item.words for item in self.commitments.open),
        )


def drift_settings(variant: DutyVariant) -> DriftSettings:
    """The variant's drift detector."""
    kind = cast(Distance, variant.drift_distance)
    return DriftSettings(distance=kind, threshold=variant.drift_threshold, window=variant.drift_window)


def house_norms(services: Services) -> tuple[Norm, ...]:
    """The norms of the house, with an institution's own where the option `norms` names a file."""
    path = services.options.get("norms", "")
    if not path:
        return inventory()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: the norm file cannot be read: {error.strerror}") from error
    return with_own(inventory(), parse_norms(text, path))


def priors(services: Services) -> dict[Communicator, dict[str, Prior]]:
    """The trait priors: shipped, or from the survey that the option `survey` names."""
    path, items = services.options.get("survey", ""), services.options.get("survey_items", "")
    return read_priors(Path(path), Path(items) if items else None) if path else shipped_priors()


def open_ward(scenarios: Sequence[Scenario], variant: Variant, seed: int, services: Services) -> Ward:
    """A new team: each role's person is drawn from the priors, the same in every variant."""
    known = priors(services)
    anchors: dict[Role, TraitProfile] = {
        "doctor": draw_profile("doctor", known["doctor"], stream(seed, "person", "doctor")),
        "nurse": draw_profile("nurse", known["nurse"], stream(seed, "person", "nurse")),
        "trainee": draw_profile("trainee", known["trainee"], stream(seed, "person", "trainee")),
    }
    return Ward(anchors)
