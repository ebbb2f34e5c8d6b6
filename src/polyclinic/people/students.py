"""Simulated medical students: level, strengths, weaknesses, learning style, team role.

Constraints keep each student consistent.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.people.locales import Sex, load_locale
from polyclinic.people.names import draw_name
from polyclinic.people.traitlists import TraitValue, conflicts

POOL = 300
_CANDIDATES = 24
_BIRTH = {"beginner": 2006, "intermediate": 2003, "advanced": 1999}
_LISTS = {"level": "levels", "strength": "strengths", "weakness": "weaknesses", "style": "styles", "role": "roles"}


class Student(Frozen):
    """One student. `behaviour` is the text for the actor."""

    id: str
    name: str
    sex: Sex
    year: str
    level: str
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    learning_style: str
    team_role: str
    description: str
    behaviour: str


@lru_cache(maxsize=1)
def dimensions() -> dict[str, tuple[TraitValue, ...]]:
    """Every dimension with its values."""
    plain = package_data("polyclinic.people", "data/students.toml")
    return {name: tuple(TraitValue.model_validate(entry) for entry in plain[key]) for name, key in _LISTS.items()}


def _candidate(chance: random.Random) -> dict[str, list[TraitValue]]:
    lists = dimensions()
    while True:
        chosen = {
            "level": [chance.choice(lists["level"])],
            "strength": chance.sample(lists["strength"], chance.choice((1, 1, 2))),
            "weakness": chance.sample(lists["weakness"], chance.choice((1, 2, 2))),
            "style": [chance.choice(lists["style"])],
            "role": [chance.choice(lists["role"])],
        }
        if not conflicts(chosen):
            return chosen


def _wear(used: Counter[tuple[str, str]], chosen: Mapping[str, Sequence[TraitValue]]) -> tuple[int, int, int]:
    counts = [used[(name, trait.name)] for name, traits in chosen.items() for trait in traits[:1]]
    return used[("all", _signature(chosen))], max(counts), sum(counts)


def _signature(chosen: Mapping[str, Sequence[TraitValue]]) -> str:
    return "|".join(",".join(sorted(trait.name for trait in traits)) for _, traits in sorted(chosen.items()))


def _student(number: int, chosen: Mapping[str, Sequence[TraitValue]], chance: random.Random) -> Student:
    level, style, role = chosen["level"][0], chosen["style"][0], chosen["role"][0]
    sex: Sex = "female" if number % 2 else "male"
    name = draw_name(load_locale("scotland"), sex, _BIRTH[level.name], chance).given
    year = chance.choice(level.list("years"))
    acts = [trait.words("acts") for part in ("strength", "weakness") for trait in chosen[part]]
    said = [level.words("acts"), *acts, style.words("acts"), f"In a group {role.words('acts')}."]
    behaviour = f"You are {name}, {year}. {' '.join(said)}"
    return Student(
        id=f"student-{number:03d}",
        name=name,
        sex=sex,
        year=year,
        level=level.name,
        strengths=tuple(trait.name for trait in chosen["strength"]),
        weaknesses=tuple(trait.name for trait in chosen["weakness"]),
        learning_style=style.name,
        team_role=role.name,
        description=f"In a group {role.words('acts')}.",
        behaviour=behaviour,
    )


@lru_cache(maxsize=8)
def students(count: int = POOL, seed: int = 0) -> tuple[Student, ...]:
    """`count` students, the same for the same seed. For each one, several consistent candidates are drawn; the one
    whose values were used least so far is kept.
    """
    chance = stream("students", seed)
    used: Counter[tuple[str, str]] = Counter()
    made = []
    for number in range(1, count + 1):
        chosen = min((_candidate(chance) for _ in range(_CANDIDATES)), key=lambda option: _wear(used, option))
        made.append(_student(number, chosen, chance))
        used.update((name, trait.name) for name, traits in chosen.items() for trait in traits)
        used[("all", _signature(chosen))] += 1
    return tuple(made)


def sample_group(size: int, chance: random.Random, pool: Sequence[Student] | None = None) -> list[Student]:
    """A group of different students with different first names, since the tutor calls them by name."""
    people = list(pool or students())
    chance.shuffle(people)
    group: list[Student] = []
    for student in people:
        if student.name not in {other.name for other in group}:
            group.append(student)
        if len(group) == size:
            return group
    raise ValueError(f"the pool has fewer than {size} students with different names")
