"""The patient."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import script_for_human
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks
from polyclinic.text.lazily import lazy_pattern

_TESTS = lazy_pattern(
    r"\b(?:ecg|ekg|electrocardiogram|rhythm strip|pr interval|qrs complex|heart tracing|x-ray|(?:ct |mri )?scan|mri"
    r"|ultrasound|echocardiogram|audiogram|blood (?:pressure|tests?|film|count|gas|sugar|results?)|heart rate"
    r"|temperature|oxygen (?:level|saturation)|d-dimer|creatinine|creatine kinase|sodium|potassium|glucose|lactate"
    r"|platelets?|ha?emoglobin|troponin|bilirubin|biopsy|urine test|test results?|lab(?:oratory)? results?"
    r"|weight(?:-for-age)? chart|diagnosis)\b",
    re.IGNORECASE,
)


def untold_tests(questions: Iterable[str], script: PatientScript) -> tuple[str, ...]:
    """The tests and measurements that questions ask about and the script does not mention."""
    known = " ".join(script.lines()).casefold()
    asked = {match[0].casefold(): match[0] for question in questions for match in _TESTS.finditer(question)}
    return tuple(name for plain, name in asked.items() if plain not in known)


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
    untold: tuple[str, ...] = Field((), description="tests that the questions ask about; the script has none of them")
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the patient: what they know, and the questions."""
        return blocks(script_for_human(self.speaker, self.script), "Answer the questions, all in one reply.")
