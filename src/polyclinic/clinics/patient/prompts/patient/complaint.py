"""How the patient arrives, and a crisis in the middle of the talk."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.patient.prompts.patient.facts import Player
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, bullets


class Blurs(Prompt[str]):
    """The vagueness agent removes results and blurs times."""

    template = "blurs.md"
    words: ClassVar[int] = 120
    lines: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person who plays this role is asked."""
        return blocks(bullets(self.lines), "Say this again without results and with vague times.")


class Complains(Prompt[str]):
    """The patient arrives and says what is the matter."""

    template = "complains.md"
    words: ClassVar[int] = 60
    person: str
    child: str
    lines: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient starts from."""
        return blocks(
            f"You are the patient: {self.person}", bullets(self.lines), "Tell the reception what is the matter."
        )


class Panics(Prompt[str]):
    """The patient interrupts with something urgent."""

    template = "panics.md"
    words: ClassVar[int] = 30
    person: str
    child: str
    complaint: str
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient does now."""
        return (
            f"You came because of: {self.complaint}\n\nIt suddenly gets worse. Interrupt, and say what happens to you."
        )
