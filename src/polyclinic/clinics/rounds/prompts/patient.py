"""The patient."""

from __future__ import annotations

from typing import ClassVar

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import script_for_human
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks


class PatientOpens(Prompt[str]):
    """The patient's first words."""

    template: ClassVar[str] = "patient_opens.md"
    words: ClassVar[int] = 60
    style: str
    speaker: str
    script: PatientScript
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the patient."""
        return blocks(
            script_for_human(self.speaker, self.script), "Medical students have come. Tell them what brings you here."
        )


class PatientAnswers(Prompt[str]):
    """The patient answers all of a round's questions in one reply. Earlier messages are sent along as chat history."""

    template: ClassVar[str] = "patient_answers.md"
    words: ClassVar[int] = 120
    style: str
    speaker: str
    script: PatientScript
    questions: tuple[str, ...]
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the patient: what they know, and the questions."""
        return blocks(script_for_human(self.speaker, self.script), "Answer the questions, all in one reply.")
