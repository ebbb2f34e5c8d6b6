"""The prompt of the scribe, who summarises a long conversation."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.core.memory import RememberedLine
from polyclinic.core.prompt import Prompt


class Summarises(Prompt[str]):
    """The scribe turns older turns into a summary of limited length."""

    template = "summarises.md"
    words: ClassVar[int] = 110
    limit_chars: int
    summary: str
    turns: tuple[RememberedLine, ...]

    @property
    def for_human(self) -> str:
        """What a person who plays the scribe is asked."""
        return f"{self.summary}\n\nSum up what was said in at most {self.limit_chars} characters."
