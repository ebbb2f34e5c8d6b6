"""What the scribe is asked: to keep a long conversation short."""

from __future__ import annotations

from polyclinic.core.memory import Turn
from polyclinic.core.prompt import Prompt


class Summarises(Prompt[str]):
    """Older turns become a summary of bounded length."""

    template = "summarises.md"
    limit_chars: int
    summary: str
    turns: tuple[Turn, ...]
