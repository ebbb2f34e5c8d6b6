"""Patient personas: who speaks, independent of their illness. Constraints keep each persona consistent; the way of
drawing makes them differ.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.people.locales import Sex, load_locale
from polyclinic.people.names import draw_name
from polyclinic.people.traitlists import TraitValue, conflicts

POOL = 300
_CANDIDATES = 24
_THIS_YEAR = 2026
_DIMENSIONS = ("archetype", "attitude", "group", "knowledge")


class Persona(Frozen):
    """A person as a voice: `style_prompt` is for the actor; everything else is for matching and for reports.

    `voice` holds how the person speaks, without age or work, so that it can be used with a script that has its own age
    and work.
    """

    id: str
    name: str
    age: int
    sex: Sex
    occupation: str
    group: str
    education: str
    knowledge: str
    archetype: str
    attitude: str
    setting: str
    voice: str
    tags: tuple[str, ...]

    @property
    def description(self) -> str:
        """A short biography."""
        work = f"a {self.occupation} who" if self.occupation else "somebody who"
        return f"{self.name} is {self.age}, {work} {self.setting}; {self.archetype}, {self.attitude}."

    @property
    def style_prompt(self) -> str:
        """The core instruction for the player of this person."""
        work = f", {self.occupation}" if self.occupation else ""
        return f"You are {self.name}, {self.age}{work}, who {self.setting}. {self.voice}"

    def lent_to(self, age: int | None, sex: Sex | None) -> Persona:
        """The same voice with a script's own age and sex; work and home that do not fit that age are left out."""
        if (age is None or age == self.age) and (sex is None or sex == self.sex):
            return self
        years = self.age if age is None else age
        job = _job(self.group)
        fits = job["ages"][0] <= years <= job["ages"][1]
        home = next(entry for entry in _material()["settings"] if entry["says"] == self.setting)
        settled = home["ages"][0] <= years <= home["ages"][1]
        return self.model_copy(
            update={
                "age": years,
                "sex": sex or self.sex,
                "occupation": self.occupation if fits else "",
                "setting": self.setting if settled else "came here today because of this",
            }
        )


def life_stage(age: int) -> str:
    """The age group for an age. Scripts and personas are matched by it when no age is stated."""
    bounds = ((12, "child"), (18, "teenager"), (35, "young adult"), (55, "middle-aged"), (65, "older adult"))
    return next((name for below, name in bounds if age < below), "senior")


@lru_cache(maxsize=1)
def _material() -> dict[str, Any]:
    found: dict[str, Any] = package_data("polyclinic.people", "data/personas.toml")
    return found


def _job(group: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(entry for entry in _material()["occupations"] if entry["group"] == group)
    return found


@lru_cache(maxsize=1)
def dimensions() -> dict[str, tuple[TraitValue, ...]]:
    """Every dimension with its values."""
    plain = _material()
    groups = tuple(TraitValue.model_validate({"name": entry["group"]}) for entry in plain["occupations"])
    lists = {"knowledge": "knowledge", "archetype": "archetypes", "attitude": "attitudes"}
    read = {name: tuple(TraitValue.model_validate(entry) for entry in plain[key]) for name, key in lists.items()}
    return {**read, "group": groups}


def _candidate(chance: random.Random) -> tuple[dict[str, TraitValue], str, Mapping[str, Any]]:
    while True:
        job = chance.choice(_material()["occupations"])
        occupation = chance.choice(job["names"])
        chosen = {name: chance.choice(dimensions()[name]) for name in ("knowledge", "archetype", "attitude")}
        chosen["group"] = TraitValue(name=job["group"])
        parts: dict[str, list[TraitValue]] = {name: [trait] for name, trait in chosen.items()}
        if not conflicts({**parts, "occupation": [TraitValue(name=occupation)]}):
            return chosen, occupation, job


def _least_used(
    used: Counter[tuple[str, str]], chosen: Mapping[str, TraitValue], occupation: str
) -> tuple[int, int, int]:
    """How often a candidate's values were used before: the combination, then the most used value, then the sum."""
    whole = used[("all", "|".join(chosen[name].name for name in _DIMENSIONS) + occupation)]
    counts = [used[(name, chosen[name].name)] for name in _DIMENSIONS]
    return whole, max(counts), sum(counts) + used[("occupation", occupation)]


def _persona(
    number: int, chosen: Mapping[str, TraitValue], occupation: str, job: Mapping[str, Any], chance: random.Random
) -> Persona:
    age = chance.randint(*job["ages"])
    sex: Sex = "female" if number % 2 else "male"
    name = draw_name(load_locale("scotland"), sex, _THIS_YEAR - age, chance).given
    settings = [entry["says"] for entry in _material()["settings"] if entry["ages"][0] <= age <= entry["ages"][1]]
    setting = chance.choice(settings)
    knowledge, archetype, attitude = chosen["knowledge"], chosen["archetype"], chosen["attitude"]
    voice = (
        f"{knowledge.words('speaks')} You are a person who {archetype.words('style')}. {attitude.words('style')} "
        f"When you speak, {knowledge.words('habit')}. Use everyday words and never the doctor's."
    )
    tags = (life_stage(age), sex, *archetype.list("tags"), *attitude.list("tags"), knowledge.name, chosen["group"].name)
    return Persona(
        id=f"persona-{number:03d}",
        name=name,
        age=age,
        sex=sex,
        occupation=occupation,
        group=chosen["group"].name,
        education=chance.choice(job["education"]),
        knowledge=knowledge.name,
        archetype=archetype.name,
        attitude=attitude.name,
        setting=setting,
        voice=voice,
        tags=tuple(dict.fromkeys(tags)),
    )


@lru_cache(maxsize=8)
def personas(count: int = POOL, seed: int = 0) -> tuple[Persona, ...]:
    """`count` personas, the same for the same seed. For each one, several consistent candidates are drawn; the one
    whose values were used least so far is kept.
    """
    chance = stream("personas", seed)
    used: Counter[tuple[str, str]] = Counter()
    made = []
    for number in range(1, count + 1):
        options = [_candidate(chance) for _ in range(_CANDIDATES)]
        chosen, occupation, job = min(options, key=lambda option: _least_used(used, option[0], option[1]))
        made.append(_persona(number, chosen, occupation, job, chance))
        used.update((name, chosen[name].name) for name in _DIMENSIONS)
        used[("occupation", occupation)] += 1
        used[("all", "|".join(chosen[name].name for name in _DIMENSIONS) + occupation)] += 1
    return tuple(made)
