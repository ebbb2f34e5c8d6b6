"""What the clinic shows with understudies: reviewers matter, asking teaches, cost grows linearly with the group."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.clinics.rounds.rules.notes import Thought
from polyclinic.core.model import Completion, Request
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.results import RunResults
from polyclinic.testing.runs import played
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Play


async def _run(**values: object) -> RunResults:
    return await played(clinic="rounds", concurrency=8, **values)


def _mean(results: RunResults, variant: str, metric: str) -> float:
    found = metric_estimate(results, variant, metric)
    assert found is not None, (variant, metric)
    return found.mean


@pytest.mark.slow
async def test_asking_teaches_more_than_lecturing_on_unseen_cases() -> None:
    variants = ("socratic-transfer", "lecture-transfer", "untutored-transfer")
    results = await _run(variants=variants, scenarios="test", judges=("learning",))
    socratic, lecture, untutored = (_mean(results, variant, "transfer_right") for variant in variants)
    assert socratic > lecture + 0.05
    assert lecture < untutored + 0.15
    assert (
        _mean(results, "socratic-transfer", "learning_gain")
        > _mean(results, "untutored-transfer", "learning_gain") + 0.15
    )
    first = [_mean(results, variant, "first_right") for variant in variants]
    assert first[0] == first[1] == first[2]


@pytest.mark.slow
async def test_cost_grows_linearly_and_a_students_context_does_not_grow_with_the_group(play: Play) -> None:
    sent: dict[int, int] = {}
    longest: dict[int, int] = {}
    tutor: dict[int, int] = {}
    for size in (1, 2, 4, 8, 10):
        played = await play(case_named("neph-04"), f"students-{size}", seed=4)
        rounds = len(played.result.transcript.notes(Thought))
        length = {id(request): sum(len(message.content) for message in request.messages) for request in played.requests}
        sent[size] = sum(length.values()) // rounds
        longest[size] = max(length[id(request)] for request in played.of("student"))
        tutor[size] = max(length[id(request)] for request in played.of("tutor"))
    assert longest[10] < longest[4] * 1.25
    slope = (sent[10] - sent[2]) / 8
    for size in (4, 8):
        assert sent[size] == pytest.approx(sent[2] + slope * (size - 2), rel=0.2)
    assert tutor[10] < tutor[1] + 10 * 1700


async def test_context_stays_bounded_when_students_never_stop_talking(play: Play) -> None:
    def verbose(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "StudentAnalyses":
            return completion
        return replace(completion, text="word " * 4000)

    played = await play(case_named("neph-04"), "students-10", changes={"student": verbose})
    assert played.result.status == "done"
    newest = 20_000  # a student's newest report is always whole
    assert max(len(message.content) for request in played.requests for message in request.messages) < newest + 10_000


async def test_strengths_and_weaknesses_show_in_what_students_say() -> None:
    from polyclinic.clinics.rounds.understudies.learning import ability
    from polyclinic.people.students import students

    step = next(step for step in case_named("card-03").steps if step.image)
    sharp = [
        ability(student, step)
        for student in students()
        if "sharp eye for images" in student.strengths and student.level == "beginner"
    ]
    other = [
        ability(student, step)
        for student in students()
        if "sharp eye for images" not in student.strengths and student.level == "beginner"
    ]
    assert min(sharp) > max(other)


async def test_the_report_fills_the_papers_tables() -> None:
    from polyclinic.clinics.rounds.report.page import report
    from polyclinic.clinics.rounds.report.teaching import student_models, tutors
    from polyclinic.eval.sections import Details, Dialogue, Table, sections_to_plain

    results = await _run(variants=("full", "untutored", "students-1", "students-4"), scenarios="2")
    sections = report(results)
    assert [section.title for section in sections] == [
        "Teaching quality",
        "Number of students",
        "Students of different levels",
        "Conduct",
        "What students learned",
        "Sessions, round by round",
    ]
    assert sections_to_plain(sections)
    folded = sections[-1].body[0]
    assert isinstance(folded, Details) and all(isinstance(block, Dialogue) for block in folded.body)
    asides = [
        line.aside
        for block in folded.body
        if isinstance(block, Dialogue)
        for line in block.lines
        if line.speaker == "tutor"
    ]
    assert asides and all("<think_history>" in aside for aside in asides)
    joined = tutors([results, results])
    assert joined is not None
    table = joined.body[0]
    assert isinstance(table, Table) and len(table.rows) == 6
    others = replace(results, cast=tuple(replace(member, model=f"other {member.model}") for member in results.cast))
    joined = student_models([results, others])
    assert joined is not None
    table = joined.body[0]
    assert isinstance(table, Table) and [row[:2] for row in table.rows] == [
        [f"{other}understudy", f"{other}understudy, {name}"]
        for other in ("", "other ")
        for name in ("full", "students-1", "students-4")
    ]
