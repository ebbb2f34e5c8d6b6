"""What an understudy can know of the world: the shipped cases as a textbook, and a glossary.

A language model has its own medical knowledge. An understudy has none, so it looks cases up here by their id, which no
prompt prints. The steps, the answer and the common errors are medical knowledge; the patient's script is not, and
`look_up` leaves it out. Nothing from here enters a prompt. Cases from other collections are not in the textbook:
students then reason from the sheet alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.readings import CaseRead
from polyclinic.clinics.rounds.rules.teaching import stated_in
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.scenario.shipped import PACKAGE, shipped_case
from polyclinic.core.files import package_data
from polyclinic.core.understudy import Ask
from polyclinic.text.phrases import contains_phrase


def look_up(case_id: str) -> TeachingCase | None:
    """The case with this id without the patient's script; None if the textbook does not have it."""
    return _textbook_case(base_id(case_id))


@lru_cache(maxsize=256)
def _textbook_case(case_id: str) -> TeachingCase | None:
    case = shipped_case(case_id)
    return case.model_copy(update={"script": None}) if case is not None else None


@lru_cache(maxsize=1)
def glossary() -> dict[str, str]:
    """General terms and their meaning."""
    plain = package_data(PACKAGE, "data/glossary.yaml")
    return {str(term): str(meaning) for term, meaning in plain["terms"].items()}


def terms_in(text: str) -> list[str]:
    """The glossary terms that occur in a text, longest first."""
    found = [term for term in glossary() if contains_phrase(text, term)]
    return sorted(found, key=lambda term: (-len(term), term))


def read_of(sheet: Sheet, key: CaseKey) -> CaseRead:
    """The questions that a player with the sheet and the key can ask about a text."""
    return CaseRead.made(
        sheet.vignette, sheet.question, sheet.options, key.answer, key.explanation, key.pitfalls, key.steps
    )


def steps_in(ask: Ask[Any], text: str, read: CaseRead) -> tuple[int, ...]:
    """The steps that a text shows: those that it quotes word for word, and those that it means."""
    return tuple(
        number
        for number, (step, question) in enumerate(zip(read.steps, read.holds(), strict=True))
        if quotes(text, step.step_summary) or ask.understands(text, question)
    )


def sounds_false(ask: Ask[Any], text: str, read: CaseRead) -> bool:
    """Whether a player takes something that a text states for false. A question states nothing."""
    return ask.understands(text, read.false()) and ask.understands(stated_in(text), read.false())


def quotes(text: str, words: str) -> bool:
    """Whether the text contains these exact words; the punctuation at their end does not matter."""
    return contains_phrase(text, words.strip().rstrip(".?!"))
