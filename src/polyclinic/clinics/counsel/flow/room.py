"""Who speaks when. The guard hears every message first; then plan, look up, write, criticise, revise, at most N
drafts.

What must hold is held here, not asked for: the queue entry is committed before the set message is said; after it
nothing automatic is said; a draft that stays at fault is never said, a safe utterance is; and whatever happens in the
guard, other than a clear verdict, goes to a person.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping

from polyclinic.clinics.counsel.agents import Counsellor, Critic, Guard, Listener, Other, Recollection
from polyclinic.clinics.counsel.flow.drafts import Drafted, Drafting, Heard
from polyclinic.clinics.counsel.prompts import DeskSays
from polyclinic.clinics.counsel.rules.cues import cue_text
from polyclinic.clinics.counsel.rules.guard import QUEUE, REVIEW_QUEUE, Decision
from polyclinic.clinics.counsel.rules.messages import escalation_message, fallback, gentle_question, handover_message
from polyclinic.clinics.counsel.rules.notes import (
    ByPerson,
    ForPerson,
    ForReview,
    Guarded,
    HandedOver,
    MemoryChanged,
    SetMessage,
    TalkEnded,
    Voiced,
)
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import Charts, Control, Fact, Remembered, Session
from polyclinic.clinics.counsel.tools import knowledge
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.episode import Episode
from polyclinic.core.note import Payload
from polyclinic.core.transcript import Failed
from polyclinic.errors import OwnedError


async def flow(episode: Episode[Talk, CounselVariant]) -> str:
    """One conversation. Ends as ``closed``, ``left``, ``turns`` or ``escalated``; a live one ends when it is closed."""
    room = Room(episode)
    while True:
        outcome = await room.step(await room.other.next())
        if outcome:
            room.leave(outcome)
            return outcome


class Room:
    """One conversation as it goes on."""

    def __init__(self, episode: Episode[Talk, CounselVariant]) -> None:
        self.episode, self.talk, self.variant = episode, episode.scenario, episode.variant
        self.session = Session(self.talk.lang)
        self.charts = episode.shared(Charts)
        before = tuple(Fact(subject=subject, value=value, turn=0) for subject, value in self.talk.known.items())
        if self.charts is not None:
            before += self.charts.facts.get(self.talk.persona.id, ())
        self.memory = Recollection(episode, self.session, before)
        options = episode.services.options
        sources = knowledge(episode.services.embedder, options.get("documents", ""))
        voice = options.get("voice", "first")
        self.guard = Guard(episode, self.session, self.memory, self.variant.guard_timeout_s, self.talk.live)
        self.counsellor = Counsellor(episode, self.session, self.memory, sources, voice)
        self.drafting = Drafting(episode, self.session, self.counsellor, Critic(episode, self.session))
        self.listener = Listener(episode, self.session)
        cue = {} if self.talk.live else {self.talk.risk_turn: cue_text(self.talk)}
        self.other = Other(episode, self.talk, self.session, cue, voice)
        self.asked = ""

    async def step(self, event: DeskSays) -> str:
        """Take one thing that happened; returns the outcome when the conversation is over."""
        if event.kind == "patient":
            return await self.heard(event)
        if event.kind == "person":
            self.aloud("person", event.text, ByPerson(by=event.by))
        elif event.kind == "take_over":
            self.control("person", event.by)
        elif event.kind == "hand_back":
            self.control("automatic", "")
        elif event.kind == "hand_over":
            await self.hand_over(event)
        else:
            self.control("closed", event.by)
            return "turns" if event.by == "turns" else "closed"
        return ""

    async def heard(self, event: DeskSays) -> str:
        """The patient has spoken: guard, then answer, unless a person holds the conversation."""
        session = self.session
        self.episode.take_turn()
        session.turn += 1
        cued = self.talk.risk if session.turn == self.talk.risk_turn and not self.talk.live else ""
        self.aloud("patient", event.text, Voiced(turn=session.turn, cue=cued))
        if session.control != "automatic":
            return await self.pass_on(event.text)
        decision = await self.check(event.text)
        if decision is not None and decision.way == "escalate":
            await self.escalate(decision, event.text)
            return "" if self.talk.live else "escalated"
        gentle = ""
        if decision is not None and decision.way == "ask_gently":
            session.concerns += 1
            gentle = gentle_question(session.lang)
        await self.lenient(self.memory.turns.remember("patient", event.text))
        heard = await self.understand(event.text)
        await self.answer(Heard(event.text, self.asked, heard, gentle))
        return self.over(event, heard)

    async def understand(self, utterance: str) -> Mapping[str, str]:
        """The signals in what was said. In a live talk a reader that fails costs a signal, not the answer."""
        try:
            return await self.listener.hear(utterance, self.asked)
        except OwnedError as error:
            if not self.talk.live:
                raise
            self.episode.record(Failed.because(error, str(error), "reader", fatal=False))
            return {}

    def over(self, event: DeskSays, heard: Mapping[str, str]) -> str:
        """Whether the person is leaving: they went, or took their leave at the end. Thanks on the way end nothing."""
        closing = self.session.stage == "closing"
        if event.by == "leaves" or (closing and "farewell" in heard):
            return "closed" if closing else "left"
        return ""

    # -- the guard -----------------------------------------------------------------------------------------------------
    async def check(self, utterance: str) -> Decision | None:
        """The guard's decision, kept. A turn that was already handed over stays handed over when a session resumes."""
        if not self.variant.guard:
            return None
        earlier = self.episode.posted(QUEUE, self.turn_key, ForPerson)
        decision = earlier.decision if earlier is not None else None
        decision = decision or await self.guard.check(utterance)
        self.episode.note(Guarded(turn=self.session.turn, **decision.model_dump()))
        return decision

    async def escalate(self, decision: Decision, utterance: str) -> None:
        """People are told and that is committed; only then does the patient hear the set message, and nothing else."""
        await self.call_person(utterance, decision.reason, decision.words, decision=decision)
        self.control("escalated", "")
        text = escalation_message(self.session.lang, self.talk.persona.country, decision.label)
        self.aloud("service", text, SetMessage(turn=self.session.turn, set_message=True))

    async def hand_over(self, event: DeskSays) -> None:
        """Somebody asks for a person, without a crisis."""
        self.session.turn += 1
        await self.call_person(event.text, "a person was asked for", event.text, by=event.by)
        self.control("escalated", event.by)
        told = SetMessage(turn=self.session.turn, set_message=True)
        self.aloud("service", handover_message(self.session.lang), told)

    async def pass_on(self, utterance: str) -> str:
        """While people hold the conversation the patient's words are kept for them and nothing automatic answers."""
        if self.session.control == "escalated":
            await self.call_person(utterance, "said while waiting for a person", "")
        return ""

    # -- the answer ----------------------------------------------------------------------------------------------------
    async def answer(self, heard: Heard) -> None:
        """Algorithm 1 from its second half on: plan, look up, write, criticise; the last word is a safe one."""
        session, utterance = self.session, heard.utterance
        try:
            made = await (self.alone(utterance) if self.variant.single else self.drafting.answer(heard))
        except OwnedError as error:
            if not self.talk.live:
                raise
            made = Drafted(risk=1, why=f"the counsellor failed: {error}")
        stage = session.stage
        if made.risk:
            await self.hand_to_review(utterance, made)
        if made.move is not None and made.move.to != session.stage:
            self.episode.changed("stage", session.stage, made.move.to)
            session.move(made.move.to)
        self.asked = fallback(made.risk, session.lang) if made.risk else made.text
        self.aloud("counsellor", self.asked, made.replied(session.turn, session.stage))
        if not self.variant.single:
            await self.lenient(self.keep(heard.asked, stage, utterance))
        await self.lenient(self.memory.turns.remember("counsellor", self.asked))

    async def keep(self, asked: str, stage: str, utterance: str) -> None:
        """Long-term memory after a turn, when the patient has already been answered."""
        applied = await self.memory.keep(asked, stage, utterance)
        changes = tuple(change for change in applied if change.action != "keep")
        if changes:
            self.episode.note(MemoryChanged(turn=self.session.turn, changes=changes))

    async def lenient(self, work: Awaitable[None]) -> None:
        """In a live talk a keeper that fails costs a memory, not the answer; in an experiment it is a failure."""
        try:
            await work
        except OwnedError as error:
            if not self.talk.live:
                raise
            self.episode.record(Failed.because(error, str(error), "keeper", fatal=False))

    async def alone(self, utterance: str) -> Drafted:
        """The baseline's answer."""
        return Drafted(text=await self.counsellor.alone(utterance))

    async def hand_to_review(self, utterance: str, made: Drafted) -> None:
        """No draft could be settled: a person is told before the safe words for this risk type are said."""
        rule = f"unresolved_r{made.risk}"
        self.episode.violated(rule, "counsellor", severity=3, words=made.text, rationale=made.why)
        review = ForReview(**vars(self.where(utterance)), reason=made.why, risk=made.risk, words=made.text)
        await self.episode.post(REVIEW_QUEUE, self.turn_key, review)

    # -- small things --------------------------------------------------------------------------------------------------
    @property
    def turn_key(self) -> str:
        """Names this turn in the queues."""
        return f"turn-{self.session.turn:04d}"

    async def call_person(
        self, utterance: str, reason: str, words: str, *, decision: Decision | None = None, by: str | None = None
    ) -> None:
        """Tell people: committed when this returns."""
        where = vars(self.where(utterance))
        message = ForPerson(**where, decision=decision, reason=reason, words=words, by=by)
        await self.episode.post(QUEUE, self.turn_key, message)

    def where(self, utterance: str) -> HandedOver:
        """Where the conversation stands, for people."""
        return HandedOver(
            patient=self.talk.persona.id,
            lang=self.session.lang,
            turn=self.session.turn,
            stage=self.session.stage,
            utterance=utterance,
            recent=tuple(self.memory.recent),
        )

    def aloud(self, speaker: str, text: str, payload: Payload) -> None:
        """Say something; both sides hear it."""
        self.episode.say(speaker, text, to="counsellor" if speaker == "patient" else "patient", payload=payload)
        self.other.hear(speaker, text)

    def control(self, to: Control, holder: str) -> None:
        """Who holds the conversation now."""
        self.episode.changed("control", {"by": self.session.control}, {"by": to, "holder": holder})
        self.session.control, self.session.holder = to, holder

    def leave(self, outcome: str) -> None:
        """Keep what was learned of the person for the next visit, and how it ended."""
        facts = tuple(self.memory.facts.listed())
        if self.charts is not None:
            self.episode.effect(Remembered(patient=self.talk.persona.id, facts=facts))
        session = self.session
        ended = TalkEnded(stage=session.stage, turns=session.turn, concerns=session.concerns, facts=facts)
        self.episode.conclude(ended)
