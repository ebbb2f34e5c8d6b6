"""Who speaks when. The guard checks every message first; then plan, look up, write, criticise, revise, at most N
drafts.

What must hold is enforced here in code, not requested in a prompt. The queue entry is committed before the set message
is said, and after that message nothing automatic is said. If no draft is acceptable, safe words are said instead.
Unless the guard gives a clear verdict, a person must look. In a live talk, every technical fault goes to a person too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping

from polyclinic.clinics.counsel.agents import Counsellor, Critic, Guard, Other, Recollection, SignalReader
from polyclinic.clinics.counsel.flow.drafts import Drafted, Drafting, HeardMessage
from polyclinic.clinics.counsel.flow.people import People
from polyclinic.clinics.counsel.prompts.replies import DeskSays
from polyclinic.clinics.counsel.rules.affirmed import affirmed, asks_about_ending
from polyclinic.clinics.counsel.rules.guard import Decision, from_fault
from polyclinic.clinics.counsel.rules.lexicon import NOTHING_FOUND
from polyclinic.clinics.counsel.rules.messages import (
    escalation_message,
    fallback,
    gentle_question,
    handover_message,
    offer_of_person,
)
from polyclinic.clinics.counsel.rules.notes import ByPerson, Guarded, MemoryChanged, SetMessage, TalkEnded, Voiced
from polyclinic.clinics.counsel.rules.small_talk import agrees
from polyclinic.clinics.counsel.scenario import Talk, cue_text
from polyclinic.clinics.counsel.state import (
    HOLDING_CHANGE,
    STAGE_CHANGE,
    Charts,
    Control,
    Fact,
    Holding,
    Remembered,
    Session,
)
from polyclinic.clinics.counsel.tools import knowledge
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.episode import Episode
from polyclinic.core.note import Payload
from polyclinic.core.transcript import FAULT_OWNERS, Failed
from polyclinic.errors import ConfigError, OwnedError, PolyclinicError, ReaderError, ReplyError

UNREADABLE = (ReplyError, ReaderError)
CANNOT_GO_ON = (OwnedError, ConfigError)
"""What a call of a model can raise: its own failure, or an error because it was not set up (no API key, for example).
"""


async def flow(episode: Episode[Talk, CounselVariant]) -> str:
    """One conversation. Ends as ``closed``, ``left``, ``turns`` or ``escalated``; a live one ends when it is closed."""
    room = Room(episode)
    while True:
        outcome = await room.step(await room.other.next())
        if outcome:
            room.leave(outcome)
            return outcome


class Room:
    """One conversation, step by step."""

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
        self.listener = SignalReader(episode, self.session)
        cue = {} if self.talk.live else {self.talk.risk_turn: cue_text(self.talk)}
        self.other = Other(episode, self.talk, self.session, cue, voice)
        self.people = People(episode, self.session, self.memory)
        self.asked = ""

    async def step(self, event: DeskSays) -> str:
        """Handle one event; returns the outcome when the conversation is over."""
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
        """The patient has spoken: ask the guard, then answer, unless a person holds the conversation."""
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
        if offer_of_person(session.lang) in self.asked and agrees(event.text):
            return await self.call_a_person(event)
        gentle = ""
        if decision is not None and decision.way == "ask_gently":
            session.concerns += 1
            if not asks_about_ending(self.asked):  # do not ask again right after the question
                gentle = gentle_question(session.lang)
            if self.talk.live:
                await self.people.flag(event.text, decision)
        return await (self.answer_live(event, gentle) if self.talk.live else self.answer(event, gentle))

    async def understand(self, utterance: str) -> Mapping[str, str]:
        """The signals in what was said. If the reader's reply is unreadable in a live talk, there are no signals, but
        the person still gets an answer.
        """
        try:
            return await self.listener.hear(utterance, self.asked)
        except UNREADABLE as error:
            if not self.talk.live:
                raise
            self.episode.record(Failed.because(error, str(error), "reader", fatal=False))
            return {}

    def over(self, event: DeskSays, heard: Mapping[str, str]) -> str:
        """The outcome if the person leaves, or says goodbye in the last stage; else empty. Thanks alone do not end the
        talk.
        """
        closing = self.session.stage == "closing"
        if event.by == "leaves" or (closing and "farewell" in heard):
            return "closed" if closing else "left"
        return ""

    # -- the guard -----------------------------------------------------------------------------------------------------
    async def check(self, utterance: str) -> Decision | None:
        """Get the guard's decision and note it. A turn that was handed over stays so when the session is resumed."""
        if not self.variant.guard:
            return None
        answered = affirmed(utterance) if asks_about_ending(self.asked) else None
        decision = self.people.decided_before() or answered
        decision = decision or await self.guard.check(utterance)
        self.episode.note(Guarded(turn=self.session.turn, **decision.model_dump()))
        return decision

    async def escalate(self, decision: Decision, utterance: str) -> None:
        """Notify people and commit the notice. Only then the patient gets the set message, and nothing else."""
        await self.people.call(utterance, decision.reason, decision.words, decision=decision)
        self.control("escalated", "")
        text = escalation_message(self.session.lang, self.talk.persona.country, decision.label)
        self.aloud("service", text, SetMessage(turn=self.session.turn, set_message=True))

    async def hand_over(self, event: DeskSays) -> None:
        """Somebody asks for a person, without a crisis."""
        self.session.turn += 1
        await self.call_a_person(event)

    async def call_a_person(self, event: DeskSays) -> str:
        """Put the conversation into the queue and say so. Automated talk stops."""
        await self.people.call(event.text, "somebody asked to speak to a person", event.text, by=event.by)
        self.control("escalated", "")
        told = SetMessage(turn=self.session.turn, set_message=True)
        self.aloud("service", handover_message(self.session.lang), told)
        return "" if self.talk.live else "escalated"

    async def pass_on(self, utterance: str) -> str:
        """While people hold the conversation the patient's words are kept for them and nothing automatic answers."""
        if self.session.control == "escalated":
            await self.people.call(utterance, "said while waiting for a person", "")
        return ""

    # -- the answer ----------------------------------------------------------------------------------------------------
    async def answer(self, event: DeskSays, gentle: str) -> str:
        """The second half of Algorithm 1: plan, look up, write, criticise. If no draft is acceptable, safe words are
        said.
        """
        heard, made = await self.prepare(event.text, gentle)
        await self.say(heard, made)
        return self.over(event, heard.signals)

    async def answer_live(self, event: DeskSays, gentle: str) -> str:
        """Like `answer`, for a real person. A technical fault (other than an unreadable reply) goes to people, and the
        person gets the set message instead of an answer.
        """
        before = len(self.episode.transcript.of(Failed))
        try:
            async with asyncio.timeout(self.variant.answer_timeout_s):
                heard, made = await self.prepare(event.text, gentle)
        except TimeoutError:
            why = f"no answer within {self.variant.answer_timeout_s:g} s"
            self.episode.record(Failed(owner="model", error=why, where="answer", fatal=False))
        except CANNOT_GO_ON as error:
            self.episode.record(Failed.because(error, str(error), "answer", fatal=False))
        faults = [fault for fault in self.episode.transcript.of(Failed)[before:] if fault.owner in FAULT_OWNERS]
        if faults:
            why = f"{faults[-1].where} failed: {faults[-1].error}"
            await self.escalate(from_fault(NOTHING_FOUND, why, event.text), event.text)
            return ""
        await self.say(heard, made)
        return self.over(event, heard.signals)

    async def prepare(self, utterance: str, gentle: str) -> tuple[HeardMessage, Drafted]:
        """What the person said and meant, and the answer to it. Nothing is said yet."""
        await self.lenient(self.memory.turns.remember("patient", utterance), UNREADABLE)
        heard = HeardMessage(utterance, self.asked, await self.understand(utterance), gentle)
        try:
            if self.variant.single:  # the baseline: one agent answers
                return heard, Drafted(text=await self.counsellor.alone(utterance))
            return heard, await self.drafting.answer(heard)
        except UNREADABLE as error:
            if not self.counsellor.live:
                raise
            return heard, Drafted(risk=1, why=f"the counsellor failed: {error}")

    async def say(self, heard: HeardMessage, made: Drafted) -> None:
        """Say the answer, or safe words where no draft was acceptable; then remember."""
        session, utterance = self.session, heard.utterance
        stage = session.stage
        if made.risk or made.doubted is not None:
            await self.hand_to_review(utterance, made)
        if made.move is not None and made.move.to != session.stage:
            self.episode.changed(STAGE_CHANGE, session.stage, made.move.to)
            session.move(made.move.to)
        self.asked = fallback(made.risk, session.lang) if made.risk else made.text
        if self.talk.live:
            await self.episode.committed()
        self.aloud("counsellor", self.asked, made.replied(session.turn, session.stage))
        if not self.variant.single:
            await self.lenient(self.keep(heard.asked, stage, utterance), CANNOT_GO_ON)
        await self.lenient(self.memory.turns.remember("counsellor", self.asked), CANNOT_GO_ON)

    async def keep(self, asked: str, stage: str, utterance: str) -> None:
        """Update long-term memory after a turn, when the patient has already been answered."""
        applied = await self.memory.keep(asked, stage, utterance)
        changes = tuple(change for change in applied if change.action != "keep")
        if changes:
            self.episode.note(MemoryChanged(turn=self.session.turn, changes=changes))

    async def lenient(self, work: Awaitable[None], faults: tuple[type[PolyclinicError], ...]) -> None:
        """Do work that updates the memory. In a live talk, a fault here only loses a memory: the person still gets the
        answer. In an experiment, such a fault is a failure.
        """
        if not self.talk.live:
            return await work
        try:
            async with asyncio.timeout(self.variant.answer_timeout_s):
                await work
        except TimeoutError:
            self.episode.record(Failed(owner="model", error="no answer in time", where="keeper", fatal=False))
        except faults as error:
            self.episode.record(Failed.because(error, str(error), "keeper", fatal=False))
        return None

    async def hand_to_review(self, utterance: str, made: Drafted) -> None:
        """No draft was acceptable, or only the critic objected. A person is notified before the safe words or this
        draft are said.
        """
        risk, why = made.risk, made.why
        if made.doubted is not None:
            risk, why = made.doubted.risk, made.doubted.feedback
        else:
            self.episode.violated(f"unresolved_r{risk}", "counsellor", severity=3, words=made.text, rationale=why)
        await self.people.review(utterance, why, risk, made.text)

    # -- helpers -------------------------------------------------------------------------------------------------------
    def aloud(self, speaker: str, text: str, payload: Payload) -> None:
        """Say something; both sides hear it."""
        self.episode.say(speaker, text, to="counsellor" if speaker == "patient" else "patient", payload=payload)
        self.other.hear(speaker, text)

    def control(self, to: Control, holder: str) -> None:
        """Change who holds the conversation."""
        self.episode.changed(HOLDING_CHANGE, {"by": self.session.control}, Holding(by=to, holder=holder))
        self.session.control, self.session.holder = to, holder

    def leave(self, outcome: str) -> None:
        """Keep what was learned of the person for the next visit, and how the talk ended."""
        facts = tuple(self.memory.facts.listed())
        if self.charts is not None:
            self.episode.effect(Remembered(patient=self.talk.persona.id, facts=facts))
        session = self.session
        ended = TalkEnded(stage=session.stage, turns=session.turn, concerns=session.concerns, facts=facts)
        self.episode.conclude(ended)
