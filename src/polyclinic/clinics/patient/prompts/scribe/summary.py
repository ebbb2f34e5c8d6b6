"""What the scribe is asked: to keep a long conversation short."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.core.memory import Turn
from polyclinic.core.prompt import Prompt


class Summarises(Prompt[str]):
    """Older turns become a summary of bounded length."""

    template = "summarises.md"
    words: ClassVar[int] = 110
    limit_chars: int
    summary: str
    turns: tuple[Turn, ...]

    @property
    def for_human(self) -> str:
        """What a person who sums up is asked."""
        return f"{self.summary}\n\nSum up what was said in at most {self.limit_chars} characters."
