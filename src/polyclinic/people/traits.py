"""Communicator traits: how somebody communicates, independent of their role and their duties.

A profile has a mean and a variance per dimension: the mean is how the person tends to speak, the variance how much that
differs from day to day. Profiles are drawn from priors, and priors come from a survey table. The table that ships here
is made up (24 invented respondents per role, see `data/communicator_survey.csv`); replace it with your own responses.
These are prompt-level priors, not validated psychological measures.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Literal, Self

from pydantic import Field, model_validator

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen

Communicator = Literal["doctor", "nurse", "trainee", "patient"]
COMMUNICATORS: tuple[Communicator, ...] = ("doctor", "nurse", "trainee", "patient")


class Dimension(Frozen):
    """One way in which people of a role differ when they communicate; 0 is the low end, 1 the high end."""

    id: str
    about: str
    you: str
    low: str
    high: str
    range: tuple[float, float]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.range
        if not 0 <= low < high <= 1:
            raise ValueError(f"the range of {self.id} must be two numbers from 0 to 1, the lower one first")
        return self

    def within(self, value: float) -> float:
        """The value, limited to the range that the role expects."""
        return min(max(value, self.range[0]), self.range[1])


class Trait(Frozen):
    """A person's place on one dimension: the mean, and the day-to-day variance around it."""

    mean: float = Field(ge=0, le=1)
    variance: float = Field(gt=0)


class TraitProfile(Frozen):
    """All of a person's communicator traits."""

    role: Communicator
    traits: dict[str, Trait]

    def means(self) -> dict[str, float]:
        """The trait vector."""
        return {name: trait.mean for name, trait in self.traits.items()}

    def moved(self, changes: Mapping[str, float]) -> TraitProfile:
        """The profile with some means changed, each limited to its role's range."""
        ranges = {dimension.id: dimension for dimension in dimensions(self.role)}
        traits = {
            name: trait.model_copy(update={"mean": ranges[name].within(changes[name])}) if name in changes else trait
            for name, trait in self.traits.items()
        }
        return TraitProfile(role=self.role, traits=traits)

    def persona(self) -> str:
        """The profile as a short text.

        Prompts describe the person with it, and identity scores are compared with it.
        """
        known = {dimension.id: dimension for dimension in dimensions(self.role)}
        lines = [f"- {known[name].about}: {degree(trait.mean)}" for name, trait in self.traits.items()]
        return f"A {self.role} who\n" + "\n".join(lines)


def degree(value: float) -> str:
    """A value from 0 to 1 in words."""
    for limit, word in (
        (0.2, "hardly"),
        (0.4, "rather little"),
        (0.6, "to a middling degree"),
        (0.8, "rather strongly"),
    ):
        if value < limit:
            return word
    return "very strongly"


class Prior(Frozen):
    """What a survey says about one dimension: the mean, and the spread between persons and within one person."""

    mean: float = Field(ge=0, le=1)
    between: float = Field(ge=0)
    within: float = Field(gt=0)


@cache
def dimensions(role: Communicator) -> tuple[Dimension, ...]:
    """The dimensions of a role, in their fixed order."""
    plain = package_data("polyclinic.people", "data/communicator_traits.yaml")
    return tuple(Dimension.model_validate(entry) for entry in plain[role])


def draw_profile(role: Communicator, priors: Mapping[str, Prior], rng: random.Random) -> TraitProfile:
    """One person of the role: means drawn around the priors and limited to the role's ranges."""
    traits = {}
    for dimension in dimensions(role):
        prior = priors[dimension.id]
        mean = dimension.within(rng.gauss(prior.mean, prior.between**0.5))
        traits[dimension.id] = Trait(mean=round(mean, 4), variance=round(prior.within, 6))
    return TraitProfile(role=role, traits=traits)
