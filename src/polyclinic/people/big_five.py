"""The five factors of personality, each at a low, middle or high level, with trait words and how they show in
conversation.

The words are data: `data/big_five.toml`. A middle level has no words: most people are unremarkable in most traits.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Literal, get_args

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen

_Trait = Literal["openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"]
TraitLevel = Literal["low", "middle", "high"]

TRAITS: tuple[_Trait, ...] = get_args(_Trait)
WORDS_PER_TRAIT = 2


class TraitSheet(Frozen):
    """The entry of the data file for one factor."""

    about: str
    low_words: tuple[str, ...]
    high_words: tuple[str, ...]
    low_manner: str
    high_manner: str


class BigFive(Frozen):
    """One person's level in each factor, and the trait words for the levels that are low or high."""

    openness: TraitLevel = "middle"
    conscientiousness: TraitLevel = "middle"
    extraversion: TraitLevel = "middle"
    agreeableness: TraitLevel = "middle"
    neuroticism: TraitLevel = "middle"
    words: tuple[str, ...] = ()

    def level(self, trait: _Trait) -> TraitLevel:
        """The level of one factor."""
        found: TraitLevel = getattr(self, trait)
        return found

    def manners(self) -> list[str]:
        """How low and high levels show in conversation, one line each."""
        lines = []
        for trait in TRAITS:
            level = self.level(trait)
            if level != "middle":
                sheet = trait_sheets()[trait]
                lines.append(sheet.low_manner if level == "low" else sheet.high_manner)
        return lines


@lru_cache(maxsize=1)
def trait_sheets() -> dict[str, TraitSheet]:
    """The entries of all five factors, by trait."""
    return {
        name: TraitSheet.model_validate(sheet)
        for name, sheet in package_data("polyclinic.people", "data/big_five.toml").items()
    }


def draw_big_five(random: random.Random) -> BigFive:
    """Draw each level separately (a quarter low, half middle, a quarter high), with words that fit."""
    levels: dict[str, TraitLevel] = {}
    words: list[str] = []
    for trait in TRAITS:
        chance = random.random()
        level: TraitLevel = "low" if chance < 0.25 else "high" if chance >= 0.75 else "middle"
        levels[trait] = level
        if level != "middle":
            sheet = trait_sheets()[trait]
            words += random.sample(sheet.low_words if level == "low" else sheet.high_words, WORDS_PER_TRAIT)
    return BigFive.model_validate({**levels, "words": tuple(words)})
