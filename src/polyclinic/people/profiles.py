"""Who a simulated patient is: family, education, income, personality, culture and language.

Profiles never contradict themselves: no married schoolchild, no lawyer without a degree, no
retired person of thirty, no grandchild of childless people, no postgraduate at twenty, no language foreign to the
culture.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pydantic import Field

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.people.big_five import BigFive, draw_big_five
from polyclinic.people.locales import Sex

Partnership = Literal["single", "with a partner", "married", "divorced", "widowed"]
Education = Literal["none", "primary", "secondary", "vocational", "bachelor", "postgraduate"]
Income = Literal["low", "middle", "high"]
MedicalWords = Literal["everyday words only", "some medical words", "many medical words"]

PROFILES = 5_000
YOUNGEST, OLDEST = 16, 95
YOUNGEST_PARTNER, YOUNGEST_MARRIED, YOUNGEST_WIDOWED = 18, 20, 35
YOUNGEST_PARENT = 19
PARENTS_AGE_GAP = 38


class Occupation(Frozen):
    """An occupation, the education that it needs, and the income that it gives."""

    name: str
    education: Education
    income: tuple[Income, ...]
    ages: tuple[int, int]


class Culture(Frozen):
    """A cultural background, its languages, and one habit of speaking with doctors."""

    name: str
    languages: tuple[str, ...]
    habit: str


class _Tables(Frozen):
    education: tuple[Education, ...]
    income: tuple[Income, ...]
    education_ages: dict[Education, int]
    cultures: tuple[Culture, ...]
    occupations: tuple[Occupation, ...]


class Profile(Frozen):
    """One person."""

    id: str
    age: int = Field(ge=0, le=120)
    sex: Sex
    partnership: Partnership
    children: int = Field(ge=0, le=8)
    education: Education
    occupation: str
    income: Income
    culture: str
    language: str
    habit: str
    big_five: BigFive

    @property
    def medical_words(self) -> MedicalWords:
        """How much medical language this person understands; it depends on education."""
        if self.education in ("none", "primary"):
            return "everyday words only"
        return "some medical words" if self.education in ("secondary", "vocational") else "many medical words"

    def describe(self, *, with_family_and_work: bool = True) -> str:
        """The person in a few sentences that address the player as "you".

        Family and work are left out if the record already states them.
        """
        who = f"{self.culture}, first language {self.language}; {self.habit}."
        schooling = "no schooling" if self.education == "none" else f"{self.education} education"
        means = f"{schooling.capitalize()}, {self.income} income; you know {self.medical_words}."
        traits = f"Personality: {', '.join(self.big_five.words) or 'unremarkable'}."
        manner = f"In conversation {'; '.join(self.big_five.manners()) or 'you answer plainly'}."
        family = ""
        if with_family_and_work:
            children = (
                "no children" if not self.children else f"{self.children} child{'ren' if self.children > 1 else ''}"
            )
            family = f"{self.partnership.capitalize()}, {children}, {self.occupation}. "
        return f"{family}{who} {means} {traits} {manner}"


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    return _Tables.model_validate(package_data("polyclinic.people", "data/profiles.toml"))


def education_rank(education: Education) -> int:
    """Education levels in order."""
    return _tables().education.index(education)


def draw_profile(id: str, random: random.Random) -> Profile:
    """Draw a person without contradictions."""
    tables = _tables()
    age = random.randint(YOUNGEST, OLDEST)
    levels = [level for level in tables.education if age >= tables.education_ages[level]]
    education = random.choice(levels)
    occupation = random.choice(_occupations(age, education))
    partnership = random.choice(_partnerships(age))
    most = 0 if partnership == "single" and random.random() < 0.8 else min(4, age - YOUNGEST_PARENT)
    culture = random.choice(tables.cultures)
    sex: Sex = "female" if random.random() < 0.5 else "male"
    return Profile(
        id=id,
        age=age,
        sex=sex,
        partnership=partnership,
        children=random.randint(0, most) if most > 0 else 0,
        education=education,
        occupation=occupation.name,
        income=random.choice(occupation.income),
        culture=culture.name,
        language=random.choice(culture.languages),
        habit=culture.habit,
        big_five=draw_big_five(random),
    )


def _occupations(age: int, education: Education) -> list[Occupation]:
    fitting = [
        occupation
        for occupation in _tables().occupations
        if occupation.ages[0] <= age <= occupation.ages[1]
        and education_rank(education) >= education_rank(occupation.education)
    ]
    if age >= 67:
        return [occupation for occupation in fitting if occupation.name == "retired"] or fitting
    return fitting


def _partnerships(age: int) -> list[Partnership]:
    found: list[Partnership] = ["single"]
    if age >= YOUNGEST_PARTNER:
        found.append("with a partner")
    if age >= YOUNGEST_MARRIED:
        found += ["married", "married"]
    if age >= YOUNGEST_MARRIED + 5:
        found.append("divorced")
    if age >= YOUNGEST_WIDOWED + 20:
        found.append("widowed")
    return found


@lru_cache(maxsize=4)
def profiles(seed: int = 0, count: int = PROFILES) -> tuple[Profile, ...]:
    """Profiles 0 to count-1 of this seed; profile n is the same however many are drawn."""
    return tuple(draw_profile(f"p{number:04d}", stream("profile", seed, number)) for number in range(count))


def fitting_profiles(
    pool: Sequence[Profile],
    *,
    age: int,
    sex: Sex | None,
    least: Education = "none",
    parent_of: int | None = None,
) -> tuple[Profile, ...]:
    """The profiles of the pool that can be this person: of that sex, near that age, with at least that education.

    With `parent_of` (a child's age), finds parents instead: of either sex, with children, and of an age to have such a
    child. The range of ages is widened until somebody fits, so a pool of ordinary size always has a match.
    """
    for slack in (2, 5, 10, 20, 100):
        if parent_of is not None:
            low, high = YOUNGEST_PARENT + parent_of, PARENTS_AGE_GAP + parent_of + slack
            found = [p for p in pool if low <= p.age <= high and p.children]
        else:
            found = [p for p in pool if abs(p.age - age) <= slack and (sex is None or p.sex == sex)]
        found = [profile for profile in found if education_rank(profile.education) >= education_rank(least)]
        if found:
            return tuple(found)
    raise ValueError("no profile in the pool fits")
