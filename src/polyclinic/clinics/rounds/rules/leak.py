"""Finds the case's own names for its answer, as whole words. A patient or a textbook must not name it, and a tutor must
not state it before a student has.

Whether a tutor's words give the answer away in any other way is read by meaning (`readings.LEAK`). This module only
compares names.
"""

from __future__ import annotations

from collections.abc import Iterable

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question, sentences


def giveaway_names(case: TeachingCase) -> tuple[str, ...]:
    """The names that give the answer away: the author's list, or for cases from elsewhere the answer itself."""
    return case.gives_away or (case.answer_text,)


def named_answer(case: TeachingCase, text: str, heard: str = "") -> str:
    """The first name of the answer that is in the text but not in `heard`; empty if there is none."""
    names = giveaway_names(case)
    return next((name for name in names if contains_phrase(text, name) and not contains_phrase(heard, name)), "")


def states_answer(case: TeachingCase, text: str, reports: Iterable[str]) -> str:
    """The first statement that names the answer, if no student's report has named it; empty if there is none.

    A question may name it, and so may a sentence that also names another option: both only weigh options.
    """
    if any(named_answer(case, report) for report in reports):
        return ""
    for sentence in sentences(text):
        others = [words for letter, words in case.options.items() if letter != case.answer]
        weighs = any(contains_phrase(sentence, words) for words in others)
        if not is_question(sentence) and not weighs and named_answer(case, sentence):
            return sentence
    return ""
