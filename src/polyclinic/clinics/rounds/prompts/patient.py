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
    r"\b(?:ecg|ekg|electrocardiogram|rhythm strip|waveforms?|lead ii|[pt][- ]waves?|pr interval|qrs complex"
    r"|heart tracing|x-ray|(?:ct |mri )?scan|mri|size of the (?:new )?clot|expected weight"
    r"|ultrasound|echocardiogram|audiogram|blood (?:pressure|tests?|film|count|gas|sugar|results?)|heart rate"
    r"|temperature|oxygen (?:level|saturation)|d-dimer|creatinine|creatine kinase|sodium|potassium|glucose|lactate"
    r"|platelets?|ha?emoglobin|troponin|bilirubin|biopsy|urine test|test results?|lab(?:oratory)? results?"
    r"|weight(?:-for-age)? chart|diagnosis)\b",
    re.IGNORECASE,
)


def untold_tests(questions: Iterable[str], script: PatientScript) -> dict[str, tuple[str, ...]]:
    """Questions in two groups, as fields of the prompt: `untold` are the tests and measurements that they ask about and
    the script does not mention; `answerable` are the questions without such a test.
    """
    known = " ".join(script.lines()).casefold()
    untold: dict[str, str] = {}
    answerable: list[str] = []
    for question in questions:
        names = {match[0].casefold(): match[0] for match in _TESTS.finditer(question)}
        new = {plain: name for plain, name in names.items() if plain not in known}
        untold |= {plain: name for plain, name in new.items() if plain not in untold}
        if not new:
            answerable.append(question)
    return {"untold": tuple(untold.values()), "answerable": tuple(answerable)}


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
    answerable: tuple[str, ...] = Field((), description="the questions without such a test")
    cue: Cue = Cue()

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the patient: what they know, and the questions."""
        return blocks(script_for_human(self.speaker, self.script), "Answer the questions, all in one reply.")
