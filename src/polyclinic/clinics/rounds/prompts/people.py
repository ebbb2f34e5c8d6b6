"""The case as people in the room read it: the public sheet, the teachers' side, and the texts for people who play."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.rounds.scenario.case import PatientScript, Pitfall, SocraticStep, TeachingCase
from polyclinic.clinics.rounds.state import Analysis
from polyclinic.core.message import Frozen
from polyclinic.core.reply import Unreadable
from polyclinic.text.layout import blocks, listed
from polyclinic.text.passing import passes

HELD_BACK = "Understood: the students do not hear it, and the tutor gets your words."
REVIEW = "May the students hear it? Write ok, or no and what is wrong with it."
_NOTHING = frozenset({"none", "nothing", "no idea", "없음", "-"})


class Sheet(Frozen):
    """The case as everybody in the room may read it: no answer, no steps, no script."""

    vignette: str
    question: str
    options: dict[str, str]
    captions: tuple[str, ...]

    @classmethod
    def from_case(cls, case: TeachingCase) -> Sheet:
        """The public side of a case."""
        return cls(
            vignette=case.vignette,
            question=case.question,
            options=case.options,
            captions=tuple(image.caption for image in case.images),
        )


class CaseKey(Frozen):
    """The secret side of the case, for tutor, specialist and judges: answer, explanation, steps, pitfalls."""

    answer: str
    explanation: str
    steps: tuple[SocraticStep, ...]
    pitfalls: tuple[Pitfall, ...]

    @classmethod
    def from_case(cls, case: TeachingCase) -> CaseKey:
        """The teacher's side of a case."""
        return cls(answer=case.answer_text, explanation=case.explanation, steps=case.steps, pitfalls=case.pitfalls)


class Present(Frozen):
    """Who else is in the room, as a student's prompt says it."""

    peers: bool = True
    tutor: bool = True
    patient: bool = True


def refuse_empty(text: str, instead: str) -> None:
    """Refuse an empty answer from a person."""
    if passes(text) or text.strip().strip(".!").casefold() in _NOTHING:
        raise Unreadable(f"'{text.strip()}' is no answer: {instead}")


def sheet_for_human(sheet: Sheet) -> list[str]:
    """The case as everybody may read it."""
    options = "".join(f"\n({letter}) {words}" for letter, words in sheet.options.items())
    return [sheet.vignette, f"{sheet.question}{options}"]


def script_for_human(speaker: str, script: PatientScript) -> str:
    """What is shown to a person who plays the patient."""
    part = (
        f"You are the {speaker}, at the bedside." if speaker == "patient" else f"You speak for the patient: {speaker}."
    )
    return blocks(part, listed("All that you know:", script.lines()))


def keyed_case_for_human(sheet: Sheet, key: CaseKey) -> list[str]:
    """Both sides of the case."""
    steps = [f"{n}. {step.key_question} ({step.step_summary})" for n, step in enumerate(key.steps, 1)]
    wrong = [f"{each.wrong}. Right is: {each.right}." for each in key.pitfalls]
    return [
        *sheet_for_human(sheet),
        f"Only teachers know: the answer is {key.answer}. {key.explanation}",
        listed("Steps of reasoning, in order:", steps),
        listed("Often said, and wrong:", wrong),
    ]


def case_for_tutor(sheet: Sheet, key: CaseKey, analyses: Sequence[Analysis], last: bool) -> list[str]:
    """Both sides of the case, and what the students wrote."""
    return [
        *keyed_case_for_human(sheet, key),
        *written_by_students(analyses),
        "The session ends with this round." if last else "",
    ]


def written_by_students(analyses: Sequence[Analysis]) -> list[str]:
    """Each student's newest report."""
    return [f"{each.student} writes: {each.text}" for each in analyses]
