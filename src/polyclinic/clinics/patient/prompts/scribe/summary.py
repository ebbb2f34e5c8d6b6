"""The prompt of the scribe, who summarises a long conversation."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.core.memory import RememberedLine
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks


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
        return blocks(
            f"Summed up so far: {self.summary}" if self.summary else "",
            f"Sum up what was said in at most {self.limit_chars} characters.",
        )
