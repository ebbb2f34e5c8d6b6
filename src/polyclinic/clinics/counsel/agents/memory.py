"""What the agents remember of one conversation, and the conversation as one side's chat history."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.counsel.prompts.keeper import KeeperRemembers, KeeperSummarises, SpokenTurn
from polyclinic.clinics.counsel.prompts.replies import NOTHING
from polyclinic.clinics.counsel.state import Applied, Fact, MemoryChange, PatientMemory, Session
from polyclinic.core.episode import Episode
from polyclinic.core.memory import Memory, RememberedLine, cut
from polyclinic.core.message import Message, assistant, user

RECENT, EVERY, SUMMARY_CHARS, LINE_CHARS = 10, 20, 200, 600


class Recollection:
    """Short-term and long-term memory of one conversation, both bounded."""

    def __init__(self, episode: Episode, session: Session, facts: tuple[Fact, ...]) -> None:
        self._keeper, self._session = episode.agent("keeper"), session
        self.facts = PatientMemory.from_facts(facts)
        self.turns = Memory(recent=RECENT, every=EVERY, summary_chars=SUMMARY_CHARS, summarise=self._summarise)

    async def _summarise(self, summary: str, turns: list[RememberedLine]) -> str:
        spoken = tuple(_spoken(turn) for turn in turns)
        prompt = KeeperSummarises(lang=self._session.lang, limit=SUMMARY_CHARS, summary=summary, turns=spoken)
        return await self._keeper.ask(prompt)

    async def keep(self, asked: str, stage: str, utterance: str) -> list[Applied]:
        """Let the keeper propose what to remember of this turn, and apply it."""
        prompt = KeeperRemembers(
            lang=self._session.lang,
            facts=self.known,
            stage=stage,
            asked=cut(asked, LINE_CHARS),
            utterance=utterance,
        )
        kept = await self._keeper.ask(prompt)
        if kept.action == "keep" or kept.subject == NOTHING:
            return []
        proposed = MemoryChange(action=kept.action, subject=kept.subject, value=kept.value)
        return self.facts.apply([proposed], self._session.turn)

    @property
    def known(self) -> tuple[Fact, ...]:
        """The facts, oldest first."""
        return self.facts.listed()

    @property
    def recent(self) -> tuple[str, ...]:
        """The turns not yet summarised, as lines of limited length."""
        return tuple(str(_spoken(turn)) for turn in self.turns.window())

    def before(self, utterance: str) -> list[Message]:
        """The turns not yet summarised, as the counsellor's chat history, without the message to answer now."""
        turns = list(self.turns.window())
        if turns and turns[-1].text == utterance:
            turns.pop()
        return dialogue(turns, "counsellor")

    @property
    def summary(self) -> str:
        """The summary of older turns."""
        return self.turns.summary


def dialogue(turns: Sequence[RememberedLine], me: str) -> list[Message]:
    """The conversation as one side's chat history: its own words as assistant messages, all others as user messages."""
    messages: list[Message] = []
    for turn in turns:
        made = assistant if turn.speaker == me else user
        text = cut(turn.text, LINE_CHARS)
        if messages and messages[-1].role == made("").role:
            messages[-1] = made(f"{messages[-1].content}\n{text}")
        else:
            messages.append(made(text))
    return messages


def _spoken(turn: RememberedLine) -> SpokenTurn:
    return SpokenTurn(speaker=turn.speaker, words=cut(turn.text, LINE_CHARS))
