"""What a reader finds in a tutor's words, a student's report and a student's choice: each asked in one call.

The flow and the judges ask the same questions, so a question that the flow asked is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from polyclinic.clinics.rounds.readings import HARM, TAKES_PART, CaseRead
from polyclinic.clinics.rounds.rules.contradiction import against, says_the_words
from polyclinic.clinics.rounds.rules.leak import states_answer, touches_answer
from polyclinic.clinics.rounds.rules.teaching import asked_in, letter_of, stated_in
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.core.reading import Finding, Reads


class TutorHeard(NamedTuple):
    """Words of the tutor: do they give the answer away, are they false or harmful, and which steps do they ask for?"""

    leak: Finding
    false: Finding
    harm: Finding
    asked: tuple[int, ...]


class StudentHeard(NamedTuple):
    """A student's report: whether the student brings in something of their own, and the steps that it shows."""

    takes_part: bool
    held: tuple[int, ...]


async def hear_tutor(reads: Reads, case: TeachingCase, text: str, reports: Iterable[str]) -> TutorHeard:
    """What words of the tutor mean for this case. A statement that names the answer before any student has is a leak by
    rule; words that touch nothing of the answer are not; the reader decides about all others. Only statements can be
    false.
    """
    read, heard = CaseRead.from_case(case), tuple(reports)
    leak, false, harm, *asked = await reads(text, [read.leak(), read.false(), HARM.ask(), *read.asks()])
    named = states_answer(case, text, heard)
    if named:
        leak = Finding("yes", named)
    elif leak.yes and not touches_answer(case, text, heard):
        leak = Finding("no")
    if false.yes and asked_in(text):
        stated = stated_in(text)
        false = (await reads(stated, [read.false()]))[0] if stated else Finding("no")
    return TutorHeard(leak, false, harm, _yes(asked))


async def hear_student(reads: Reads, case: TeachingCase, text: str) -> StudentHeard:
    """What a student's report shows of this case."""
    takes_part, *held = await reads(text, [TAKES_PART.ask(), *CaseRead.from_case(case).holds()])
    shown = [shows_step(text, step.step_summary, found) for step, found in zip(case.steps, held, strict=True)]
    return StudentHeard(takes_part.yes, tuple(number for number, yes in enumerate(shown) if yes))


def shows_step(text: str, step: str, found: Finding) -> bool:
    """Whether a report shows a step: the reader finds it and no exact sign contradicts it, or the report says it word
    for word.
    """
    return not against(found.words or text, step) if found.yes else says_the_words(text, step)


async def settled_on(reads: Reads, case: TeachingCase, choice: str) -> str:
    """The answer that a choice means. A letter stays as it is; for free text the reader finds the one option that it
    settles on.

    Empty if the text settles on none or on several. For an open question the result is the case's answer, if the text
    means it.
    """
    letter = letter_of(case, choice)
    if letter or choice.strip().casefold() == case.answer.casefold():
        return letter or case.answer
    found = _yes(await reads(choice, CaseRead.from_case(case).chooses()))
    if len(found) != 1:
        return ""
    return list(case.options)[found[0]] if case.options else case.answer


def _yes(findings: Sequence[Finding]) -> tuple[int, ...]:
    return tuple(number for number, finding in enumerate(findings) if finding.yes)
