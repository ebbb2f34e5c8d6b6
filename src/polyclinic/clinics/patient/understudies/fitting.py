"""Which lines the offline patient uses to answer a question. It combines the reader's finding, shared topics, shared
concepts and similarity.

The weights and levels were chosen on one half of the records in `benchmarks/data/doctor_questions.jsonl`, and on 407
questions of our own. Their quality is measured on the other half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from polyclinic.clinics.patient.prompts.patient.facts import KnownFact
from polyclinic.clinics.patient.readings import ASKS
from polyclinic.clinics.patient.rules.concepts import about_it, common, only_denies, parts_answered
from polyclinic.clinics.patient.rules.courtesy import without_courtesy
from polyclinic.clinics.patient.rules.topics import shared
from polyclinic.clinics.patient.scenario.record import Topic
from polyclinic.clinics.patient.understudies.tricks import log_odds
from polyclinic.core.understudy import Ask

MOST_TOLD = 2
"""The patient tells at most this many lines. The clinic's own decision tree (`rules/nodes.py`) rejects more lines."""
_JOINED = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)
_READ, _ALIKE, _NAMED = 0.5, 4.0, 3.0
_SURE, _POSSIBLE, _IF_READ_SO = -1.5, -2.7, -3.4
_READ_SO = 0.56
_CLOSE = 3.0


@dataclass(frozen=True)
class Fitting:
    """The lines that answer a question, the best first, and whether the patient is sure that they do.

    The patient is never sure of lines that share no concept with the question.
    """

    lines: tuple[KnownFact, ...] = ()
    sure: bool = False


def fitting(ask: Ask[Any], question: str, known: Sequence[KnownFact]) -> Fitting:
    """The best line and those nearly as good.

    If no line is near the question, at most one: the best that the reader finds fitting, or else the best that names
    what is asked and says that there is something. So the patient never says "I could not say" about what it has.
    """
    question = without_courtesy(question)
    forms = dict.fromkeys((question, about_it(question)))
    scored = sorted(
        ((fmean(_score(ask, form, line) for form in forms), line) for line in known), key=lambda pair: -pair[0]
    )
    if not scored:
        return Fitting()
    best = scored[0][0]
    if best < _POSSIBLE:
        near = [line for score, line in scored if score >= _IF_READ_SO]
        read_so = [line for line in near if _read(ask, question, line.as_told) >= _READ_SO]
        chosen = (read_so or _there(question, scored))[:1]
        return Fitting(tuple(_with_what_is_there(question, chosen, scored))[:1])
    close = [line for score, line in scored[:MOST_TOLD] if score > best - _CLOSE]
    if _JOINED.search(question):
        close = [close[0], *(_other_half(question, scored) or close[1:])]
    close = _with_what_is_there(question, close, scored)
    named = any(common(question, line.text, line.topic) for line in close)
    return Fitting(tuple(close), sure=_score(ask, about_it(question), close[0]) >= _SURE and named)


def _there(question: str, scored: Sequence[tuple[float, KnownFact]]) -> list[KnownFact]:
    """The lines that name something asked for and do not only say what is not there, the best first."""
    return [
        line for _, line in scored if parts_answered(question, line.text, line.topic) and not only_denies(line.text)
    ]


def _with_what_is_there(
    question: str, chosen: list[KnownFact], scored: Sequence[tuple[float, KnownFact]]
) -> list[KnownFact]:
    """The chosen lines. A line that says what is there comes before lines about the same that only say what is not
    there: "No fever today" alone would deny "I had a fever last night". If none was chosen, one is added.
    """
    denials = [line for line in chosen if only_denies(line.text)]
    others = [line for line in chosen if line not in denials] or _there(question, scored)
    there = [line for line in others if any(_denies_it(question, told, line) for told in denials)][:1]
    return [*there, *(line for line in chosen if line not in there)][:MOST_TOLD]


def _denies_it(question: str, told: KnownFact, line: KnownFact) -> bool:
    """Whether a line that says what is not there would, alone, deny the other one. Relatives are others."""
    if (told.topic == Topic.FAMILY) != (line.topic == Topic.FAMILY):
        return False
    denied = parts_answered(question, told.text, told.topic)
    return not denied or bool(denied & parts_answered(question, line.text, line.topic))


def _other_half(question: str, scored: Sequence[tuple[float, KnownFact]]) -> list[KnownFact]:
    """The surest line about what the best line leaves out of a double question ("Do you smoke or drink?")."""
    told = parts_answered(question, scored[0][1].text, scored[0][1].topic)
    others = (line for score, line in scored[1:] if score >= _SURE)
    return [line for line in others if told and parts_answered(question, line.text, line.topic) - told][:1]


def _score(ask: Ask[Any], question: str, line: KnownFact) -> float:
    read = sum(log_odds(_read(ask, question, fact)) for fact in (line.as_told, line.text)) / 2
    about = shared(question, line.text, line.topic) + _NAMED * common(question, line.text, line.topic)
    return _READ * read + about + _ALIKE * ask.likeness(question, line.as_told)


def _read(ask: Ask[Any], question: str, fact: str) -> float:
    return ask.likelihood(question, ASKS.ask(fact=fact))
