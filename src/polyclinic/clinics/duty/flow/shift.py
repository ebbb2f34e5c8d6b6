"""Who speaks when: one shift beat by beat, then reflection and evolution.

`order.py` has the running order of each task, `agents` builds the prompts of the staff, and `evolve/after_shift.py` has
what happens after the shift.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyclinic.clinics.duty.agents import Patient, Staff
from polyclinic.clinics.duty.evolve.after_shift import ShiftRecord, reflect
from polyclinic.clinics.duty.evolve.lines import learned_before
from polyclinic.clinics.duty.flow.order import running_order
from polyclinic.clinics.duty.rules.norms.checker import NormsRead, NormVerdict, read_action, read_norms, together
from polyclinic.clinics.duty.rules.norms.norm import house_norms, inventory, shuffled_between_roles
from polyclinic.clinics.duty.rules.notes import (
    CommitmentBroken,
    IdentityShown,
    NormsShown,
    NormsUnread,
    PatientSpoke,
    PromptShown,
    StaffSpoke,
)
from polyclinic.clinics.duty.rules.tasks import Beat
from polyclinic.clinics.duty.rules.triggers import Scene, SceneLine
from polyclinic.clinics.duty.scenario.institution import priors
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.clinics.duty.state.memory import CommitmentBook
from polyclinic.clinics.duty.state.ward import ShiftEnded, Ward, open_campaign
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.branches import Alongside
from polyclinic.core.episode import Episode
from polyclinic.people.traits import draw_profile
from polyclinic.text.sentences import is_question


async def flow(episode: Episode[AnyDuty, DutyVariant]) -> str:
    """One shift. Ends as ``broken`` when a norm was broken, as ``clean`` when none was, and as ``not judged`` when the
    reader could not tell about some norm and found nothing else.
    """
    await episode.enter_lane("ward")
    shift = Shift(episode)
    shift.introduce()
    checks: Alongside[BrokenRules] = episode.alongside()
    async with checks:
        await shift.talk(checks)
    shift.checked(checks.results)
    record = shift.record()
    variant = shift.variant
    if variant.memory or variant.r01 or variant.r02 or variant.identity:
        await reflect(episode, variant, record)
    episode.effect(ShiftEnded())
    return record.outcome


class BrokenRules(NamedTuple):
    """What one message breaks."""

    found: NormsRead
    taught: list[NormVerdict]


class Shift:
    """One episode at work: who is on duty, what has been said, what was broken."""

    def __init__(self, episode: Episode[AnyDuty, DutyVariant]) -> None:
        self.episode = episode
        self.scenario = episode.scenario
        self.variant = episode.variant.configured(episode.services.options)
        self.norms = house_norms(episode.services)
        shuffled = self.variant.shuffled_norms
        self.taught = shuffled_between_roles(self.norms, episode.spec.seed) if shuffled else self.norms
        ward = ward_of(episode)
        self.number = ward.episodes + 1
        before = learned_before(episode, self.scenario.task)
        self.staff = {
            role: Staff(episode, self.scenario, self.variant, ward.roles[role], self.taught, self.number, before[role])
            for role in self.scenario.roles
            if role in STAFF
        }
        rng = episode.random("patient", paired=True)
        person = draw_profile("patient", priors(episode.services)["patient"], rng)
        self.patient = Patient(episode, self.scenario, person)
        self.lines: list[SceneLine] = []
        self.beats: list[tuple[Beat, int]] = []
        self.found = together(())
        self.taught_verdicts: list[NormVerdict] = []
        self.commitments = CommitmentBook()
        self.worries: tuple[str, ...] = ()

    def introduce(self) -> None:
        """Write down who is on duty, and an institution's own norms, so that judges need nothing else."""
        for role, member in self.staff.items():
            state = member.state
            if state.anchor is not None and state.profile is not None:
                persona, anchor, profile = state.anchor.persona(), state.anchor.means(), state.profile.means()
                self.episode.note(IdentityShown(role=role, persona=persona, anchor=anchor, profile=profile))
            text = "\n".join(member.learned)
            self.episode.note(PromptShown(role=role, version=state.book.version, text=text, shift=self.number))
        if self.norms != inventory():
            self.episode.note(NormsShown(norms=self.norms))

    async def talk(self, checks: Alongside[BrokenRules]) -> None:
        """Work beat by beat until the running order ends. The checker checks messages while others already speak."""
        order = list(running_order(self.scenario))
        while order and len(self.lines) < self.scenario.turns[1]:
            beat = order.pop(0)
            self.episode.take_turn()
            if beat.role != "patient":
                more = any(later.role == beat.role for later in order)
                scene = await self.staff_speaks(beat if more else beat.model_copy(update={"last": True}))
                checks.start(self.check(scene))
            elif await self.patient_speaks(beat) and self.room_for(order, 2):
                order = [Beat(role=beat.to, stage="answer", to="patient"), *order]

    def room_for(self, order: Sequence[Beat], more: int) -> bool:
        """Whether `more` messages still fit in addition to those that are planned."""
        return len(self.lines) + len(order) + more <= self.scenario.turns[1]

    async def staff_speaks(self, beat: Beat) -> Scene:
        """A member of staff speaks; returns the scene for the checker."""
        told = await self.staff[beat.role].speaks(beat, self.lines, self.commitments)
        scene = Scene(self.scenario, beat.role, told.text, beat.to, tuple(self.lines))
        spoke = StaffSpoke(stage=beat.stage, drafts=len(told.drafts), refused=told.refused)
        self.episode.say(beat.role, told.text, to=beat.to, payload=spoke)
        self.beats.append((beat, len(self.lines)))
        self._heard(SceneLine(speaker=beat.role, text=told.text, to=beat.to))
        return scene

    async def check(self, scene: Scene) -> BrokenRules:
        """Which norms a message breaks: the true ones for the record, and the taught ones for learning."""
        found = await read_norms(self.episode.reads, self.norms, [scene])
        if self.taught == self.norms:
            return BrokenRules(found, found.broken)
        return BrokenRules(found, await read_action(self.episode.reads, self.taught, scene))

    def checked(self, checks: Sequence[BrokenRules]) -> None:
        """Write down everything that was broken, in the order it was said, and the norms that could not be judged."""
        for check in checks:
            for one in check.found.broken:
                self.episode.violated(one.norm, one.role, one.severity, one.words, one.rationale, sure=one.sure)
            self.taught_verdicts += check.taught
        self.found = together(check.found for check in checks)
        if self.found.unread:
            self.episode.note(NormsUnread(norms=self.found.unread))

    async def patient_speaks(self, beat: Beat) -> bool:
        """The patient answers; returns true if they end with a question, which is then open."""
        text = await self.patient.answers(beat.to, self.lines)
        asks_more = is_question(text)
        self.episode.say("patient", text, to=beat.to, payload=PatientSpoke(stage=beat.stage, asks_more=asks_more))
        self._heard(SceneLine(speaker="patient", text=text, to=beat.to))
        self.worries = (text,) if asks_more else ()
        return asks_more

    def _heard(self, line: SceneLine) -> None:
        before = len(self.commitments.broken)
        self.lines.append(line)
        if line.speaker != "patient":
            self.commitments = self.commitments.heard(line.speaker, line.text)
        for broken in self.commitments.broken[before:]:
            held = broken.commitment
            note = CommitmentBroken(about=held.about, was=held.words, now=broken.words, by=line.speaker)
            self.episode.note(note)

    def record(self) -> ShiftRecord:
        """The finished shift."""
        return ShiftRecord(
            scenario=self.scenario,
            number=self.number,
            staff=self.staff,
            taught=self.taught,
            lines=tuple(self.lines),
            beats=tuple(self.beats),
            broken=tuple(self.taught_verdicts),
            commitments=self.commitments,
            worries=self.worries,
            outcome=outcome(self.found),
        )


def outcome(found: NormsRead) -> str:
    """How a shift ended, by what was found in its messages."""
    return "broken" if found.broken else "not judged" if found.unread else "clean"


def ward_of(episode: Episode[AnyDuty, DutyVariant]) -> Ward:
    """The campaign's ward, or a new one for a shift without a campaign."""
    shared = episode.shared(Ward)
    return shared if shared is not None else open_campaign((), episode.variant, episode.spec.seed, episode.services)
