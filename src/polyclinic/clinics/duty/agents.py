"""The cast: members of staff, who speak under norms, traits, memory and learned lines, and the patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import Field

from polyclinic.clinics.duty.prompts import (
    ActTurn,
    Limit,
    MemoryView,
    PatientSteers,
    PatientTurn,
    RoleView,
    Spoken,
    StaffSteers,
    TraitLine,
)
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.rules.norms.checker import Verdict, read_action
from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, Norm, applicable
from polyclinic.clinics.duty.rules.norms.scoring import best_candidate
from polyclinic.clinics.duty.rules.tasks.beats import AIMS, Beat
from polyclinic.clinics.duty.rules.traits.hearing import alignment
from polyclinic.clinics.duty.rules.triggers.scene import Line, Scene
from polyclinic.clinics.duty.scenario import (
    CLINICAL,
    STAFF,
    AnyDuty,
    Discharge,
    MedicationReview,
    Role,
)
from polyclinic.clinics.duty.state.memory import CommitmentBook, Trajectory
from polyclinic.clinics.duty.state.prompt_book import MAX_LINES
from polyclinic.clinics.duty.state.style import Style, style_for, styled
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen, Message, assistant, user
from polyclinic.core.part import Part, answer_in_part
from polyclinic.errors import ConfigError
from polyclinic.people.traits import TraitProfile, degree, dimensions

CHECKLIST_ITEMS = 3
ACTIVE_NORMS = 4
RECALLED = 2
FACTS = 4
EARLIER_CHARS = 140
PATIENT_MANNERS = 4


class LearnedBefore(Protocol):
    """A line that an earlier run learned: what it is about, and its words."""

    @property
    def key(self) -> str:
        """What it is about."""
        ...

    @property
    def text(self) -> str:
        """Its words."""
        ...


def role_view(scenario: AnyDuty, role: Role) -> RoleView:
    """What this role sees of the scenario."""
    clinical = role in CLINICAL
    lacking = [resource for resource in scenario.resources if not resource.available]
    return RoleView(
        knows=(*_situation(scenario, role), *scenario.knows(role)),
        medicines=scenario.current_meds if clinical else (),
        protocol=scenario.protocol if clinical else (),
        unknowns=tuple(unknown.about for unknown in scenario.unknowns),
        promised=tuple(cue.text for cue in scenario.continuity_cues) if isinstance(scenario, Discharge) else (),
        equipment=tuple(resource.name for resource in lacking),
        limits=tuple(
            Limit(name=r.name, limit=r.limit, instead=r.instead) for r in scenario.resources if role == "admin"
        ),
        boundaries=tuple(
            f"you may {b.may}; ask the {b.ask_whom} about {b.must_ask}"
            for b in scenario.supervision_boundaries
            if b.role == role
        ),
    )


def _situation(scenario: AnyDuty, role: Role) -> tuple[str, ...]:
    """What everybody in this role has read before the first word: the patient, the complaint, the plan."""
    if role not in CLINICAL:
        return ()
    if isinstance(scenario, MedicationReview):
        return scenario.patient_profile, scenario.symptoms
    if isinstance(scenario, Discharge):
        return (scenario.care_plan,)
    return (scenario.presenting_complaint,) if role == "nurse" else ()


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


def since_own_words(role: Role, lines: Sequence[Line]) -> tuple[list[Message], tuple[Spoken, ...]]:
    """The conversation as one side lived it: its own words as its own, in true order, and what came after them."""
    numbered = spoken(lines)
    own = [line.number for line in numbered if line.speaker == role]
    if not own:
        return [], numbered
    history: list[Message] = []
    heard: list[str] = []
    for line in numbered[: own[-1]]:
        if line.speaker != role:
            whom = "you" if line.to == role else f"the {line.to}"
            heard.append(f"The {line.speaker} says to {whom}: {line.text}")
            continue
        history += [user("\n".join(heard) or "Nobody has spoken yet. You begin."), assistant(line.text)]
        heard = []
    return history, numbered[own[-1] :]


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
        before: Sequence[LearnedBefore] = (),
    ) -> None:
        self.role, self.state, self.shift = state.role, state, shift
        self._agent, self._scenario, self._variant = episode.agent(state.role), scenario, variant
        self._reads, self._options = episode.reads, steering(episode.services.options)
        self._bound = applicable(norms, state.role, scenario)
        self._norms = norms
        self._style, self._view = style_for(scenario), role_view(scenario, state.role)
        self._grounding = tuple(knowledge().grounding(scenario)) if variant.knowledge and state.role != "admin" else ()
        self.learned = self._lines(before) if variant.r01 or variant.r02 else ()

    def _lines(self, before: Sequence[LearnedBefore]) -> tuple[str, ...]:
        """The book's lines; an earlier run's lines as well, unless the book has ever decided about the same subject."""
        book = self.state.book
        decided = {edit.line.key for edit in book.edits}
        own = [line.text for line in book.lines]
        return (*own, *(line.text for line in before if line.key not in decided))[:MAX_LINES]

    def prompt(self, beat: Beat, lines: Sequence[Line], book: CommitmentBook, profile: TraitProfile | None) -> ActTurn:
        """All that this person has before them when they speak."""
        variant, scenario = self._variant, self._scenario
        grave = [norm for norm in self._bound if norm.severity >= HIGH_SEVERITY][:CHECKLIST_ITEMS]
        return ActTurn(
            role=self.role,
            title=scenario.title,
            setting=scenario.setting,
            view=self._view,
            traits=trait_lines(profile, self._style),
            style=self._style.words(),
            norms=tuple(norm.statement() for norm in self._bound) if variant.norms_in_prompt else (),
            checklist=tuple(norm.remind for norm in grave) if variant.checklist else (),
            learned=self.learned,
            grounding=self._grounding,
            heard=since_own_words(self.role, lines)[1],
            memory=self._memory(book),
            aim=AIMS[beat.stage],
            to=beat.to,
            last=beat.last,
            objections=(),
            steers=StaffSteers(
                task=scenario.task_id,
                stage=beat.stage,
                shift=self.shift,
                dialogue=spoken(lines),
                turn=len(lines) + 1,
                turns=scenario.turns[1],
                disturbance=scenario.disturbance,
                calm=scenario.calm,
                voice=self._options.voice,
                learning=self._options.learning,
            ),
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
            reminders=tuple(norm.remind for norm in failing),
            failures=tuple(f"{sign.count} times, last after: {sign.trigger}" for sign in signs[:2]),
        )

    async def speaks(self, beat: Beat, lines: Sequence[Line], book: CommitmentBook) -> Told:
        """Draft, check, choose; rewrite what the checker refuses as often as the variant allows."""
        variant = self._variant
        prompt, history = self.prompt(beat, lines, book, self.state.profile), since_own_words(self.role, lines)[0]
        drafts = [await self._agent.ask(prompt, history=history, sample=sample) for sample in range(variant.candidates)]
        if variant.candidates == 1 and not variant.rewrites:
            return Told(drafts[0], tuple(drafts), 0)
        refused = 0
        for rewrite in range(variant.rewrites + 1):
            checked = [await self._weighed(draft, beat, lines, prompt) for draft in drafts]
            best = best_candidate(checked, variant.norm_weight)
            broken = checked[best][0]
            if not broken or rewrite == variant.rewrites:
                break
            refused += 1
            objections = tuple(f"{v.rationale}; your words: {v.words}" for v in broken)
            again = prompt.model_copy(update={"objections": objections})
            drafts.append(await self._agent.ask(again, history=history, sample=rewrite))
        return Told(drafts[best], tuple(drafts), refused)

    async def _weighed(
        self, draft: str, beat: Beat, lines: Sequence[Line], prompt: ActTurn
    ) -> tuple[list[Verdict], float]:
        """What a draft breaks, and how well it agrees with who the person is: both as the reader finds it."""
        scene = Scene(self._scenario, self.role, draft, beat.to, tuple(lines))
        target = {line.dimension: line.value for line in prompt.traits}
        broken = await read_action(self._reads, self._norms, scene)
        return broken, await alignment(self._reads, self.role, draft, target)

    async def probes(
        self, asked: Sequence[tuple[Beat, int]], lines: Sequence[Line], profile: TraitProfile, sample: int
    ) -> list[tuple[str, list[Verdict]]]:
        """What this person would have said at earlier beats had they been `profile`, and what that would break."""
        found: list[tuple[str, list[Verdict]]] = []
        for beat, at in asked:
            prompt = self.prompt(beat, lines[:at], CommitmentBook(), profile)
            text = await self._agent.ask(prompt, history=since_own_words(self.role, lines[:at])[0], sample=sample)
            scene = Scene(self._scenario, self.role, text, beat.to, tuple(lines[:at]))
            found.append((text, await read_action(self._reads, self._norms, scene)))
        return found


def _earlier(old: Trajectory) -> str:
    """An earlier shift in one line: what it was, what was seen, how it ended."""
    return cut(f"{old.task}, {old.facts[0] if old.facts else old.scenario}; it ended {old.outcome}", EARLIER_CHARS)


class Steering(Frozen):
    """A run's settings for offline players: which voice they speak in, and how much a line that they understand
    changes.
    """

    voice: Literal["first", "second"] = "first"
    learning: float = Field(default=0.8, ge=0, le=1)


def steering(options: Mapping[str, str]) -> Steering:
    """The settings `voice` and `learning` of a run."""
    given = {name: options[name] for name in Steering.model_fields if name in options}
    try:
        return Steering.model_validate(given)
    except ValueError as error:
        raise ConfigError("duty's setting voice is first or second, and learning is a number from 0 to 1") from error


class Patient:
    """The patient, or who speaks for a child. Simulated: never charged to the staff, and never learning."""

    def __init__(self, episode: Episode, scenario: AnyDuty, profile: TraitProfile) -> None:
        self._episode, self._agent, self._scenario = episode, episode.agent("patient"), scenario
        self._traits = trait_lines(profile)
        self._voice = steering(episode.services.options).voice
        self._answered = 0

    async def answers(self, to: Role, lines: Sequence[Line]) -> str:
        """What the patient says now, held to the part of a patient."""
        scenario = self._scenario
        history, heard = since_own_words("patient", lines)
        prompt = PatientTurn(
            setting=scenario.setting,
            knows=scenario.knows("patient"),
            story=own_story(scenario),
            concerns=scenario.patient_concerns if isinstance(scenario, Discharge) else (),
            manner=tuple(f"{line.about}: {line.words}" for line in self._traits[:PATIENT_MANNERS]),
            heard=heard,
            to=to,
            steers=PatientSteers(
                answered=self._answered, dialogue=spoken(lines), traits=self._traits, voice=self._voice
            ),
        )
        self._answered += 1
        said = heard[-1].text if heard else ""
        part = Part(who="the patient", own=("patient",), others=tuple(STAFF), said=said)
        return (await answer_in_part(self._episode, self._agent, prompt, part, history=history)).value


def own_story(scenario: AnyDuty) -> tuple[str, ...]:
    """What the patient can tell by themselves. What they say back at the end they must first be told."""
    if isinstance(scenario, MedicationReview):
        return scenario.patient_says[:-1] or scenario.patient_says
    return scenario.patient_says[:1]
