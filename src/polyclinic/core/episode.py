"""One run of a clinic's flow over one scenario: what the flow may do, and what is kept of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from polyclinic.core.agent import Agent
from polyclinic.core.branches import Alongside, events_of_branch, join_branches, memo_of_branch
from polyclinic.core.campaign import Effect, NothingShared, Shared, StoredEffect, Turnstile
from polyclinic.core.clinic import Clinic
from polyclinic.core.library import LessonT, Library, LibraryAction, LibraryChanged, Operation, Provenance
from polyclinic.core.library_view import LibraryView
from polyclinic.core.limits import Meter
from polyclinic.core.note import Note, Payload, PayloadT, get_payload
from polyclinic.core.read_text import read_text
from polyclinic.core.reading import READER, Finding, Question
from polyclinic.core.records import StagedRecords
from polyclinic.core.scenario import S_co, V_co
from polyclinic.core.seed import derive, stream
from polyclinic.core.services import Services
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.tool import ToolAccess
from polyclinic.core.transcript import Changed, Event, Learned, Noted, Posted, Said, ToolUsed, Transcript, Violated
from polyclinic.core.value import plain, unchanging
from polyclinic.errors import EngineError, UnknownName

T = TypeVar("T")
SharedT = TypeVar("SharedT", bound=Shared)
Listener = Callable[[str, Event], None]

_LEARNED: Mapping[LibraryAction, Literal["added", "removed", "used"]] = {
    "add": "added",
    "remove": "removed",
    "use": "used",
}


@unchanging
class EpisodeSpec:
    """Which episode this is, as plain values that can be sent to another process."""

    id: str
    clinic: str
    scenario: str
    variant: str
    trial: int
    seed: int
    run: str = ""
    campaign: str = ""
    position: int = 0
    wave: int = 0


@dataclass
class Campaign:
    """What the episodes of one campaign share: state, libraries, and the turnstile that keeps their order."""

    shared: Shared = field(default_factory=NothingShared)
    libraries: dict[str, Library] = field(default_factory=dict)
    turnstile: Turnstile | None = None
    positions: Mapping[str, int] = field(default_factory=dict)

    def apply(self, effect: Effect | StoredEffect) -> None:
        """Apply one committed change: to a library, or to the clinic's shared state."""
        if isinstance(effect, StoredEffect):
            effect = effect.as_one_of((LibraryChanged, *self.shared.takes))
        if isinstance(effect, LibraryChanged):
            self.libraries[effect.library].apply(effect.operation)
        else:
            self.shared.apply(effect)


class Episode(Generic[S_co, V_co]):
    """The object that a flow works with. Everything that happens goes through it and becomes an event."""

    def __init__(
        self,
        spec: EpisodeSpec,
        clinic: Clinic,
        scenario: S_co,
        variant: V_co,
        board: Switchboard,
        services: Services,
        campaign: Campaign,
        meter: Meter,
        listener: Listener | None = None,
    ) -> None:
        self.spec, self.clinic, self.scenario, self.variant = spec, clinic, scenario, variant
        self.services, self.campaign, self.meter = services, campaign, meter
        self.board, self._listener = board, listener
        self.seed = derive(spec.seed, spec.scenario, spec.variant, spec.trial)
        self.effects: list[Effect] = []
        self.staged: StagedRecords | None = None
        self._concluded: dict[type[Payload], Payload] = {}
        self._events: list[Event] = []

    # -- identity and chance -------------------------------------------------------------------------------------------
    @property
    def id(self) -> str:
        """The episode's id, unique in its run."""
        return self.spec.id

    def random(self, purpose: str, *, paired: bool = False) -> random.Random:
        """A generator for one purpose.

        `paired` leaves the variant out, so that all variants get the same random numbers.
        """
        if paired:
            return stream(self.spec.seed, self.spec.scenario, self.spec.trial, purpose)
        return stream(self.spec.seed, self.spec.scenario, self.spec.variant, self.spec.trial, purpose)

    def agent(self, role: str, name: str = "") -> Agent:
        """An agent in a role; several agents of one role are named ``student-1``, ``student-2`` …"""
        owner = self.clinic.role(role).owner
        return Agent(role, self.board, self.record, owner, derive(self.seed, role) % 2**31, name)

    # -- what happens --------------------------------------------------------------------------------------------------
    def record(self, event: Event) -> None:
        """Add one event to the running branch, and call the listener."""
        events_of_branch(self._events).append(event)
        if self._listener is not None:
            self._listener(self.id, event)

    def say(self, speaker: str, text: str, to: str = "", payload: Payload | None = None) -> Said:
        """Say something aloud. The payload is kept with it, but nobody hears it."""
        plainly = speaker.__class__ is text.__class__ is to.__class__ is str
        if not plainly and not all(isinstance(word, str) for word in (speaker, text, to)):
            raise TypeError(f"who speaks, what is said and to whom must be text: {speaker!r}, {text!r}, {to!r}")
        said = Said(speaker=speaker, text=text, to=to, data=payload.written() if payload else {})
        self.record(said)
        return said

    def note(self, note: Note) -> None:
        """Record anything else: a phase, a plan, what was retrieved."""
        self.record(Noted(topic=note.topic, data=plain(note)))

    def changed(self, what: str, before: Any, after: Any) -> None:
        """Record that a piece of the world's state changed."""
        self.record(Changed(what=what, before=plain(before), after=plain(after)))

    def violated(
        self,
        rule: str,
        by: str,
        severity: int = 1,
        words: str = "",
        rationale: str = "",
        *,
        sure: float | None = None,
    ) -> None:
        """Record that a rule was broken. `sure` is how likely this is to the reader who found it, if that is known."""
        self.record(Violated(rule=rule, by=by, severity=severity, words=words, rationale=rationale, sure=sure))

    def used_tool(
        self,
        role: str,
        tool: str,
        access: ToolAccess,
        arguments: Mapping[str, Any],
        result: Any = None,
        error: str = "",
    ) -> None:
        """Record the use of a tool that a structured reply chose and the flow itself ran."""
        self.record(
            ToolUsed(
                role=role, tool=tool, effect=access, arguments=plain(dict(arguments)), result=plain(result), error=error
            )
        )

    def conclude(self, payload: Payload) -> None:
        """Keep facts about the whole episode with its end. Of each type, only the last one counts."""
        self._concluded[type(payload)] = payload

    def concluded(self, kind: type[PayloadT]) -> PayloadT | None:
        """The facts of this type that were concluded so far."""
        found = self._concluded.get(kind)
        return found if isinstance(found, kind) else None

    @property
    def closing(self) -> dict[str, Any]:
        """All facts that were concluded, as they are kept with the episode's end."""
        return {name: value for payload in self._concluded.values() for name, value in payload.written().items()}

    def take_turn(self) -> None:
        """Count one turn against the episode's limit."""
        self.meter.count_turn()

    @property
    def transcript(self) -> Transcript:
        """The events so far, of finished branches only."""
        return Transcript(self._events)

    async def together(self, *branches: Coroutine[Any, Any, T]) -> list[T]:
        """Run branches concurrently. Their events are kept in the order of the branches, not in the order of time.

        All branches finish first; then the first failure, in that same order, is raised.
        """
        return await join_branches(self._events, self.board.memo, branches)

    def alongside(self) -> Alongside[T]:
        """Branches that start one by one while the flow continues. ``checks: Alongside[Checked] = episode.alongside()``
        says what each branch gives; ``async with checks:`` is the block. Their events are kept when the block ends, in
        the order the branches were started.
        """
        return Alongside(self._events, self.board.memo)

    async def reads(self, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        """Ask the reader what a text means.

        Gives one finding for each question, in one call. No question is asked twice.
        """
        return await read_text(self.agent(READER), memo_of_branch(self.board.memo), text, questions)

    # -- what is shared ------------------------------------------------------------------------------------------------
    def shared(self, kind: type[SharedT]) -> SharedT | None:
        """The campaign's shared state; None for an episode outside a campaign.

        Enter a lane before you read it; change it with `effect`.
        """
        shared = self.campaign.shared
        return shared if isinstance(shared, kind) else None

    async def enter_lane(self, lane: str) -> None:
        """Wait until this episode may use a lane ("*" for all lanes). Outside a campaign there is no wait."""
        if self.campaign.turnstile is not None:
            await self.campaign.turnstile.enter(self.spec.position, lane)

    async def after(self, scenario: str) -> None:
        """Wait until the earlier episode of this campaign over that scenario has ended and its effects are applied."""
        if self.campaign.turnstile is not None:
            if scenario not in self.campaign.positions:
                raise EngineError(f"{self.id} waits for the scenario {scenario}, which is not in its campaign")
            if self.campaign.positions[scenario] >= self.spec.position:
                raise EngineError(f"{self.id} waits for the scenario {scenario}, which does not come before it")
            await self.campaign.turnstile.ended(self.campaign.positions[scenario])

    @property
    def records(self) -> StagedRecords:
        """The hospital's records as this episode sees them. Its changes are written when the episode ends, or never."""
        if self.staged is None:
            self.staged = self.services.hospital.stage()
        return self.staged

    def effect(self, effect: Effect) -> None:
        """Change shared state: committed with the episode's end, then applied. A failed episode changes nothing."""
        self.effects.append(effect)

    def library(self, lesson: type[LessonT]) -> LibraryView[LessonT]:
        """The library of these lessons. Reads see the shared library; changes are made at the episode's end."""
        name = lesson.library
        if name not in self.campaign.libraries:
            raise UnknownName("library", name, self.campaign.libraries)
        provenance = Provenance(run=self.spec.run, episode=self.id, scenario=self.scenario.id)
        return LibraryView(lesson, self.campaign.libraries[name], self._learn, provenance)

    def _learn(self, library: str, operation: Operation) -> None:
        self.effect(LibraryChanged(library=library, operation=operation))
        entry = operation.entry.id if operation.entry else operation.id
        action = _LEARNED[operation.action]
        self.record(Learned(library=library, action=action, entry=entry, reason=operation.reason))

    async def post(self, queue: str, key: str, body: Payload) -> None:
        """Hand a message over to staff. It is committed before this returns, and only once for each key, even after a
        resume.
        """
        content = body.written()
        await self.board.post(queue, key, content)
        self.record(Posted(queue=queue, key=key, body=content))

    async def committed(self) -> None:
        """Commit every answer so far, also of players who would give it again. What a real person is told next then
        stays the same after a restart with other players.
        """
        await self.board.written()

    def posted(self, queue: str, key: str, kind: type[PayloadT]) -> PayloadT | None:
        """The message that was handed over to staff under this key, also before a crash; None if there is none."""
        return get_payload(kind, self.board.posted.get((queue, key), {}))
