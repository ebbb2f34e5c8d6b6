"""Cheat questions: wordings by kind, with places for what is known of a case, and the turns at which they are asked."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.patient.rules.questions import CHEATS, Kind
from polyclinic.clinics.patient.scenario.casefile import parse_yaml
from polyclinic.clinics.patient.scenario.shipped import data_text
from polyclinic.core.message import Frozen

CHEATS_PER_CASE = 5


class Wordings(Frozen):
    """Ways to put one kind of cheat question: those to learn from, and those kept for tests."""

    practice: tuple[str, ...]
    exam: tuple[str, ...]


@lru_cache(maxsize=1)
def wordings() -> dict[Kind, Wordings]:
    """All wordings, by kind."""
    raw = parse_yaml(data_text("cheats.yaml"), "cheats.yaml")
    return {Kind(kind): Wordings.model_validate(body) for kind, body in raw.items()}


def cheat_kinds(random: random.Random, count: int = CHEATS_PER_CASE) -> list[Kind]:
    """Which tricks are tried in a case: different ones as far as there are enough."""
    kinds = sorted(CHEATS)
    return [*random.sample(kinds, min(count, len(kinds))), *random.choices(kinds, k=max(0, count - len(kinds)))]


def cheat_turns(turns: int, count: int, random: random.Random) -> list[int]:
    """At which turns (from 0) the cheat questions come: spread at random, never the first turn when
    it can be helped.
    """
    candidates = list(range(1, turns)) if turns > count else list(range(turns))
    return sorted(random.sample(candidates, min(count, len(candidates))))


def word_cheat(
    kind: Kind, exam: bool, random: random.Random, *, tests: Sequence[str], symptom: str, disease: str
) -> str:
    """One wording with its places filled."""
    choice = wordings()[kind]
    line = random.choice((*choice.practice, *choice.exam) if exam else choice.practice)
    return line.format(test=random.choice(list(tests) or ["blood test"]), symptom=symptom, disease=disease)
