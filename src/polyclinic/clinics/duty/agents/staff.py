"""A member of staff, whose messages depend on norms, traits, memory and learned prompt lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyclinic.clinics.duty.agents.steering import steering
from polyclinic.clinics.duty.agents.views import role_view, since_own_words, spoken, trait_lines
from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.prompts.views import MemoryView, StaffSteers
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict, read_action
from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, Norm, applicable
from polyclinic.clinics.duty.rules.norms.scoring import best_candidate
from polyclinic.clinics.duty.rules.tasks import AIMS, MATTERS, Beat
from polyclinic.clinics.duty.rules.traits.hearing import alignment
from polyclinic.clinics.duty.rules.triggers import Scene, SceneLine
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.clinics.duty.state.memory import CommitmentBook, Trajectory
from polyclinic.clinics.duty.state.prompt_book import MAX_LINES
from polyclinic.clinics.duty.state.style import style_for
from polyclinic.clinics.duty.state.ward import RoleState
from polyclinic.clinics.duty.variants import DutyVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.message import Message, user
from polyclinic.people.traits import TraitProfile
from polyclinic.text.words import spoken_words

CHECKLIST_ITEMS = 3
ACTIVE_NORMS = 4
RECALLED = 2
FACTS = 4
EARLIER_CHARS = 140
_SAID_AGAIN = 8
"""Added to the sample number of a message that is asked for once more: no other request has that number."""
_REFUSES = re.compile(
    r"\b(?:can['’]?t|cannot|unable to) (?:assist|help)(?: you)? with (?:that|this)\b"
    r"|\b(?:don['’]?t|do not) have enough information to (?:provide|determine|answer)\b",
    re.IGNORECASE,
)
_RETOLD = re.compile(r"the [a-z]+ (?:says?|said) to (?:me|you|the [a-z]+)\b", re.IGNORECASE)


def unfit_speech(said: str, lines: Sequence[SceneLine]) -> str:
    """What is wrong with a language model's message that refuses, breaks off or repeats; empty for any other."""
    if _REFUSES.search(said):
        return "Nobody on a ward speaks like that."
    if said.rstrip().endswith(("…", "...")):
        return "Your words broke off."
    mine = spoken_words(said)
    repeated = _RETOLD.match(said) or any(spoken_words(line.text) == mine for line in lines)
    return "That has been said before." if repeated else ""


class LearnedBefore(Protocol):
    """A line that an earlier run learned: what it is about, and its words."""

    @property
    def key(self) -> str:
        """What the line is about."""
        ...

    @property
    def text(self) -> str:
        """The line's words."""
        ...


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
        self._reads, self._together = episode.reads, episode.together
        self._options = steering(episode.services.options)
        self._bound = applicable(norms, state.role, scenario)
        self._norms = norms
        self._style, self._view = style_for(scenario), role_view(scenario, state.role, variant.memory)
        self._grounding = tuple(knowledge().grounding(scenario)) if variant.knowledge and state.role != "admin" else ()
        self.learned = self._lines(before) if variant.r01 or variant.r02 else ()

    def _lines(self, before: Sequence[LearnedBefore]) -> tuple[str, ...]:
        """The book's lines, and an earlier run's lines about subjects that the book has no edit about."""
        book = self.state.book
        decided = {edit.line.key for edit in book.edits}
        own = [line.text for line in book.lines]
        return (*own, *(line.text for line in before if line.key not in decided))[:MAX_LINES]

    def prompt(
        self, beat: Beat, lines: Sequence[SceneLine], book: CommitmentBook, profile: TraitProfile | None
    ) -> ActTurn:
        """Everything that this person's prompt holds when they speak."""
        variant, scenario = self._variant, self._scenario
        grave = [norm for norm in self._bound if norm.severity >= HIGH_SEVERITY][:CHECKLIST_ITEMS]
        return ActTurn(
            role=self.role,
            matter=MATTERS[scenario.task],
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
                task=scenario.task,
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
        """The facts and commitments of this shift, what earlier shifts with other patients teach, and norms that are
        often broken.
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
        return MemoryView(
            facts=facts,
            commitments=commitments,
            earlier=earlier,
            reminders=tuple(norm.remind for norm in failing),
        )

    async def speaks(self, beat: Beat, lines: Sequence[SceneLine], book: CommitmentBook) -> Told:
        """Draft, check and choose. A refused draft is rewritten as often as the variant allows."""
        variant = self._variant
        prompt, history = self.prompt(beat, lines, book, self.state.profile), since_own_words(self.role, lines)[0]
        drafts = [await self._draft(prompt, lines, history, sample) for sample in range(variant.candidates)]
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
            drafts.append(await self._draft(again, lines, history, rewrite))
        return Told(drafts[best], tuple(drafts), refused)

    async def _draft(self, prompt: ActTurn, lines: Sequence[SceneLine], history: Sequence[Message], sample: int) -> str:
        """What this person would say. A language model that refuses, breaks off or repeats what was said is asked once
        more, without the earlier messages: there is less to copy.
        """
        said = await self._agent.ask(prompt, history=history, sample=sample)
        wrong = unfit_speech(said, lines) if self._agent.is_language_model else ""
        if not wrong:
            return said
        asked = user(f"{wrong} You are the {self.role}. Speak to the {prompt.to} yourself, in whole sentences.")
        return (await self._agent.answer(prompt, sample=sample + _SAID_AGAIN, after=(asked,))).value

    async def _weighed(
        self, draft: str, beat: Beat, lines: Sequence[SceneLine], prompt: ActTurn
    ) -> tuple[list[NormVerdict], float]:
        """What a draft breaks and how well it fits the person's traits, both as the reader finds it."""
        scene = Scene(self._scenario, self.role, draft, beat.to, tuple(lines))
        target = {line.dimension: line.value for line in prompt.traits}
        broken = await read_action(self._reads, self._norms, scene)
        return broken, await alignment(self._reads, self.role, draft, target)

    async def probes(
        self, asked: Sequence[tuple[Beat, int]], lines: Sequence[SceneLine], profile: TraitProfile, sample: int
    ) -> list[tuple[str, list[NormVerdict]]]:
        """What this person would have said at earlier beats with the traits in `profile`, and what that would break."""
        return await self._together(*(self._probe(beat, lines[:at], profile, sample) for beat, at in asked))

    async def _probe(
        self, beat: Beat, before: Sequence[SceneLine], profile: TraitProfile, sample: int
    ) -> tuple[str, list[NormVerdict]]:
        prompt = self.prompt(beat, before, CommitmentBook(), profile)
        text = await self._agent.ask(prompt, history=since_own_words(self.role, before)[0], sample=sample)
        scene = Scene(self._scenario, self.role, text, beat.to, tuple(before))
        return text, await read_action(self._reads, self._norms, scene)


def _earlier(old: Trajectory) -> str:
    """An earlier shift in one line: what it was, what was seen, how it ended."""
    return cut(f"{old.task}, {old.facts[0] if old.facts else old.scenario}; it ended {old.outcome}", EARLIER_CHARS)
