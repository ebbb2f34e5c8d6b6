"""How a simulated patient behaves: personality, command of the language, recall of the medical history, confusion.

The four axes and their levels are those of PatientSim, with one more level of recall, ``none``, for people who come to
a hospital for the first time with a complaint. The words are data: `data/patient_axes.toml`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, get_args

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen

Personality = Literal["neutral", "distrustful", "impatient", "overanxious", "overly_positive", "verbose"]
Language = Literal["A", "B", "C"]
_Recall = Literal["none", "low", "high"]
Confusion = Literal["normal", "high"]

PERSONALITIES: tuple[Personality, ...] = get_args(Personality)
LANGUAGES: tuple[Language, ...] = get_args(Language)
RECALLS: tuple[_Recall, ...] = get_args(_Recall)
CONFUSIONS: tuple[Confusion, ...] = get_args(Confusion)


class PatientAxes(Frozen):
    """One patient's place on the four axes. The defaults describe a typical outpatient."""

    personality: Personality = "neutral"
    language: Language = "B"
    recall: _Recall = "high"
    confusion: Confusion = "normal"

    def instructions(self) -> tuple[str, ...]:
        """What an actor must do to play this person, one instruction per line, axis by axis."""
        return _instructions(self)

    def reminder(self) -> str:
        """What this person is like in a few short sentences, for the end of the prompt."""
        words = _words()["reminder"]
        return " ".join(words[axis][level] for axis, level in self)


@lru_cache(maxsize=1)
def _words() -> dict[str, Any]:
    words: dict[str, Any] = package_data("polyclinic.people", "data/patient_axes.toml")
    return words


@lru_cache(maxsize=256)
def _instructions(axes: PatientAxes) -> tuple[str, ...]:
    """There are few places on the axes, and every prompt asks for the instructions again."""
    words = _words()
    return tuple([line for axis, level in axes for line in words[axis][level]])


def draw_axes(random: random.Random, weights: Mapping[str, Mapping[str, float]], *, has_history: bool) -> PatientAxes:
    """Draw a place on the axes with these weights per axis and level. Without a history there is nothing to recall."""
    recall = _pick(random, weights.get("recall", {"high": 1.0})) if has_history else "none"
    return PatientAxes.model_validate(
        {
            "personality": _pick(random, weights.get("personality", {"neutral": 1.0})),
            "language": _pick(random, weights.get("language", {"B": 1.0})),
            "recall": recall,
            "confusion": _pick(random, weights.get("confusion", {"normal": 1.0})),
        }
    )


def _pick(random: random.Random, weights: Mapping[str, float]) -> str:
    names = list(weights)
    return random.choices(names, [weights[name] for name in names])[0]
