"""The cast: guard, planner, counsellor, critic and keeper on one side, the patient (or the live desk) on the other."""

from __future__ import annotations

import asyncio

from polyclinic.clinics.counsel.prompts import (
    CounsellorReplies,
    Criticism,
    CriticJudges,
    DeskSays,
    DeskWaits,
    GuardChecks,
    KeeperRemembers,
    KeeperSummarises,
    PatientSpeaks,
    PlannerPlans,
    Reply,
    SingleReplies,
    SourceShown,
)
from polyclinic.clinics.counsel.rules.guard import Decision, decide, from_fault, from_screen
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.notes import PlanRefused, Proposed
from polyclinic.clinics.counsel.rules.stages import Move, settle, wanted_signals
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import STAGES, Applied, Fact, Operation, PatientMemory, Session
from polyclinic.clinics.counsel.tools import Knowledge, Source
from polyclinic.core.episode import Episode
from polyclinic.core.memory import Memory, Turn, cut
from polyclinic.core.transcript import Failed
from polyclinic.errors import LimitReached, OwnedError, Owner, UserError

RECENT, EVERY, SUMMARY_CHARS, LINE_CHARS = 10, 20, 200, 600


class Recollection:
    """Short-term and long-term memory of one conversation, both bounded."""

    def __init__(self, episode: Episode, session: Session, facts: tuple[Fact, ...]) -> None:
        self._keeper, self._session = episode.agent("keeper"), session
        self.facts = PatientMemory.from_facts(facts)
        self.turns = Memory(recent=RECENT, every=EVERY, summary_chars=SUMMARY_CHARS, summarise=self._summarise)

    async def _summarise(self, summary: str, turns: list[Turn]) -> str:
        prompt = KeeperSummarises(
            lang=self._session.lang, limit=SUMMARY_CHARS, summary=summary, turns=tuple(_line(turn) for turn in turns)
        )
        return await self._keeper.ask(prompt)

    async def keep(self, asked: str, stage: str, utterance: str) -> list[Applied]:
        """Let the keeper propose what to remember of this turn, and carry it out."""
        prompt = KeeperRemembers(
            lang=self._session.lang,
            facts=self.known,
            stage=stage,
            asked=cut(asked, LINE_CHARS),
            utterance=utterance,
        )
        update = await self._keeper.ask(prompt)
        proposed = [Operation(action=op.action, subject=op.subject, value=op.value) for op in update.operations]
        return self.facts.apply(proposed, self._session.turn)

    @property
    def known(self) -> tuple[str, ...]:
        """The facts as lines, with the turn each is from."""
        return tuple(f"{fact.subject}: {fact.value} (turn {fact.turn})" for fact in self.facts.listed())

    @property
    def recent(self) -> tuple[str, ...]:
        """The turns not yet summarised, as bounded lines."""
        return tuple(_line(turn) for turn in self.turns.window())

    @property
    def summary(self) -> str:
        """Older turns in short."""
        return self.turns.summary


class Guard:
    """Looks at every message before anybody answers it. Its own faults count as danger."""

    def __init__(self, episode: Episode, session: Session, memory: Recollection, timeout_s: float) -> None:
        self._episode, self._agent = episode, episode.agent("guard")
        self._session, self._memory, self._timeout_s = session, memory, timeout_s

    async def check(self, utterance: str) -> Decision:
        """The screen first, because it is quick and cannot fail.

        Then the model, unless the screen has already raised.
        """
        found = screen(utterance)
        quick = from_screen(found)
        if quick.way == "escalate":
            return quick
        prompt = GuardChecks(
            lang=self._session.lang, summary=self._memory.summary, recent=self._memory.recent, utterance=utterance
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                verdict = await self._agent.ask(prompt)
        except (LimitReached, UserError):
            raise
        except TimeoutError:
            return self._fault(
                found_words=utterance, fault=f"the guard did not answer within {self._timeout_s:g} s", owner="model"
            )
        except Exception as error:
            owner = error.owner if isinstance(error, OwnedError) else "engine"
            return self._fault(
                found_words=utterance, fault=f"the guard failed: {type(error).__name__}: {error}", owner=owner
            )
        return decide(found, verdict.label, verdict.reason, verdict.words)

    def _fault(self, found_words: str, fault: str, owner: Owner) -> Decision:
        self._episode.record(Failed(owner=owner, error=fault, where="guard", fatal=False))
        return from_fault(screen(found_words), fault, found_words)


class Counsellor:
    """Plans, looks up and drafts. The plan is settled by rule; only sources that were found can be cited."""

    def __init__(self, episode: Episode, session: Session, memory: Recollection, sources: Knowledge) -> None:
        self._episode, self._session, self._memory, self._knowledge = episode, session, memory, sources
        self._planner, self._writer = episode.agent("planner"), episode.agent("counsellor")

    async def plan(self, utterance: str, feedback: str) -> Move:
        """Where the conversation should stand for this answer; the session itself is not yet moved."""
        session = self._session
        proposed = await self._planner.ask(
            PlannerPlans(
                lang=session.lang,
                stages=STAGES,
                stage=session.stage,
                furthest=session.furthest,
                wanted=wanted_signals(session.stage),
                recent=self._memory.recent,
                utterance=utterance,
                feedback=feedback,
            )
        )
        wish = Move(kind="stay", to=proposed.to, signal=proposed.signal, words=proposed.words)
        move, followed = settle(session.stage, session.furthest, utterance, session.lang, wish)
        if not followed:
            self._episode.note(PlanRefused(proposed=Proposed(**proposed.model_dump()), made=move))
        return move

    def look_up(self, utterance: str, stage: str) -> list[Source]:
        """Passages for what was asked and for what the stage must explain."""
        lang = self._session.lang
        found = [
            *self._knowledge.search(stage_words(stage, "query", lang), lang, 1),
            *self._knowledge.search(utterance, lang, 2),
        ]
        return list({source.id: source for source in found}.values())

    async def write(
        self, utterance: str, move: Move, sources: list[Source], gentle: str, attempt: int, refused: str, feedback: str
    ) -> Reply:
        """One draft; `attempt` counts them from 1."""
        return await self._writer.ask(
            CounsellorReplies(
                lang=self._session.lang,
                stage=move.to,
                goal=stage_words(move.to, "goal", self._session.lang),
                moved="" if move.kind == "stay" else f"{move.kind}: {move.signal} ({move.words})",
                facts=self._memory.known,
                summary=self._memory.summary,
                recent=self._memory.recent,
                sources=shown(sources),
                gentle=gentle,
                utterance=utterance,
                attempt=attempt,
                refused=refused,
                feedback=feedback,
            )
        )

    async def alone(self, utterance: str) -> str:
        """The baseline: one prompt and no more."""
        prompt = SingleReplies(lang=self._session.lang, recent=self._memory.recent, utterance=utterance)
        return await self._writer.ask(prompt)


class Critic:
    """Judges a draft before the patient hears it."""

    def __init__(self, episode: Episode, session: Session, memory: Recollection) -> None:
        self._agent, self._session, self._memory = episode.agent("critic"), session, memory

    async def judge(self, utterance: str, draft: str, sources: list[Source]) -> Criticism:
        """The verdict with its feedback."""
        return await self._agent.ask(
            CriticJudges(
                lang=self._session.lang,
                facts=self._memory.known,
                summary=self._memory.summary,
                sources=shown(sources),
                recent=self._memory.recent,
                utterance=utterance,
                draft=draft,
            )
        )


class Other:
    """Whoever the counsellor talks with: a simulated patient, or in live talks the desk where people act."""

    def __init__(self, episode: Episode, talk: Talk, session: Session, cues: dict[int, str]) -> None:
        self._patient, self._desk = episode.agent("patient"), episode.agent("desk")
        self._talk, self._session, self._cues = talk, session, cues
        self._steps = 0
        self._heard = Memory(recent=RECENT)

    def hear(self, speaker: str, text: str) -> None:
        """What was said aloud, by either side."""
        self._heard.turns.append(Turn(speaker=speaker, text=text))
        del self._heard.turns[:-RECENT]

    async def next(self) -> DeskSays:
        """What happens next."""
        self._steps += 1
        if self._talk.live:
            return await self._desk.ask(
                DeskWaits(lang=self._talk.lang, step=self._steps, control=self._session.control)
            )
        turn = self._session.turn + 1
        if turn > self._talk.turns:
            return DeskSays(kind="close", text="", by="turns")
        said = await self._patient.ask(
            PatientSpeaks(
                lang=self._talk.lang,
                persona=self._talk.persona,
                cue=self._cues.get(turn, ""),
                turn=turn,
                turns=self._talk.turns,
                recent=tuple(_line(heard) for heard in self._heard.turns),
            )
        )
        return DeskSays(kind="patient", text=said.text, by="leaves" if said.leaves else "")


def shown(sources: list[Source]) -> tuple[SourceShown, ...]:
    """Passages as prompts show them."""
    return tuple(SourceShown(id=source.id, title=source.title, text=source.text, say=source.say) for source in sources)


def _line(turn: Turn) -> str:
    return f"{turn.speaker}: {cut(turn.text, LINE_CHARS)}"
