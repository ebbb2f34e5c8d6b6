from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks.population import persona_conflicts, persona_diversity, student_conflicts, student_diversity
from polyclinic.core.seed import stream
from polyclinic.people.personas import POOL, Persona, life_stage, personas
from polyclinic.people.students import Student, sample_group, students


def test_there_are_three_hundred_personas_and_students_and_all_are_consistent() -> None:
    assert len(personas()) == len(students()) == POOL == 300
    assert [persona.id for persona in personas() if persona_conflicts(persona)] == []
    assert [student.id for student in students() if student_conflicts(student)] == []
    assert len({persona.id for persona in personas()}) == len({student.id for student in students()}) == 300


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hurried", "curious"),
        ("hurried", "talkative"),
        ("hurried", "emotional"),
        ("few words", "talkative"),
        ("trusting", "curious"),
        ("trusting", "distrustful"),
        ("trusting", "sceptical"),
        ("cheerful", "grumbling"),
        ("stoic", "dramatic"),
    ],
)
def test_nobody_is_told_to_be_one_thing_and_its_opposite(one: str, other: str) -> None:
    tags = {tag for persona in personas() for tag in persona.tags}
    assert {one, other} <= tags
    assert [persona.id for persona in personas() if {one, other} <= set(persona.tags)] == []


def test_inconsistent_people_are_found() -> None:
    persona = personas()[0]
    odd = persona.model_copy(
        update={"group": "retired", "occupation": "retired teacher", "education": "university", "age": 20}
    )
    assert any("of 20" in fault for fault in persona_conflicts(odd))
    clash = persona.model_copy(update={"archetype": "complainer", "attitude": "authority worshipper"})
    assert any("not with" in fault for fault in persona_conflicts(clash))
    novice = persona.model_copy(
        update={"group": "health worker", "occupation": "ward nurse", "knowledge": "medical novice"}
    )
    assert persona_conflicts(novice)
    student = students()[0]
    shy = student.model_copy(update={"team_role": "active leader", "weaknesses": ("lacks confidence",)})
    assert any("lacks confidence not with role:active leader" in fault for fault in student_conflicts(shy))
    sure = student.model_copy(update={"team_role": "insecure follower", "weaknesses": ("tunnel vision",)})
    assert any("needs weakness:lacks confidence" in fault for fault in student_conflicts(sure))
    old = student.model_copy(update={"level": "beginner", "year": "Second-year resident"})
    assert student_conflicts(old)


def test_personas_are_diverse_by_the_measure() -> None:
    measured = persona_diversity(personas())
    assert min(measured.evenness.values()) > 0.97
    assert measured.pair_coverage > 0.9 and measured.distance > 0.75 and measured.distinct > 200
    assert len({persona.style_prompt for persona in personas()}) == 300
    ages = [persona.age for persona in personas()]
    assert min(ages) < 18 and max(ages) > 85
    assert {life_stage(age) for age in ages} == {"teenager", "young adult", "middle-aged", "older adult", "senior"}


def test_students_are_diverse_by_the_measure() -> None:
    measured = student_diversity(students())
    assert min(measured.evenness.values()) > 0.95
    assert measured.pair_coverage > 0.9 and measured.distance > 0.7 and measured.distinct > 150


def test_the_measure_of_diversity_falls_for_a_poor_population() -> None:
    poor = persona_diversity(personas()[:3] * 50)
    good = persona_diversity(personas()[:150])
    assert poor.distinct == 3 and poor.pair_coverage < good.pair_coverage / 2
    assert max(poor.evenness.values()) < 0.85 and poor.repeated_text == 1.0


def test_people_are_the_same_in_every_process() -> None:
    imports = (
        "from polyclinic.people.personas import personas as p; from polyclinic.people.students import students as s"
    )
    code = f"{imports}; print(p(40), s(40))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert personas(40, seed=1) != personas(40, seed=2)


def test_traits_are_in_the_prompts_of_the_actors() -> None:
    for persona in personas(60):
        assert persona.name in persona.style_prompt and str(persona.age) in persona.style_prompt
        assert persona.voice in persona.style_prompt and persona.name in persona.description
    for student in students(60):
        assert student.behaviour.startswith(f"You are {student.name}, {student.year}")


def test_a_voice_used_for_another_age_drops_work_and_home_that_do_not_fit() -> None:
    retired = next(persona for persona in personas() if persona.group == "retired")
    young = retired.lent_to(19, None)
    assert young.age == 19 and young.occupation == "" and "retired" not in young.style_prompt
    assert young.voice == retired.voice
    same: Persona = retired.lent_to(retired.age, retired.sex)
    assert same is retired


@pytest.mark.parametrize("size", [1, 3, 10])
def test_groups_have_different_names(size: int) -> None:
    for draw in range(20):
        group: list[Student] = sample_group(size, stream("group", draw))
        assert len({student.name for student in group}) == size


def test_a_group_with_more_people_than_names_is_refused() -> None:
    with pytest.raises(ValueError, match="different names"):
        sample_group(5, stream("g"), students()[:3])
