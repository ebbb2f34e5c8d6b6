"""What is checked of drawn people: contradictions in one of them, and how different they all are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from polyclinic.core.message import Frozen
from polyclinic.people.personas import Persona
from polyclinic.people.personas import _job as job_of
from polyclinic.people.personas import dimensions as persona_dimensions
from polyclinic.people.profiles import (
    YOUNGEST_MARRIED,
    YOUNGEST_PARENT,
    YOUNGEST_PARTNER,
    YOUNGEST_WIDOWED,
    Profile,
    _tables,
    education_rank,
)
from polyclinic.people.students import Student
from polyclinic.people.students import dimensions as student_dimensions
from polyclinic.people.traitlists import TraitValue, conflicts


class Diversity(Frozen):
    """How different the members are. `evenness` is the normalised entropy per dimension (1 = all values equally often).
    `pair_coverage` is the share of allowed value pairs that occur at all. `distance` is the mean share of dimensions on
    which two members differ. `distinct` is the number of different combinations. `repeated_text` is how much the two
    most similar texts share.
    """

    members: int
    distinct: int
    evenness: dict[str, float]
    pair_coverage: float
    distance: float
    repeated_text: float


def evenness(values: Sequence[str], possible: int) -> float:
    """Entropy of the values, divided by the greatest possible entropy."""
    if possible < 2:
        return 1.0
    counts = Counter(values)
    total = len(values)
    return -sum(n / total * math.log(n / total) for n in counts.values()) / math.log(possible)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def measure(
    rows: Sequence[Mapping[str, str]], dimensions: Mapping[str, Sequence[TraitValue]], texts: Sequence[str]
) -> Diversity:
    """The diversity of a population given as one mapping of dimension to value per member."""
    names = sorted(dimensions)
    allowed_pairs, seen_pairs = pair_counts(rows, dimensions)
    differing, pairs, repeated = 0, 0, 0.0
    bags = [_words(text) for text in texts]
    for i, first in enumerate(rows):
        for j in range(i):
            second = rows[j]
            differing += sum(first[name] != second[name] for name in names)
            pairs += 1
            repeated = max(repeated, len(bags[i] & bags[j]) / len(bags[i] | bags[j]))
    return Diversity(
        members=len(rows),
        distinct=len({tuple(row[name] for name in names) for row in rows}),
        evenness={name: round(evenness([row[name] for row in rows], len(dimensions[name])), 4) for name in names},
        pair_coverage=round(seen_pairs / allowed_pairs, 4) if allowed_pairs else 1.0,
        distance=round(differing / (pairs * len(names)), 4) if pairs else 0.0,
        repeated_text=round(repeated, 4),
    )


def pair_counts(rows: Sequence[Mapping[str, str]], dimensions: Mapping[str, Sequence[TraitValue]]) -> tuple[int, int]:
    """How many pairs of values of two dimensions the constraints allow, and how many of these occur."""
    allowed, seen = 0, 0
    occurring = Counter((a, row[a], b, row[b]) for row in rows for a, b in combinations(sorted(dimensions), 2))
    for a, b in combinations(sorted(dimensions), 2):
        for first in dimensions[a]:
            for second in dimensions[b]:
                forbidden = f"{b}:{second.name}" in first.not_with or f"{a}:{first.name}" in second.not_with
                for one, other_dim, other in ((first, b, second), (second, a, first)):
                    same = [need.partition(":")[2] for need in one.only_with if need.startswith(f"{other_dim}:")]
                    forbidden = forbidden or (bool(same) and other.name not in same and len(same) == len(one.only_with))
                if not forbidden:
                    allowed += 1
                    seen += (a, first.name, b, second.name) in occurring
    return allowed, seen


def persona_conflicts(persona: Persona) -> list[str]:
    """The contradictions in a persona; empty for every generated persona."""
    values = {
        "knowledge": persona.knowledge,
        "archetype": persona.archetype,
        "attitude": persona.attitude,
        "group": persona.group,
    }
    chosen = {
        name: [trait for trait in persona_dimensions()[name] if trait.name == value] for name, value in values.items()
    }
    faults = conflicts({**chosen, "occupation": [TraitValue(name=persona.occupation)]})
    job = job_of(persona.group)
    if not job["ages"][0] <= persona.age <= job["ages"][1]:
        faults.append(f"a {persona.occupation} of {persona.age}")
    if persona.education not in job["education"]:
        faults.append(f"a {persona.occupation} with {persona.education}")
    return faults


def persona_diversity(people: Sequence[Persona]) -> Diversity:
    """How different these personas are."""
    rows = [
        {"archetype": p.archetype, "attitude": p.attitude, "group": p.group, "knowledge": p.knowledge} for p in people
    ]
    return measure(rows, persona_dimensions(), [person.style_prompt for person in people])


def trait_named(dimension: str, name: str) -> TraitValue:
    """The value of a dimension, by name."""
    return next(trait for trait in student_dimensions()[dimension] if trait.name == name)


def student_conflicts(student: Student) -> list[str]:
    """The contradictions in a student; empty for every generated student."""
    faults = conflicts(
        {
            "level": [trait_named("level", student.level)],
            "strength": [trait_named("strength", name) for name in student.strengths],
            "weakness": [trait_named("weakness", name) for name in student.weaknesses],
            "style": [trait_named("style", student.learning_style)],
            "role": [trait_named("role", student.team_role)],
        }
    )
    if student.year not in trait_named("level", student.level).list("years"):
        faults.append(f"a {student.level} in {student.year}")
    return faults


def student_diversity(people: Sequence[Student]) -> Diversity:
    """How different these students are."""
    rows = [
        {
            "level": student.level,
            "strength": student.strengths[0],
            "weakness": student.weaknesses[0],
            "style": student.learning_style,
            "role": student.team_role,
        }
        for student in people
    ]
    return measure(rows, student_dimensions(), [student.behaviour for student in people])


def impossible(profile: Profile) -> list[str]:
    """The contradictions in a profile; empty for every profile that `draw_profile` makes."""
    tables, faults = _tables(), []
    if profile.age < tables.education_ages[profile.education]:
        faults.append(f"{profile.education} education at {profile.age}")
    if profile.partnership == "with a partner" and profile.age < YOUNGEST_PARTNER:
        faults.append(f"a partner at {profile.age}")
    if profile.partnership in ("married", "divorced") and profile.age < YOUNGEST_MARRIED:
        faults.append(f"{profile.partnership} at {profile.age}")
    if profile.partnership == "widowed" and profile.age < YOUNGEST_WIDOWED:
        faults.append(f"widowed at {profile.age}")
    if profile.children and profile.age < YOUNGEST_PARENT + profile.children - 1:
        faults.append(f"{profile.children} children at {profile.age}")
    occupation = next(found for found in tables.occupations if found.name == profile.occupation)
    if education_rank(profile.education) < education_rank(occupation.education):
        faults.append(f"{profile.occupation} with {profile.education} education")
    if not occupation.ages[0] <= profile.age <= occupation.ages[1]:
        faults.append(f"{profile.occupation} at {profile.age}")
    if profile.income not in occupation.income:
        faults.append(f"{profile.occupation} with {profile.income} income")
    culture = next(found for found in tables.cultures if found.name == profile.culture)
    if profile.language not in culture.languages:
        faults.append(f"{profile.language} as first language of {profile.culture}")
    return faults
