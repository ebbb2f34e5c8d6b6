"""The end of an interview: the diagnosis, what the patient is told, and what a doctor learns from the case."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.patient.prompts.doctor.replies import Conclusion
from polyclinic.clinics.patient.prompts.patient.facts import Player, TalkSoFar
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed


class Concludes(Prompt[Conclusion]):
    """The doctor gives the diagnosis."""

    template = "concludes.md"
    words: ClassVar[int] = 70
    for_human: ClassVar[str] = "Give your diagnosis and why, as DIAGNOSIS: REASONS."
    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    notes: tuple[str, ...]
    memory: TalkSoFar
    player: Player

    def form_hints(self) -> FormHints:
        """The form for a person has a field for the diagnosis and one for the reasons."""
        return FormHints(
            ask="Give your diagnosis, and why.", labels={"reasoning": "Why", "diagnosis": "Your diagnosis"}
        )

    @classmethod
    def from_human(cls, text: str) -> Conclusion:
        """Read what a person typed, as ``diagnosis: reasoning``."""
        diagnosis, _, reasoning = text.partition(":")
        if not diagnosis.strip():
            raise ValueError("write DIAGNOSIS: why, for example: migraine: one-sided throbbing headache with nausea")
        return Conclusion(reasoning=reasoning.strip()[:600], diagnosis=diagnosis.strip()[:160])


class Advises(Prompt[str]):
    """The doctor tells the patient what happens next."""

    template = "advises.md"
    words: ClassVar[int] = 60
    discipline: str
    profile: str
    complaint: str
    diagnosis: str
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor says at the end."""
        return f"You decided for {self.diagnosis}. Tell the patient what happens next."


class Studies(Prompt[str]):
    """A doctor reads a finished case and notes questions that would have brought out what matters, one in each line."""

    template = "studies.md"
    words: ClassVar[int] = 160
    discipline: str
    expertise: str
    lines: tuple[str, ...]
    tests: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who studies a case is shown."""
        asked = "Which question would have brought out what matters?"
        return blocks(listed("A finished case:", self.lines), asked)
