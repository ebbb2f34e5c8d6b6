"""Finds the case's own names for its answer, as whole words. A patient or a textbook must not name it, and a tutor must
not state it before a student has.

Whether a tutor's words give the answer away in any other way is read by meaning (`readings.LEAK`). The reader hears how
somebody gives something away better than what: it also takes "Safety comes first." for a leak. So words count only if
they touch the answer or a step that is still open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyclinic.clinics.rounds.rules.contradiction import says_the_words
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.reading.vectors import nearness
from polyclinic.reading.words import NEGATIONS, STOP, content, words
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question, sentences

_NEAR = 0.12
"""How much of an answer's name a text must cover in meaning. With it, 310 of 318 leaks by training authors touch their
case.
"""
_POINTS = re.compile(
    r"\b(?:options?|letters?|list|sheet|hint|guess|pick|remain\w*|exactly|precisely|spot on|correct(?:ly)?|right answer"
    r"|well done|agree|got it|what(?:'s| is) left|the (?:first|second|third|fourth|last) one)\b"
    r"|\b(?-i:[B-H])\b|\b(?-i:A)(?=\W*$|[.,;:!?])",
    re.IGNORECASE,
)
"""Words that point at an option without its name, or that tell a student that it was right."""
_GIVES_A_REASON = re.compile(
    r"\b(?:because|since|comes? from|came from|explains?|due to|caused by)\b|, so\b", re.IGNORECASE
)


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


def touches_answer(case: TeachingCase, text: str, reports: Iterable[str]) -> bool:
    """Whether words can give something away: they share a word with the answer, another option or a step that no report
    has, they point at an option, or they are near a name of the answer.

    An explanation that shares no word with any of these is about something else, however near it is.
    """
    heard = tuple(reports)
    steps = [step.step_summary for step in case.steps]
    undone = [step for step in steps if not any(says_the_words(report, step) for report in heard)]
    names = dict.fromkeys((case.answer_text, *giveaway_names(case)))
    if _said(text) & _said("; ".join((*names, *undone, *case.options.values()))) or _POINTS.search(text):
        return True
    if _GIVES_A_REASON.search(text):
        return False
    return any(nearness(_without_small_words(text), _without_small_words(name)).covered >= _NEAR for name in names)


def _said(text: str) -> frozenset[str]:
    """The content of a text without its negations: the stem of "notes" is "not", so that every "not" would touch each
    case with a patient's notes.
    """
    return content(" ".join(word for word in words(text) if word not in NEGATIONS))


def _without_small_words(text: str) -> str:
    return " ".join(word for word in words(text) if word not in STOP and word not in NEGATIONS)
