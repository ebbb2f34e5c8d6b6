"""What changes during an interview, and what evolution remembers between cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from polyclinic.core.campaign import Effect
from polyclinic.core.library import Lesson
from polyclinic.core.memory import Memory, RememberedLine, Summarise, cut
from polyclinic.core.message import Frozen, Message, assistant, user
from polyclinic.core.scenario import Scenario, Variant
from polyclinic.core.services import Services
from polyclinic.errors import EngineError
from polyclinic.text.repeats import said_before, without_repeats

RECENT_TURNS = 4
SUMMARISE_EVERY = 6
SUMMARY_CHARS = 600
TURN_CHARS = 450
ASKED_SHOWN = 8
CONVERGED_AFTER = 6


class Exchange(Frozen):
    """One question and its answer, with the tests that were asked for before; `cheat` if it was asked as a trick.

    `considered` are the nearest facts, which may fit the question; empty means all facts.
    """

    question: str
    answer: str
    asked_before: tuple[str, ...] = ()
    cheat: bool = False
    considered: tuple[str, ...] = ()


class Exchanged(Exchange):
    """One question and answer as evolution and feedback need them."""

    round: int
    by: str
    declined: bool = False
    requirements: tuple[str, ...] = ()
    information: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    recommended: tuple[str, ...] = ()
    relevance: float = 0.0


class Attention(Lesson):
    """A good answer, with the record lines and the requirements behind it. Its question is the search key."""

    library = "attention"
    answer: str
    declined: bool
    requirements: tuple[str, ...]
    information: tuple[str, ...]
    case: int = 0
    disease: str = ""
    by: str = ""


class Step(Lesson):
    """A good step from one exchange to the next. The answer before it is the search key."""

    library = "trajectory"
    previous: str
    question: str
    answer: str
    case: int = 0
    disease: str = ""
    by: str = ""


class TriagedTo(Lesson):
    """The right discipline for a complaint. The complaint is the search key."""

    library = "triage"
    discipline: str
    case: int = 0


class PoolRow(Lesson):
    """Professional questions by discipline. The complaint is the search key."""

    library = "pool"
    questions: dict[str, tuple[str, ...]]
    case: int = 0


COLLEAGUE = "colleague"
"""Who asks the cheat questions: the doctor never said them, so they are not the doctor's own words in its history."""


class TalkMemory(NamedTuple):
    """A talk as one side remembers it, in the right order, as a chat in which both sides alternate.

    `earlier` holds what came before the other side's first words. `heard` holds the other side's last words if they are
    not answered yet. They belong in the prompt itself, so that no side speaks twice in a row.
    """

    earlier: str
    history: tuple[Message, ...]
    heard: str
    turns: tuple[RememberedLine, ...]
    summary: str

    @classmethod
    def from_turns(cls, me: str, summary: str, turns: Sequence[RememberedLine]) -> TalkMemory:
        """Make a conversation from a summary and the turns after it."""
        spoken = [(mine, text) for mine, text in _told(me, turns) if text]
        joined = [(mine, "\n".join(text for _, text in group)) for mine, group in groupby(spoken, itemgetter(0))]
        first = [text for mine, text in joined[:1] if mine]
        rest = joined[len(first) :]
        heard = rest.pop()[1] if rest and not rest[-1][0] else ""
        earlier = " ".join([summary, *(f'You said: "{text}"' for text in first)]).strip()
        history = tuple(assistant(text) if mine else user(text) for mine, text in rest)
        return cls(earlier, history, heard, tuple(turns), summary)


def _told(me: str, turns: Sequence[RememberedLine]) -> Iterator[tuple[bool, str]]:
    """Each turn as one side is told of it, and whether they said it themselves.

    What a colleague asked is part of the patient's answer to the doctor.
    """
    asked = ""
    for turn in turns:
        if turn.speaker == COLLEAGUE and me != "patient":
            asked = f'A colleague of yours asked me: "{turn.text}"'
        else:
            yield turn.speaker == me, f'{asked} I said: "{turn.text}"' if asked else turn.text
            asked = ""
    if asked:
        yield False, asked


@dataclass
class Interview:
    """The state of one interview. The text that goes into a prompt is limited, however long the interview is."""

    memory: Memory
    complaint: str = ""
    discipline: str = "Internal Medicine"
    tests_asked: list[str] = field(default_factory=list)
    exchanges: list[Exchanged] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    diagnosis: str = ""
    cheats_used: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, summarise: Summarise) -> Interview:
        """An interview with instant and summarised memory."""
        memory = Memory(recent=RECENT_TURNS, every=SUMMARISE_EVERY, summary_chars=SUMMARY_CHARS, summarise=summarise)
        return cls(memory)

    async def hear(self, speaker: str, text: str) -> None:
        """Remember what was said. A long turn is cut, so that it cannot fill a context."""
        await self.memory.remember(speaker, cut(text, TURN_CHARS))

    @property
    def recent(self) -> tuple[RememberedLine, ...]:
        """The turns that are not yet summarised."""
        return tuple(self.memory.window())

    def told_to(self, me: str) -> TalkMemory:
        """The conversation as one side remembers it."""
        return TalkMemory.from_turns(me, self.memory.summary, self.memory.window())

    @property
    def asked(self) -> tuple[str, ...]:
        """The doctors' latest questions, to keep them from repeating them."""
        return tuple([exchange.question for exchange in self.exchanges if not exchange.cheat][-ASKED_SHOWN:])

    def was_asked(self, question: str) -> bool:
        """Whether this very question was asked before, at any time."""
        return any(exchange.question == question for exchange in self.exchanges)

    def repeats(self, question: str) -> str:
        """The doctors' earlier question that is the same as this one or nearly; empty if there is none."""
        return said_before(question, [exchange.question for exchange in self.exchanges if not exchange.cheat])

    def different(self, *, own: bool = False) -> int:
        """How many different questions were asked; with `own`, without the cheat questions."""
        return len(without_repeats(each.question for each in self.exchanges if not (own and each.cheat)))

    def fresh(self, questions: Sequence[str], limit: int) -> tuple[str, ...]:
        """The first few of these questions that were not asked yet."""
        return tuple([question for question in dict.fromkeys(questions) if not self.was_asked(question)][:limit])


class CaseTaught(Effect):
    """How many new entries a finished case added to the libraries."""

    kind = "case"
    case: int
    wave: int
    new: int


class Evolution:
    """What a campaign of learning cases shares besides its libraries: how much each case taught."""

    takes: tuple[type[Effect], ...] = (CaseTaught,)

    def __init__(self) -> None:
        self._taught: dict[int, tuple[int, int]] = {}

    @property
    def added(self) -> list[int]:
        """How many new entries each case brought, in the order of the cases."""
        return [new for _, (_, new) in sorted(self._taught.items())]

    def converged(self, wave: int) -> bool:
        """Whether the last six cases before this generation all added nothing, so that learning is over."""
        before = [new for _, (when, new) in sorted(self._taught.items()) if when < wave]
        return len(before) >= CONVERGED_AFTER and not any(before[-CONVERGED_AFTER:])

    def apply(self, effect: Effect) -> None:
        """Add one finished case."""
        if not isinstance(effect, CaseTaught):
            raise EngineError(f"unknown effect of the libraries: '{effect.kind}'")
        self._taught[effect.case] = (effect.wave, effect.new)


def open_campaign(scenarios: Sequence[Scenario], variant: Variant, seed: int, services: Services) -> Evolution:
    """The state of a campaign that has not learned anything yet, for any scenarios and variant."""
    return Evolution()
