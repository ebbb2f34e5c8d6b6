from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import orjson
import pytest

from polyclinic.clinics.rounds.agents import people
from polyclinic.clinics.rounds.agents.people import EXCHANGES, Patient
from polyclinic.clinics.rounds.prompts.author import MOST_STEPS, WritesStep
from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.patient import PatientAnswers
from polyclinic.clinics.rounds.prompts.reviewers import ChecksSafety
from polyclinic.clinics.rounds.rules.heard import settled_on
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, RoomOpened, Thought
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.understudies.voices import voice
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.model import Completion, Request
from polyclinic.core.part import out_of_part
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import Finding, Question
from polyclinic.core.reply import schema_of
from polyclinic.core.transcript import Noted, Reviewed, Said, Violated
from polyclinic.people.personas import personas
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Change, Play, objects


async def test_a_round_has_patient_reports_guidance_questions_and_answers_in_this_order(play: Play) -> None:
    played = await play(case_named("card-03"), "full", seed=4)
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
    assert len({request.role for request in played.of("student")}) == (1 if variant.played_by else variant.students)
    transfers = [note for note in played.result.transcript.notes(Chose) if note.when == "transfer"]
    assert len(transfers) == (variant.students if variant.transfer else 0)


async def test_every_variant_teaches_the_same_students_the_same_case(play: Play) -> None:
    rooms = [
        (await play(case_named("card-01"), name, seed=5)).result.transcript.notes(RoomOpened)[0]
        for name in ("full", "lecture", "untutored")
    ]
    assert rooms[0].students == rooms[1].students == rooms[2].students
    assert rooms[0].persona == rooms[1].persona


async def test_students_report_in_a_random_order_that_changes_between_rounds(play: Play) -> None:
    played = await play(case_named("card-01"), "students-6", seed=2)
    orders: dict[int, list[str]] = {}
    for note in played.result.transcript.notes(Analysed):
        orders.setdefault(note.round, []).append(note.student)
    assert len({tuple(order) for order in orders.values()}) > 1


def hums(request: Request, completion: Completion) -> Completion:
    """A student whose report says nothing, so that no exact rule finds a step in it."""
    return completion if request.prompt.prompt_name() != "StudentAnalyses" else replace(completion, text="Hm.")


async def test_code_stops_a_tutors_leak_even_without_reviewers(play: Play) -> None:
    cast = "tutor=understudy:mistake=leak@1+stubborn@1,all=understudy"
    played = await play(case_named("card-04"), "without-specialist", cast=cast, changes={"student": hums})
    transcript = played.result.transcript
    assert not transcript.said("tutor")
    assert {event.rule for event in transcript.of(Violated)} >= {"answer_leak"}


async def test_the_readers_findings_decide_about_a_draft_and_about_the_outcome(play: Play) -> None:
    def finds(word: str) -> Change:
        def change(request: Request, completion: Completion) -> Completion:
            assert isinstance(request.prompt, ReadsText)
            found = {
                name: word if "_words" not in name else request.prompt.text if word == "yes" else ""
                for name in orjson.loads(completion.text)
            }
            return replace(completion, text=orjson.dumps(found).decode())

        return change

    everything = await play(case_named("card-04"), "full", changes={"reader": finds("yes"), "student": hums})
    assert not everything.result.transcript.said("tutor"), "every draft is taken for a leak"
    assert everything.result.outcome == "reached", "every report is taken to show every step"
    assert len(everything.result.transcript.notes(Thought)) == 1, "nothing is left to teach after one round"
    nothing = await play(case_named("card-04"), "full", changes={"reader": finds("no"), "student": hums})
    assert len(nothing.result.transcript.said("tutor")) == VARIANTS["full"].rounds
    assert nothing.result.outcome == "not_reached"


async def test_a_refused_draft_is_corrected_and_asks_for_a_step(play: Play) -> None:
    def strict(request: Request, completion: Completion) -> Completion:
        assert isinstance(request.prompt, ChecksSafety)
        planted = any(words in request.prompt.statement for words in voice("first").tutor.harms)
        return objects(request, completion) if planted else replace(completion, text='{"reason": "", "issue": "none"}')

    cast = "tutor=understudy:mistake=harm@1,all=understudy"
    played = await play(case_named("card-04"), "full", cast=cast, changes={"supervisor": strict})
    transcript = played.result.transcript
    said = transcript.said("tutor")
    assert said and all(event.data["drafts"] == 2 for event in said)
    steps = [step.key_question for step in case_named("card-04").steps]
    for thought in transcript.notes(Thought):
        assert any(step in thought.drafts[1] for step in steps) and thought.approved


@pytest.mark.parametrize("written", ["<think_history>They start. What do you see?", "<think_history>h</think_history>"])
async def test_unclosed_thinking_is_never_said_and_the_missing_words_are_requested(written: str, play: Play) -> None:
    def open_ended(request: Request, completion: Completion) -> Completion:
        return completion if request.prompt.prompt_name() != "TutorGuides" else replace(completion, text=written)

    played = await play(case_named("card-04"), "full", changes={"tutor": open_ended}, judged=True)
    transcript = played.result.transcript
    assert played.result.status == "done"
    assert transcript.said("tutor") and not any("think" in said.text for said in transcript.said("tutor"))
    assert {event.rule for event in transcript.of(Violated)} >= {"thinking_form"}
    rewards = [score.value for score in played.result.scores if score.metric == "reward"]
    assert rewards and set(rewards) == {-15}


async def test_a_choice_in_free_words_goes_to_the_reader_and_a_letter_does_not(play: Play) -> None:
    case = case_named("card-04")
    asked: list[str] = []

    async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        asked.append(text)
        return tuple(Finding("yes" if case.answer_text in question.words else "no") for question in questions)

    assert await settled_on(reads, case, "c") == "C" and not asked
    assert await settled_on(reads, case, "the mineral, I suppose") == case.answer
    assert asked == ["the mineral, I suppose"]

    async def finds_nothing(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding("no") for _ in questions)

    assert await settled_on(finds_nothing, case, "no idea") == ""
    chooses = (await play(case, "one-student")).prompts("student")[0]
    schema = schema_of(chooses.reply_form())
    assert schema is not None and schema["properties"]["choice"]["enum"] == list(case.options)


def case_from_elsewhere(folder: Path) -> TeachingCase:
    row = {
        "id": "MM-5",
        "question": "A 5-year-old boy limps. He has no fever. His hip film is normal. What is the likely cause?",
        "options": {"A": "Transient synovitis", "B": "Fracture"},
        "label": "A",
        "medical_task": "Diagnosis",
        "body_system": "Skeletal",
        "question_type": "Reasoning",
    }
    path = folder / "x.jsonl"
    path.write_bytes(orjson.dumps(row))
    return load_cases(path)[0]


async def test_cases_of_other_collections_get_steps_and_a_script_from_the_author(tmp_path: Path, play: Play) -> None:
    played = await play(case_from_elsewhere(tmp_path), "full", judged=True)
    assert played.result.status == "done", played.result.failures
    case = played.result.transcript.notes(RoomOpened)[0].case
    assert case.script is not None and case.script.informant is not None
    assert [step.stage for step in case.steps] == ["observe", "interpret", "conclude"]
    assert case.script.informant.relation == "parent" and len(case.script.facts) == 4
    assert {request.role for request in played.of("author")} == {"author"}
    assert {score.metric for score in played.result.scores} >= {"ets", "msm", "mps", "reward", "learning_gain"}


async def test_an_author_who_does_not_finish_is_made_to_conclude_in_the_last_step(tmp_path: Path, play: Play) -> None:
    def goes_on(request: Request, completion: Completion) -> Completion:
        if not isinstance(request.prompt, WritesStep) or request.prompt.last:
            return completion
        return replace(completion, text=completion.text.replace('"conclude"', '"interpret"'))

    played = await play(case_from_elsewhere(tmp_path), "one-student", changes={"author": goes_on})
    stages = [step.stage for step in played.result.transcript.notes(RoomOpened)[0].case.steps]
    assert len(stages) == MOST_STEPS and stages.index("conclude") == MOST_STEPS - 1


async def test_shipped_cases_never_need_the_author(play: Play) -> None:
    assert not (await play(shipped_cases()[0], "full")).of("author")


async def test_the_words_of_a_human_student_go_to_the_reader() -> None:
    from polyclinic.clinics.rounds.prompts.student import StudentActs, StudentChooses
    from polyclinic.clinics.rounds.prompts.tutor import TutorGuides

    both = StudentActs.from_human("patient: where does it hurt? ;; expert: what is a PR interval?")
    assert (both.patient_question, both.expert_question) == ("where does it hurt?", "what is a PR interval?")
    assert StudentActs.from_human("pass").patient_question == ""
    with pytest.raises(ValueError, match="patient:"):
        StudentActs.from_human("hello")
    assert StudentChooses.from_human("b: because").choice == "b"
    assert TutorGuides.from_human(" Why? ") == "Why?"


async def test_the_patient_gets_all_earlier_questions_and_its_own_answers_in_order(
    play: Play,
) -> None:
    """Small models do not answer consistently when they cannot see the earlier questions."""

    def at_length(request: Request, completion: Completion) -> Completion:
        return replace(completion, text=f"{completion.text} My chest feels tight when I climb the stairs at home." * 8)

    played = await play(case_named("card-05"), "students-8", seed=1, changes={"patient": at_length})
    said = [line.text for line in played.result.transcript.said("patient")]
    answered = [request for request in played.of("patient") if isinstance(request.prompt, PatientAnswers)]
    asked = [list(request.prompt.questions) for request in answered if isinstance(request.prompt, PatientAnswers)]
    assert len(answered) >= 2 and max(map(len, said)) > 600
    for number, request in enumerate(answered, start=1):
        history = request.messages[1:-1]
        assert [message.role for message in history] == ["user", "assistant"] * number
        assert [message.content for message in history[1::2]] == said[:number]
        assert [message.content.splitlines() for message in history[2::2]] == asked[: number - 1]


async def test_a_long_session_drops_the_oldest_questions_and_answers_of_the_patient_together(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert VARIANTS["full"].rounds < EXCHANGES, "a usual session is remembered whole"
    monkeypatch.setattr(people, "EXCHANGES", 2)
    played = await play(case_named("card-05"), "students-8", seed=1)
    said = [line.text for line in played.result.transcript.said("patient")]
    last = played.of("patient")[-1].messages[1:-1]
    assert len(said) > 3
    assert [message.role for message in last] == ["user", "assistant"] * 2
    assert [message.content for message in last[1::2]] == said[-3:-1]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("I think I need surgical exploration at once.", "knows what is hidden"),
        ("My temperature is 39.1 and my pressure 92 over 50.", "knows what is hidden"),
        ("It hurts so much that I cannot bear the sheet.", ""),
    ],
)
def test_a_patient_who_names_the_answer_or_a_value_is_asked_again(line: str, kind: str) -> None:
    case = case_named("infe-03")
    part = Patient(Mock(), case, personas()[0], Cue(case=case.id))._part("How do you feel?")
    found = out_of_part(line, part)
    assert (found.kind if found else "") == kind
