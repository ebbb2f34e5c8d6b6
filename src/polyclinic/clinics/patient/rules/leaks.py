"""The leak detector: it matches words, and trusts no judge.

It reads what the patient said against the record: names of the disease, results of tests nobody asked for, and facts
the patient can never know. It also tells which facts an answer brings out, for checklists and for 'too much at once'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from polyclinic.clinics.patient.rules.vocabulary import content_words, found, overlap, tests_in_record
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.core.message import Frozen
from polyclinic.text.normal import straight
from polyclinic.text.phrases import mentioned

TOLD_SHARE = 0.6
RESULT_SHARE = 0.75
MOST_FACTS = 2
LeakKind = Literal["diagnosis", "confirmed guess", "undisclosed result", "hidden fact"]
_AFFIRMS = re.compile(
    r"\b(yes|yeah|right|correct|indeed|exactly|that is what|that's what|i think so|they said so|it is|it was)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[./]\d+)*")


class Leak(Frozen):
    """Something the patient's words gave away, and the words."""

    kind: LeakKind
    words: str
    fact: str = ""


def is_refusal(answer: str) -> bool:
    """Whether an answer declines: it says so in one of the usual ways."""
    return bool(found(straight(answer), "refusals"))


def told(fact: Fact, answer: str) -> bool:
    """Whether an answer brings out a fact: most of the words that carry its meaning are there (a
    normal range aside).
    """
    if fact.level is Level.TEST:
        return overlap(fact.text.partition(" (")[0], answer) >= RESULT_SHARE
    return overlap(fact.text, answer) >= TOLD_SHARE


def facts_told(record: Record, answer: str) -> list[Fact]:
    """All facts of the record that an answer brings out."""
    return [fact for fact in record.facts if told(fact, answer)]


def too_much(record: Record, answer: str) -> list[Fact]:
    """The spoken facts of an answer that tells more than a patient would in reply to one question; else nothing."""
    spoken = [fact for fact in facts_told(record, answer) if fact.level in (Level.VOLUNTEERED, Level.ASKED)]
    return spoken if len(spoken) > MOST_FACTS else []


def leaks(record: Record, question: str, answer: str, asked_before: Iterable[str] = ()) -> list[Leak]:
    """Everything in an answer that should not be known, given this question and the tests asked for before."""
    asked = {*asked_before, *tests_in_record(question, record)}
    found_leaks = list(_diagnosis(record, question, answer))
    said = " ".join(fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED))
    found_leaks += [
        Leak(kind="undisclosed result", words=fact.text, fact=fact.id)
        for fact in record.at(Level.TEST)
        if fact.test not in asked and _shows_result(fact, answer, f"{said} {question}")
    ]
    for fact in record.at(Level.NEVER):
        hidden = content_words(fact.text) - content_words(f"{said} {question}")
        if fact.topic is not Topic.DIAGNOSIS and len(hidden) >= 3 and hidden <= content_words(answer):
            found_leaks.append(Leak(kind="hidden fact", words=fact.text, fact=fact.id))
    return found_leaks


def _diagnosis(record: Record, question: str, answer: str) -> Iterable[Leak]:
    suggested = set(mentioned(question, record.disease.names))
    for name in mentioned(answer, record.disease.names):
        if name not in suggested:
            yield Leak(kind="diagnosis", words=name)
    if suggested and _AFFIRMS.search(answer) and not is_refusal(answer):
        yield Leak(kind="confirmed guess", words=min(suggested))


def _shows_result(fact: Fact, answer: str, known: str) -> bool:
    """A result shows when its words do, and its number too where it has one that the patient could not have said
    anyway.
    """
    if not told(fact, answer):
        return False
    numbers = set(_NUMBER.findall(fact.text.partition(" (")[0])) - set(_NUMBER.findall(known))
    if numbers:
        return bool(numbers & set(_NUMBER.findall(answer)))
    fresh = content_words(fact.text.partition(" (")[0]) - content_words(known)
    return len(fresh) >= 2 and fresh <= content_words(answer)
