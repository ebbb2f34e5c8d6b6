"""Profiles: five thousand plausible people, the same from the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.population import impossible
from polyclinic.core.seed import stream
from polyclinic.people.big_five import TRAITS, BigFive, draw_big_five, trait_sheets
from polyclinic.people.profiles import Profile, education_rank, fitting_profiles, profiles


def test_five_thousand_profiles_are_drawn_and_none_is_impossible() -> None:
    drawn = profiles()
    assert len(drawn) == 5_000
    assert len({profile.id for profile in drawn}) == 5_000
    assert [profile for profile in drawn if impossible(profile)] == []


def test_the_same_seed_gives_the_same_people_and_another_seed_others() -> None:
    again = tuple(profiles.__wrapped__(0, 50))
    assert again == profiles()[:50]
    assert tuple(profiles.__wrapped__(1, 50)) != again


def test_profile_n_does_not_depend_on_how_many_are_drawn() -> None:
    assert profiles.__wrapped__(3, 10)[7] == profiles.__wrapped__(3, 40)[7]


def test_people_are_diverse_in_every_respect() -> None:
    drawn = profiles()
    for field in ("sex", "partnership", "education", "income", "culture", "language"):
        counts = Counter(getattr(profile, field) for profile in drawn)
        assert len(counts) >= 2, field
        assert counts.most_common(1)[0][1] < 0.75 * len(drawn), field
    for trait in TRAITS:
        levels = Counter(profile.big_five.level(trait) for profile in drawn)
        assert min(levels.values()) > 0.15 * len(drawn), (trait, levels)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"age": 17, "education": "bachelor", "occupation": "student"}, "bachelor education at 17"),
        ({"age": 17, "partnership": "married", "education": "secondary", "occupation": "student"}, "married at 17"),
        (
            {"age": 25, "partnership": "widowed", "education": "secondary", "occupation": "office clerk"},
            "widowed at 25",
        ),
        ({"age": 20, "children": 4, "education": "secondary", "occupation": "student"}, "4 children at 20"),
        (
            {"age": 40, "education": "primary", "occupation": "lawyer", "income": "high"},
            "lawyer with primary education",
        ),
        ({"age": 40, "occupation": "retired"}, "retired at 40"),
        ({"age": 40, "occupation": "cleaner", "income": "high"}, "cleaner with high income"),
        ({"age": 40, "culture": "Korean", "language": "Polish"}, "Polish as first language of Korean"),
    ],
)
def test_an_impossible_person_is_recognised(change: dict[str, object], fault: str) -> None:
    base = Profile(
        id="x",
        age=40,
        sex="female",
        partnership="single",
        children=0,
        education="bachelor",
        occupation="teacher",
        income="middle",
        culture="Korean",
        language="Korean",
        habit="",
        big_five=BigFive(),
    )
    assert impossible(base) == []
    assert fault in impossible(base.model_copy(update=change))


def test_trait_words_match_their_levels() -> None:
    for number in range(200):
        person = draw_big_five(stream("test", number))
        allowed = {
            word
            for trait in TRAITS
            for word in {
                "low": trait_sheets()[trait].low_words,
                "high": trait_sheets()[trait].high_words,
                "middle": (),
            }[person.level(trait)]
        }
        assert set(person.words) <= allowed
        assert len(person.manners()) == sum(person.level(trait) != "middle" for trait in TRAITS)


def test_a_fitting_profile_has_the_requested_sex_age_and_schooling() -> None:
    for age, sex in ((17, "female"), (35, "male"), (84, "female")):
        found = stream("fit", age).choice(fitting_profiles(profiles(), age=age, sex=sex, least="none"))  # type: ignore[arg-type]
        assert found.sex == sex
        assert abs(found.age - age) <= 2
    schooled = stream("fit").choice(fitting_profiles(profiles(), age=50, sex="male", least="bachelor"))
    assert education_rank(schooled.education) >= education_rank("bachelor")


def test_the_parent_of_a_child_has_children_and_a_plausible_age() -> None:
    for child in (0, 4, 10):
        found = stream("parent", child).choice(fitting_profiles(profiles(), age=child, sex=None, parent_of=child))
        assert found.children >= 1
        assert found.age - child >= 19
