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
