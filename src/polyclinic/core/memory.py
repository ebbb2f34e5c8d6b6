"""An agent's memory in an episode: recent turns, a rolling summary of limited length, and slots for facts.

The size of an agent's memory in a prompt is always limited, however long the conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from polyclinic.core.message import Frozen

Summarise = Callable[[str, "list[RememberedLine]"], Awaitable[str]]


class RememberedLine(Frozen):
    """One utterance as an agent remembers it."""

    speaker: str
    text: str


class Slot(Frozen):
    """A remembered fact and the turn it came from."""

    value: str
    turn: int


@dataclass
class Memory:
    """Recent turns word for word, older ones as a summary of at most `summary_chars`, facts in slots.

    `summarise(old_summary, turns) -> new_summary` is called each time `every` turns have left the recent window. Its
    result is cut at the limit, so a talkative model cannot make the memory grow.
    """

    recent: int = 10
    every: int = 10
    summary_chars: int = 200
    summarise: Summarise | None = None
    summary: str = ""
    slots: dict[str, Slot] = field(default_factory=dict)
    turns: list[RememberedLine] = field(default_factory=list)
    count: int = 0
    _waiting: list[RememberedLine] = field(default_factory=list)

    async def remember(self, speaker: str, text: str) -> None:
        """Add one utterance, and summarise when enough turns have left the recent window."""
        self.count += 1
        self.turns.append(RememberedLine(speaker=speaker, text=text))
        while len(self.turns) > self.recent:
            self._waiting.append(self.turns.pop(0))
        if len(self._waiting) >= self.every:
            if self.summarise is not None:
                self.summary = cut(await self.summarise(self.summary, list(self._waiting)), self.summary_chars)
            self._waiting.clear()

    def keep(self, slot: str, value: str) -> str | None:
        """Put a fact into a slot; returns what it replaced, so that a contradiction is never silent."""
        old = self.slots.get(slot)
        self.slots[slot] = Slot(value=value, turn=self.count)
        return old.value if old is not None and old.value != value else None

    def forget(self, slot: str) -> None:
        """Empty a slot."""
        self.slots.pop(slot, None)

    def window(self) -> list[RememberedLine]:
        """The turns not yet summarised: at most recent + every - 1."""
        return [*self._waiting, *self.turns]


def cut(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, if possible at the end of a word, with a mark that it was cut."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip() + "…"
