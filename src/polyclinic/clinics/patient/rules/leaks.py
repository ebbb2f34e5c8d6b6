"""What an answer gives away without being asked.

Rules find names, values and hidden lines; the reader finds everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from polyclinic.clinics.patient.rules.meaning import NUMBER, Answered, AskedFor, new_words, shows_result
from polyclinic.clinics.patient.rules.vocabulary import content_words
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.message import Frozen
from polyclinic.text.phrases import mentioned

LeakKind = Literal["diagnosis", "confirmed guess", "undisclosed result", "hidden fact"]
DISEASE: tuple[LeakKind, ...] = ("diagnosis", "confirmed guess", "hidden fact")
_YES = re.compile(r"\b(?:yes|yeah|exactly|correct|indeed)\b", re.IGNORECASE)
_HIDDEN_WORDS = 3


class Leak(Frozen):
    """Something the patient's words gave away, and the words."""

    kind: LeakKind
    words: str
    fact: str = ""


def leaks(record: Record, exchange: Exchange, asked: AskedFor, answered: Answered) -> list[Leak]:
    """Everything in an answer that should not be known, given this question and the tests asked for before."""
    question, answer = exchange.question, exchange.answer
    named_tests = {*exchange.asked_before, *asked.tests}
    found = list(_diagnosis(record, answer, asked, answered))
    said = f"{' '.join(fact.text for fact in record.spoken)} {question}"
    found += [
        Leak(kind="undisclosed result", words=fact.text, fact=fact.id)
        for fact in record.at(Level.TEST)
        if fact.test not in named_tests and _new_result(fact, answer, said)
    ]
    for fact in record.at(Level.NEVER):
        hidden = content_words(fact.text) - content_words(said)
        if fact.topic is not Topic.DIAGNOSIS and len(hidden) >= _HIDDEN_WORDS and hidden <= content_words(answer):
            found.append(Leak(kind="hidden fact", words=fact.text, fact=fact.id))
    return found


def _diagnosis(record: Record, answer: str, asked: AskedFor, answered: Answered) -> Iterable[Leak]:
    named = [name for name in mentioned(answer, record.disease.names) if name not in asked.suggests]
    if named:
        yield Leak(kind="diagnosis", words=max(named, key=len))
    if answered.refuses:
        return
    if asked.suggests and (answered.confirms or _YES.search(answer)):
        yield Leak(kind="confirmed guess", words=asked.suggests[0])
    elif answered.gives_away and not named:
        yield Leak(kind="diagnosis", words=answered.gives_away)


def _new_result(fact: Fact, answer: str, known: str) -> bool:
    """Whether an answer gives this result away.

    Its words must be there. If it has a number that is not known otherwise, this number must be there too.
    """
    if not shows_result(fact, answer):
        return False
    numbers = set(NUMBER.findall(fact.text.partition(" (")[0])) - set(NUMBER.findall(known))
    if numbers:
        return bool(numbers & set(NUMBER.findall(answer)))
    fresh = new_words(fact, known)
    return len(fresh) >= 2 and fresh <= content_words(answer)
