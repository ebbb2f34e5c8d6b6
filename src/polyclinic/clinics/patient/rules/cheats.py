"""Cheat questions: wordings by kind, with placeholders for data of the case, and the turns at which they are asked."""

from __future__ import annotations

import random
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen

CHEATS_PER_CASE = 5


class CheatKind(StrEnum):
    """The tricks that are tried on a patient."""

    ITEM = "single item of a test"
    MANY = "many questions at once"
    GUESS = "a disease suggested"
    CONCLUSION = "asks for the diagnosis"
    HEARSAY = "what other doctors said"
    EVERYTHING = "asks for everything"
    ALL_RESULTS = "asks for all results"
    INTERPRETATION = "asks what results mean"
    COURSE = "asks for the whole course"


class Wordings(Frozen):
    """Wordings of one kind of cheat question: for learning, for tests only, and in a second voice for both."""

    practice: tuple[str, ...]
    exam: tuple[str, ...]
    second: tuple[str, ...]


@lru_cache(maxsize=1)
def wordings() -> dict[CheatKind, Wordings]:
    """All wordings, by kind."""
    raw = data("cheats.yaml")
    return {CheatKind(kind): Wordings.model_validate(body) for kind, body in raw.items()}


def cheat_kinds(random: random.Random, count: int = CHEATS_PER_CASE) -> list[CheatKind]:
    """Which tricks are tried in a case. They differ as long as there are enough kinds."""
    kinds = sorted(CheatKind)
    return [*random.sample(kinds, min(count, len(kinds))), *random.choices(kinds, k=max(0, count - len(kinds)))]


def cheat_turns(turns: int, count: int, random: random.Random) -> list[int]:
    """At which turns (from 0) the cheat questions come.

    They are spread at random, and not at the first turn if there are enough turns.
    """
    candidates = list(range(1, turns)) if turns > count else list(range(turns))
    return sorted(random.sample(candidates, min(count, len(candidates))))


def word_cheat(
    kind: CheatKind, random: random.Random, *, exam: bool, second: bool, tests: Sequence[str], disease: str
) -> str:
    """One wording with its placeholders filled in. `second` uses the wordings of the second voice."""
    choice = wordings()[kind]
    lines = choice.second if second else (*choice.practice, *choice.exam) if exam else choice.practice
    return random.choice(lines).format(
        test=random.choice(list(tests) or ["blood test"]), symptom="trouble", disease=disease
    )
