"""How the offline patient sees a trick: by examples of what no fair doctor asks for, beside what the reader says.

A question is compared with the examples of `data/tricks.yaml` and of all fair topics, with names of diseases and tests
replaced, since a demand for a number is one whatever the test. Many questions at once are seen by their number.

What examples and the reader say is weighed by a logistic regression over the training authors' 590 lines, each read by
a reader that had not seen its author.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from pydantic import TypeAdapter

from polyclinic.clinics.patient.rules.sorter import Sorter
from polyclinic.clinics.patient.rules.topics import topics
from polyclinic.clinics.patient.scenario.casefile import parse_yaml
from polyclinic.clinics.patient.scenario.shipped import data_text
from polyclinic.clinics.patient.understudies.hunches import named, without_tests
from polyclinic.clinics.patient.understudies.odds import chance_of, log_odds
from polyclinic.core.message import Frozen
from polyclinic.text.phrases import name_pattern
from polyclinic.text.sentences import count_questions

_BIAS, _READ, _UNFAIR = 0.58, 1.05, 0.54
_HARDLY = 1e-4
"""The least chance that the reader and the examples are believed."""

MANY_MARKS, MANY_CLAUSES = 3, 4
_KEPT = 8192
_BREAK = re.compile(r"[,;:?]\s*|\s+and\s+")
_ASKS = re.compile(
    r"(?:(?:and|or|so|then|but)\s+)*(?:how|what|when|where|who|why|which|since when"
    r"|is|are|was|were|do|does|did|have|has|can|could|any)\b",
    re.IGNORECASE,
)


class Trick(Frozen):
    """How one thing is asked for, and whether no fair doctor would."""

    asks: tuple[str, ...]
    unfair: bool = False


@lru_cache(maxsize=1)
def tricks() -> dict[str, Trick]:
    """The kinds by name."""
    return TypeAdapter(dict[str, Trick]).validate_python(parse_yaml(data_text("tricks.yaml"), "tricks.yaml"))


@lru_cache(maxsize=1)
def _sorter() -> tuple[Sorter, tuple[bool, ...]]:
    fair = [each.asks for each in topics().values()]
    near = tricks().values()
    return Sorter([*fair, *(each.asks for each in near)]), (*(False for _ in fair), *(each.unfair for each in near))


@lru_cache(maxsize=_KEPT)
def unfairness(question: str, known: tuple[str, ...] = ()) -> float:
    """The share of a question that no patient can fairly be asked; `known` are lines that this one may tell."""
    sort, unfair = _sorter()
    return float(sort(_without_names(question, known))[np.array(unfair)].sum())


def trick_chance(unfair: float, read: float) -> float:
    """The chance that a question is a trick, from its unfairness and the reader's chance of it."""
    return chance_of(_BIAS + _READ * log_odds(read, _HARDLY) + _UNFAIR * log_odds(unfair, _HARDLY))


def many(question: str) -> bool:
    """Whether several things are asked at once."""
    clauses = sum(bool(_ASKS.match(part)) for part in _BREAK.split(question))
    return count_questions(question) >= MANY_MARKS or clauses >= MANY_CLAUSES


def _without_names(question: str, known: Sequence[str]) -> str:
    """A question without the names of tests and of a disease, unless the patient knows that it has had this one."""
    disease = named(question)
    if disease and not any(name_pattern(disease).search(line) for line in known):
        question = name_pattern(disease).sub("this disease", question)
    return without_tests(question)
