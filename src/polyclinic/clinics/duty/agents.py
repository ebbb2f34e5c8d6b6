"""The cast: members of staff, who speak under norms, traits, memory and learned lines, and the patient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyclinic.clinics.duty.prompts import (
    ActTurn,
    Limit,
    LooseEnd,
    MemoryView,
    NormLine,
    PatientSays,
    PatientTurn,
    RoleView,
    Spoken,
    StressedLine,
    TraitLine,
)
from polyclinic.clinics.duty.rules.norms.checker import Verdict, check_action
from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, Norm, applicable
from polyclinic.clinics.duty.rules.norms.scoring import best_candidate
from polyclinic.clinics.duty.rules.tasks.beats import AIMS, Beat
from polyclinic.clinics.duty.rules.traits.markers import alignment
from polyclinic.clinics.duty.rules.triggers.knowledge import knowledge
from polyclinic.clinics.duty.rules.triggers.scene import Line, Scene
from polyclinic.clinics.duty.scenario import (
    CLINICAL,
    AnyDuty,
    Discharge,
    MedicationReview,
    Role,
    Triage,
)
from polyclinic.clinics.duty.state.memory import CommitmentBook, Trajectory
from polyclinic.clinics.duty.state.prompt_book import MAX_LINES
from polyclinic.clinics.duty.state.style import Style, style_for, styled
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.people.traits import TraitProfile, degree, dimensions

CHECKLIST_ITEMS = 3
ACTIVE_NORMS = 4
RECALLED = 2
FACTS = 4
EARLIER_CHARS = 140


def role_view(scenario: AnyDuty, role: Role) -> RoleView:
    """What this role sees of the scenario."""
    clinical = role in CLINICAL
    watch: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    ends: tuple[LooseEnd, ...] = ()
    promised: tuple[str, ...] = ()
    if isinstance(scenario, MedicationReview) and clinical:
        watch = tuple(cue.text for cue in scenario.risk_cues)
        ask = tuple(cue.ask for cue in scenario.risk_cues)
    elif isinstance(scenario, Triage) and clinical:
        watch = tuple(flag.text for flag in scenario.red_flags)
    elif isinstance(scenario, Discharge):
        promised = tuple(cue.text for cue in scenario.continuity_cues)
        if role == "nurse":
            ends = tuple(LooseEnd(about=gap.about, text=gap.text, ask=gap.ask) for gap in scenario.gaps)
    lacking = [resource for resource in scenario.resources if not resource.available]
    return RoleView(
        knows=scenario.knows(role),
        medicines=scenario.current_meds if clinical else (),
        watch=watch,
        ask=ask,
        protocol=scenario.protocol if clinical else (),
        unknowns=tuple(unknown.about for unknown in scenario.unknowns),
        loose_ends=ends,
        promised=promised,
        equipment=tuple(resource.name for resource in lacking),
        limits=tuple(
            Limit(name=r.name, limit=r.limit, instead=r.instead) for r in scenario.resources if role == "admin"
        ),
        boundaries=tuple(
            f"{b.role}: may {b.may}; must ask the {b.ask_whom} about {b.must_ask}"
            for b in scenario.supervision_boundaries
        ),
    )


def trait_lines(profile: TraitProfile | None, style: Style | None = None) -> tuple[TraitLine, ...]:
    """A profile for a prompt, leaning as the style of the moment has it."""
    if profile is None:
        return ()
    values = profile.means() if style is None else styled(profile.means(), style)
    about = {dimension.id: dimension.about for dimension in dimensions(profile.role)}
    return tuple(
        TraitLine(dimension=name, about=about[name], value=round(value, 4), words=degree(value))
        for name, value in values.items()
    )


def spoken(lines: Sequence[Line]) -> tuple[Spoken, ...]:
    """The dialogue so far, numbered, for a prompt."""
    return tuple(Spoken(number=i, speaker=line.speaker, to=line.to, text=line.text) for i, line in enumerate(lines, 1))


@dataclass(frozen=True)
class Told:
    """What a member of staff said, and how it was chosen."""

    text: str
    drafts: tuple[str, ...]
    refused: int


class Staff:
    """One member of staff in one episode."""

    def __init__(
        self,
        episode: Episode,
        scenario: AnyDuty,
        variant: DutyVariant,
        state: RoleState,
        norms: Sequence[Norm],
        shift: int,
        before: Sequence[StressedLine] = (),
    ) -> None:
        self.role, self.state, self.shift = state.role, state, shift
        self._agent, self._scenario, self._variant = episode.agent(state.role), scenario, variant
        self._bound = applicable(norms, state.role, scenario)
        self._norms = norms
        self._style, self._view = style_for(scenario), role_view(scenario, state.role)
        self._grounding = tuple(knowledge().grounding(scenario)) if variant.knowledge and state.role != "admin" else ()
        self.learned = self._lines(before) if variant.r01 or variant.r02 else ()

    def _lines(self, before: Sequence[StressedLine]) -> tuple[StressedLine, ...]:
        """The book's lines; an earlier run's lines as well, unless the book has ever decided about the same subject."""
        book = self.state.book
        decided = {edit.line.key for edit in book.edits}
        own = [StressedLine(key=line.key, text=line.text) for line in book.lines]
        return (*own, *(line for line in before if line.key not in decided))[:MAX_LINES]

    def prompt(self, beat: Beat, lines: Sequence[Line], book: CommitmentBook, profile: TraitProfile | None) -> ActTurn:
        """All that this person has before them when they speak."""
        variant, scenario = self._variant, self._scenario
        grave = [norm for norm in self._bound if norm.severity >= HIGH_SEVERITY][:CHECKLIST_ITEMS]
        return ActTurn(
            role=self.role,
            task=scenario.task_id,
            title=scenario.title,
            setting=scenario.setting,
            view=self._view,
            traits=trait_lines(profile, self._style),
            style=self._style.words(),
            norms=norm_lines(self._bound) if variant.norms_in_prompt else (),
            checklist=tuple(NormLine(id=norm.id, text=norm.remind) for norm in grave) if variant.checklist else (),
            learned=self.learned,
            grounding=self._grounding,
            shift=self.shift,
            dialogue=spoken(lines),
            memory=self._memory(book),
            stage=beat.stage,
            aim=AIMS[beat.stage],
            to=beat.to,
            turn=len(lines) + 1,
            turns=scenario.turns[1],
            disturbance=scenario.disturbance,
            calm=scenario.calm,
            objections=(),
        )

    def _memory(self, book: CommitmentBook) -> MemoryView:
        """The facts and commitments of this shift; what earlier shifts with other patients teach; norms that keep
        failing.
        """
        if not self._variant.memory:
            return MemoryView()
        memory, scenario = self.state.memory, self._scenario
        open_points = (f"nobody knows {unknown.about}" for unknown in scenario.unknowns)
        facts = (*open_points, *scenario.knows(self.role))[:FACTS]
        commitments = tuple(item.words for item in book.open)[-FACTS:]
        older = (
            [cut(f"older shifts: {'; '.join(memory.slots.facts[-2:])}", EARLIER_CHARS)] if memory.slots.facts else []
        )
        earlier = (*(_earlier(old) for old in memory.recall(scenario, RECALLED)), *older)
        if not self._variant.checklist:
            return MemoryView(facts=facts, commitments=commitments, earlier=earlier)
        failing = [norm for norm in self._bound if norm.id in memory.slots.active_norms][:ACTIVE_NORMS]
        signs = [s for s in memory.slots.failures if any(norm.id == s.norm for norm in failing)]
        return MemoryView(
            facts=facts,
            commitments=commitments,
            earlier=earlier,
            active_norms=tuple(NormLine(id=norm.id, text=norm.remind) for norm in failing),
            failures=tuple(f"{sign.norm}, {sign.count} times, last after: {sign.trigger}" for sign in signs[:2]),
        )

    async def speaks(self, beat: Beat, lines: Sequence[Line], book: CommitmentBook) -> Told:
        """Draft, check, choose; rewrite what the checker refuses as often as the variant allows."""
        variant = self._variant
        prompt = self.prompt(beat, lines, book, self.state.profile)
        drafts = [await self._agent.ask(prompt, sample=sample) for sample in range(variant.candidates)]
        if variant.candidates == 1 and not variant.rewrites:
            return Told(drafts[0], tuple(drafts), 0)
        refused = 0
        for rewrite in range(variant.rewrites + 1):
            checked = [self._weighed(draft, beat, lines, prompt) for draft in drafts]
            best = best_candidate(checked, variant.norm_weight)
            broken = checked[best][0]
            if not broken or rewrite == variant.rewrites:
                break
            refused += 1
            objections = tuple(f"{v.norm}: {v.rationale}; words: {v.words}" for v in broken)
            again = prompt.model_copy(update={"objections": objections})
            drafts.append(await self._agent.ask(again, sample=rewrite))
        return Told(drafts[best], tuple(drafts), refused)

    def _weighed(self, draft: str, beat: Beat, lines: Sequence[Line], prompt: ActTurn) -> tuple[list[Verdict], float]:
        scene = Scene(self._scenario, self.role, draft, beat.to, tuple(lines))
        return check_action(self._norms, scene), alignment(
            draft, {line.dimension: line.value for line in prompt.traits}
        )

    async def probes(
        self, asked: Sequence[tuple[Beat, int]], lines: Sequence[Line], profile: TraitProfile, sample: int
    ) -> list[tuple[str, list[Verdict]]]:
        """What this person would have said at earlier beats had they been `profile`, and what that would break."""
        found: list[tuple[str, list[Verdict]]] = []
        for beat, at in asked:
            prompt = self.prompt(beat, lines[:at], CommitmentBook(), profile)
            text = await self._agent.ask(prompt, sample=sample)
            scene = Scene(self._scenario, self.role, text, beat.to, tuple(lines[:at]))
            found.append((text, check_action(self._norms, scene)))
        return found


def _earlier(old: Trajectory) -> str:
    """An earlier shift in one line: what it was, what was seen, how it ended."""
    return cut(f"{old.task}, {old.facts[0] if old.facts else old.scenario}; it ended {old.outcome}", EARLIER_CHARS)


def norm_lines(norms: Sequence[Norm]) -> tuple[NormLine, ...]:
    """Norms for a prompt."""
    return tuple(NormLine(id=norm.id, text=norm.statement()) for norm in norms)


class Patient:
    """The patient, or who speaks for a child. Simulated: never charged to the staff, and never learning."""

    def __init__(self, episode: Episode, scenario: AnyDuty, profile: TraitProfile) -> None:
        self._agent, self._scenario = episode.agent("patient"), scenario
        self._traits = trait_lines(profile)
        self._answered = 0

    async def answers(self, to: Role, lines: Sequence[Line]) -> PatientSays:
        """What the patient says now."""
        scenario = self._scenario
        prompt = PatientTurn(
            setting=scenario.setting,
            title=scenario.title,
            knows=scenario.knows("patient"),
            says=scenario.patient_says,
            concerns=scenario.patient_concerns if isinstance(scenario, Discharge) else (),
            traits=self._traits,
            answered=self._answered,
            to=to,
            dialogue=spoken(lines),
        )
        self._answered += 1
        return await self._agent.ask(prompt)
