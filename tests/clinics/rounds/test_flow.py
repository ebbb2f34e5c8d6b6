from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, RoomOpened, Thought
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import case_named, shipped_cases
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.transcript import Noted, Reviewed, Said, Violated
from tests.clinics.rounds.conftest import Play


async def test_a_round_goes_patient_reports_guidance_questions_answers(play: Play) -> None:
    played = await play(case_named("card-03"), "full", seed=3)
    order = []
    for event in played.result.transcript:
        if isinstance(event, Noted) and event.topic in ("choice", "analysis", "thinking"):
            order.append(event.topic)
        elif isinstance(event, Reviewed):
            order.append("review")
        elif isinstance(event, Said):
            order.append("tutor" if event.speaker == "tutor" else "patient" if event.speaker == "patient" else "asks")
    steps = [word for i, word in enumerate(order) if i == 0 or order[i - 1] != word]
    assert steps[:6] == ["patient", "choice", "analysis", "review", "thinking", "tutor"]
    assert steps[6] == "asks" and "patient" in steps[7:10]
    assert order[-3:] == ["choice"] * 3


async def test_the_patient_answers_the_whole_batch_in_one_reply(play: Play) -> None:
    played = await play(case_named("card-05"), "students-8", seed=1)
    asked = [prompt.questions for prompt in played.prompts("patient") if prompt.prompt_name() == "PatientAnswers"]
    assert asked and max(map(len, asked)) >= 3
    patient_turns = played.result.transcript.said("patient")
    assert len(patient_turns) == len(asked) + 1


@pytest.mark.parametrize("name", [name for name in VARIANTS if not name.startswith("students-")])
async def test_every_variant_has_the_people_it_names(name: str, play: Play) -> None:
    variant = VARIANTS[name]
    played = await play(case_named("resp-01"), name)
    assert played.result.status == "done"
    roles = {request.role.partition("-")[0] for request in played.requests}
    prompts = {request.prompt.prompt_name() for request in played.requests}
    assert ("patient" in roles) is variant.patient
    assert ("tutor" in roles) is (variant.tutor != "none")
    assert ("supervisor" in roles) is (variant.supervisor and variant.tutor != "none")
    assert ("ChecksFacts" in prompts) is (variant.specialist and variant.tutor != "none")
    assert ("TutorGuides" in prompts) is (variant.tutor == "socratic")
    assert len({request.role for request in played.of("student")}) == variant.students
    transfers = [note for note in played.result.transcript.notes(Chose) if note.when == "transfer"]
    assert len(transfers) == (variant.students if variant.transfer else 0)


async def test_every_variant_teaches_the_same_students_the_same_case(play: Play) -> None:
    rooms = [
        (await play(case_named("card-01"), name, seed=5)).result.transcript.notes(RoomOpened)[0]
        for name in ("full", "lecture", "untutored")
    ]
    assert rooms[0].students == rooms[1].students == rooms[2].students
    assert rooms[0].persona == rooms[1].persona


async def test_students_report_in_an_order_of_chance_that_changes_between_rounds(play: Play) -> None:
    played = await play(case_named("card-01"), "students-6", seed=2)
    orders: dict[int, list[str]] = {}
    for note in played.result.transcript.notes(Analysed):
        orders.setdefault(note.round, []).append(note.student)
    assert len({tuple(order) for order in orders.values()}) > 1


async def test_a_leaking_tutor_is_held_back_by_code_even_without_reviewers(play: Play) -> None:
    played = await play(
        case_named("card-04"), "without-specialist", cast="tutor=understudy:mistake=leak@1+stubborn@1,all=understudy"
    )
    transcript = played.result.transcript
    assert not transcript.said("tutor")
    assert {event.rule for event in transcript.of(Violated)} >= {"answer_leak"}


async def test_a_refused_draft_is_revised_and_its_aim_kept(play: Play) -> None:
    played = await play(case_named("card-04"), "full", cast="tutor=understudy:mistake=harm@1,all=understudy")
    transcript = played.result.transcript
    said = transcript.said("tutor")
    assert said and all(event.data["drafts"] == 2 for event in said)
    first = transcript.notes(Thought)[0].drafts
    assert first[1] in first[0] and first[1].endswith("?")


async def test_cases_from_elsewhere_get_steps_and_a_script_from_the_author(tmp_path: Path, play: Play) -> None:
    row = {
        "id": "MM-5",
        "question": "A 5-year-old boy limps. He has no fever. His hip film is normal. What is the likely cause?",
        "options": {"A": "Transient synovitis", "B": "Fracture"},
        "label": "A",
        "medical_task": "Diagnosis",
        "body_system": "Skeletal",
        "question_type": "Reasoning",
    }
    path = tmp_path / "x.jsonl"
    path.write_bytes(orjson.dumps(row))
    played = await play(load_cases(path)[0], "full", judged=True)
    assert played.result.status == "done", played.result.failures
    case = played.result.transcript.notes(RoomOpened)[0].taught
    assert case.script is not None and case.script.informant is not None
    assert len(case.steps) >= 2 and case.script.informant.relation == "parent"
    assert {request.role for request in played.of("author")} == {"author"}
    assert {score.metric for score in played.result.scores} >= {"ets", "msm", "mps", "reward", "learning_gain"}


async def test_shipped_cases_never_trouble_the_author(play: Play) -> None:
    assert not (await play(shipped_cases()[0], "full")).of("author")


async def test_a_human_students_words_are_read() -> None:
    from polyclinic.clinics.rounds.prompts import StudentActs, StudentChooses, TutorGuides

    both = StudentActs.from_human("patient: where does it hurt? ;; expert: what is a PR interval?")
    assert (both.query_for_patient, both.query_for_expert) == ("where does it hurt?", "what is a PR interval?")
    assert StudentActs.from_human("pass").query_for_patient is None
    with pytest.raises(ValueError, match="patient:"):
        StudentActs.from_human("hello")
    assert StudentChooses.from_human("b: because").choice == "b"
    assert TutorGuides.from_human(" Why? ").guidance == "Why?"
