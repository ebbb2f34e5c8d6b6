"""The attention agent: the requirements that matter for a question."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, bullets


class Attends(Prompt[str]):
    """The attention agent picks the key lines out of one chunk of the requirements.

    It writes each on a line of its own.
    """

    template = "attends.md"
    words: ClassVar[int] = 80
    chunk: tuple[str, ...]
    question: str

    @property
    def for_human(self) -> str:
        """What a person who plays this role is asked."""
        return blocks(bullets(self.chunk), f"Which of these matter for “{self.question}”?")


class Merges(Prompt[str]):
    """The attention agent merges the key lines of all chunks. It writes each on a line of its own."""

    template = "merges.md"
    words: ClassVar[int] = 60
    lines: tuple[str, ...]
    question: str

    @property
    def for_human(self) -> str:
        """What a person who plays this role is asked."""
        return blocks(bullets(self.lines), f"Say what matters for “{self.question}” in one line.")
