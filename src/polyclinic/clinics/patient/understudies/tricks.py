"""How the offline patient recognises a trick: by examples of unfair questions, and by the reader.

A question is compared with the examples of `data/tricks.yaml` and of all fair topics. Names of diseases and tests are
replaced first, because the kind of test does not matter. Many questions at once are recognised by their number.

A logistic regression weighs examples and reader. It was fitted on the training authors' 590 lines, each read by a
reader that was not trained on its author.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import exp, log

import numpy as np
from pydantic import TypeAdapter

from polyclinic.clinics.patient.rules.sorter import Sorter
from polyclinic.clinics.patient.rules.topics import topics
from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.clinics.patient.understudies.hunches import named, without_tests
from polyclinic.core.message import Frozen
from polyclinic.text.phrases import name_pattern
from polyclinic.text.questions import ASKS_OF_THEM, QUESTION_WORD
from polyclinic.text.sentences import count_questions

NEVER = 1e-6
_BIAS, _READ, _UNFAIR = 0.58, 1.05, 0.54
_HARDLY = 1e-4
"""The lowest chance that reader and examples can give."""

MANY_MARKS, MANY_CLAUSES = 3, 4
_KEPT = 8192
_BREAK = re.compile(r"[,;:?]\s*|\s+and\s+")
_ASKS = re.compile(
    r"(?:(?:and|or|so|then|but)\s+)*(?:how|what|when|where|who|why|which|since when"
    r"|is|are|was|were|do|does|did|have|has|can|could|any)\b",
    re.IGNORECASE,
)


_SAYING = re.compile(
    rf"\b(?:{QUESTION_WORD}|tell|say|name|read|list|show|explain|describe|report|summari[sz]e|interpret|recount|repeat"
    rf"|confirm|admit|reveal|pass on|hear|know|give me|go through)\b|{ASKS_OF_THEM}",
    re.IGNORECASE,
)


class Trick(Frozen):
    """Examples of how something is asked for, whether it is unfair to ask for it, and whether it is about tests."""

    asks: tuple[str, ...]
    unfair: bool = False
    tests: bool = False


@lru_cache(maxsize=1)
def tricks() -> dict[str, Trick]:
    """The kinds of tricks, by name."""
    return TypeAdapter(dict[str, Trick]).validate_python(data("tricks.yaml"))


@lru_cache(maxsize=1)
def _sorter() -> tuple[Sorter, tuple[bool, ...]]:
    fair = [each.asks for each in topics().values()]
    near = tricks().values()
    return Sorter([*fair, *(each.asks for each in near)]), (*(False for _ in fair), *(each.unfair for each in near))


@lru_cache(maxsize=_KEPT)
def unfairness(question: str, known: tuple[str, ...] = ()) -> float:
    """The unfair share of a question; `known` are the lines that this patient may tell."""
    sort, unfair = _sorter()
    return float(sort(_without_names(question, known))[np.array(unfair)].sum())


@lru_cache(maxsize=_KEPT)
def about_tests(question: str) -> bool:
    """Whether most of what is unfair in a question asks for what tests have shown, and not for the illness."""
    shares = _sorter()[0](_without_names(question, ()))[-len(tricks()) :]
    unfair = [(each.tests, float(share)) for each, share in zip(tricks().values(), shares, strict=True) if each.unfair]
    return 2 * sum(share for tests, share in unfair if tests) > sum(share for _, share in unfair)


def bids_to_speak(question: str) -> bool:
    """Whether a question wants to be told something. To name a test ("lipase, please") is to want it done."""
    return bool(_SAYING.search(question)) or bool(named(question))


def trick_chance(unfair: float, read: float) -> float:
    """The chance that a question is a trick, from its unfairness and the reader's probability."""
    return chance_of(_BIAS + _READ * log_odds(read, _HARDLY) + _UNFAIR * log_odds(unfair, _HARDLY))


def many(question: str) -> bool:
    """Whether several things are asked at once."""
    clauses = sum(bool(_ASKS.match(part)) for part in _BREAK.split(question))
    return count_questions(question) >= MANY_MARKS or clauses >= MANY_CLAUSES


def _without_names(question: str, known: Sequence[str]) -> str:
    """The question without names of tests and diseases. Diseases that the patient knows it has had are kept."""
    disease = named(question)
    if disease and not any(name_pattern(disease).search(line) for line in known):
        question = name_pattern(disease).sub("this disease", question)
    return without_tests(question)


def log_odds(chance: float, never: float = NEVER) -> float:
    """The log odds of a chance, which is first limited to the range from `never` to ``1 - never``."""
    kept = min(max(chance, never), 1 - never)
    return log(kept / (1 - kept))


def chance_of(odds: float) -> float:
    """The chance for these log odds."""
    return 1 / (1 + exp(-odds))
