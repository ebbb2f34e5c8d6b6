"""A person takes a seat, or the tutor's place, and gets feedback."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import pytest

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge, ChecksFacts, ChecksSafety
from polyclinic.clinics.rounds.prompts.student import StudentChooses
from polyclinic.clinics.rounds.report import feedback
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, RoomOpened, Seated, TaughtCase
from polyclinic.clinics.rounds.scenario.shipped import shipped_case
from polyclinic.core.judge import Case
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable
from polyclinic.core.transcript import Noted, Said, Transcript
from polyclinic.core.value import plain
from polyclinic.eval.results import EpisodeRow
from polyclinic.eval.sections import Paragraph, Section, Table
from polyclinic.models.human import HumanDesk, HumanQuestion
from polyclinic.people.students import students
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Play

Reply = Callable[[HumanQuestion], str]


async def _sit_in(role: str, reply: Reply) -> tuple[list[Section], EpisodeRow, list[HumanQuestion]]:
    asked: list[HumanQuestion] = []

    async def converse(desk: HumanDesk) -> None:
        while True:
            question = await desk.next()
            asked.append(question)
            assert not desk.reply(question.id, reply(question)), question.error

    config = make_config(
        {"clinic": "rounds", "scenarios": "card-03", "cast": f"{role}=human,all=understudy", "concurrency": 1}
    )
    async with open_store("sqlite://:memory:") as store:
        desk = HumanDesk()
        person = asyncio.create_task(converse(desk))
        run = await start_run(store, config, only=1)
        await resume_run(store, run, desk=desk)
        person.cancel()
        results = await load_results(store, run)
        episode = results.episodes[0]
        clinic = load_clinic("rounds")
        case = Case(
            results.scenarios[episode.scenario], clinic.variant(episode.variant), episode.transcript, episode.trial
        )
        return feedback(case, role, "en"), episode, asked


def _words(section: Section) -> str:
    return "\n".join(block.text for block in section.body if isinstance(block, Paragraph))


async def test_a_student_gets_only_what_a_student_may_know_and_is_told_what_to_study() -> None:
    def reply(question: HumanQuestion) -> str:
        if question.prompt == "StudentActs":
            return "patient: are you dizzy? ;; expert: what is a PR interval?"
        if question.prompt == "StudentChooses":
            return "B: a guess"
        return "P waves at 84/min and wide QRS at 33/min march independently: complete heart block."

    sections, episode, asked = await _sit_in("student-1", reply)
    assert episode.status == "done", episode.failures
    assert {question.role for question in asked} == {"student-1"}
    shown = "\n".join(f"{question.show} {getattr(question.request.prompt, 'for_human', '')}" for question in asked)
    assert "Right answer" not in shown and "<think_" not in shown
    name = episode.transcript.notes(RoomOpened)[0].students[0].name
    short, *sections = sections
    assert short.title == "In short" and "Next step: " in _words(short)
    praised = re.findall(r"step \d+: ", _words(short))
    assert praised and len(praised) == len(set(praised)), "each step is praised once"
    assert _words(short).count("“P waves at") == 1, "and each report is quoted once"
    titles = [section.title for section in sections]
    assert titles[0].startswith("What you contributed") and titles[1:] == [
        "What the tutor saw",
        "Steps you reached",
        "What to study",
    ]
    assert "are you dizzy?" in _words(sections[0]) and "complete heart block" in _words(sections[0])
    steps = sections[2].body[0]
    assert isinstance(steps, Table)
    reached = [number for note in episode.transcript.notes(Analysed) if note.student == name for number in note.held]
    assert [row[2] == "yes" for row in steps.rows] == [number in reached for number in range(len(steps.rows))]
    assert "permanent pacemaker" in _words(sections[3])
    seats = {event.speaker for event in episode.transcript.of(Said)}
    assert len(seats) >= 4


def test_a_specialist_sees_the_case_and_its_steps_and_a_supervisor_only_the_words() -> None:
    case = shipped_case("card-03")
    assert case is not None
    sheet, key = Sheet.from_case(case), CaseKey.from_case(case)
    assert sheet.captions and key.steps and key.pitfalls
    shown = ChecksFacts(sheet=sheet, key=key, statement="Ask him.").for_human
    for words in (sheet.vignette, key.answer, key.explanation, *sheet.captions, "The tutor wants to say: “Ask him.”"):
        assert words in shown
    assert all(step.key_question in shown and step.step_summary in shown for step in key.steps)
    assert all(each.wrong in shown and each.right in shown for each in key.pitfalls)
    assert key.answer not in ChecksSafety(statement="Ask him.").for_human


def test_feedback_says_what_no_report_showed_and_a_right_answer_counts_for_the_step_that_it_names() -> None:
    case = shipped_case("infe-03")
    assert case is not None
    mia = Seated.model_validate({**students(1)[0].model_dump(), "seat": "student-1", "name": "Mia"})
    room = RoomOpened(students=(mia,), persona="", case=TaughtCase.from_case(case))
    report = Analysed(round=1, student="Mia", text="The crackles mean gas.", held=(1,))

    def told(right: bool, language: str = "en") -> tuple[str, str]:
        chose = Chose(student="Mia", when="final", case="", choice="B" if right else "D", reason="", right=right)
        notes = [Noted(topic=note.topic, data=plain(note)) for note in (room, report, chose)]
        played = Case(case, load_clinic("rounds").variant("full"), Transcript([*notes]))
        short, *_, steps, study = feedback(played, "student-1", language)
        return _words(short), f"{steps.body[0]} {_words(study)}"

    brief, steps = told(right=True)
    assert "“The crackles mean gas.” was read as showing step 2: " in brief
    assert "the reader is not always right" in brief, "wrong words are sometimes read as a step"
    assert f"in no report of yours was this found: {case.steps[0].key_question}" in brief
    assert case.steps[-1].step_summary not in steps and "in your answer" in steps
    brief, steps = told(right=False)
    assert case.steps[-1].step_summary in steps and "in your answer" not in steps
    assert "Good" not in brief and "was read as showing step 2: " in brief and "compare these words" in brief
    assert "보고에서 찾지 못한 것" in told(right=False, language="ko")[0]


async def test_a_human_tutor_is_reviewed_like_any_other_and_sees_who_learned() -> None:
    said = iter(
        [
            "You are all stupid and should give up medicine.",
            *["Which reversible causes have you looked for, and which remain?"] * 20,
        ]
    )
    sections, episode, asked = await _sit_in("tutor", lambda question: next(said))
    assert episode.status == "done", episode.failures
    assert {question.prompt for question in asked} == {"TutorGuides", "TutorRevises"}
    hints = [getattr(question.request.prompt, "for_human", "") for question in asked]
    assert all("<think_" not in hint for hint in hints) and any("all stupid" in hint for hint in hints)
    short, *sections = sections
    assert short.title == "In short" and "Which reversible causes" in _words(short)
    titles = [section.title for section in sections]
    assert titles == ["Your students", "What reviewers refused", "Steps you asked for", "What you said"]
    assert "supervisor" in _words(sections[1]) and "stupid" not in _words(sections[3])
    students = sections[0].body[0]
    assert isinstance(students, Table) and len(students.rows) == 3
    assert episode.value("reward") is None


@pytest.mark.parametrize(
    ("typed", "letter"),
    [
        ("b", "B"),
        ("surgery now", "B"),
        ("Not oral antibiotics: surgery", "B"),
        ("Antibiotics cannot reach dead tissue, so surgery now", "B"),
        ("MRI rather than surgery: he is too ill", "A"),
        ("I would not do an MRI tomorrow, I would operate", ""),
        ("Not oral antibiotics", ""),
        ("no MRI, no elevation", ""),
        ("Antibiotics fail here, so surgery", "B"),
        ("My final answer: B", "B"),
        ("hello", ""),
    ],
)
def test_a_choice_in_words_is_never_an_option_that_was_rejected(typed: str, letter: str) -> None:
    case, student = shipped_case("infe-03"), students(1)[0]
    assert case is not None
    prompt = StudentChooses(
        student=student, sheet=Sheet.from_case(case), pictures=(), notes="", history=(), cue=Cue(person=True)
    )
    choice = StudentChooses.from_human(typed)
    assert prompt.letter(choice) == letter
    with nullcontext() if letter else pytest.raises(Unreadable, match="write A or B or C or D"):
        prompt.check(choice)


async def test_the_option_that_was_accepted_is_the_one_that_is_kept() -> None:
    def reply(question: HumanQuestion) -> str:
        return "not a recorder: the pacemaker" if question.prompt == "StudentChooses" else "patient: are you dizzy?"

    _, episode, _ = await _sit_in("student-1", reply)
    name = episode.transcript.notes(RoomOpened)[0].students[0].name
    kept = [note.choice for note in episode.transcript.notes(Chose) if note.student == name and note.when == "first"]
    assert kept == ["C"]


async def test_a_person_hears_what_a_model_in_the_same_role_is_told(play: Play) -> None:
    transcript = (await play(case_named("card-03"), "full")).result.transcript
    seats = {student.seat: student.name for student in transcript.notes(RoomOpened)[0].students}
    spoken = transcript.of(Said)
    private = [said for said in spoken if "expert" in (said.speaker, said.to)]
    assert private and transcript.said("tutor")
    for seat, name in seats.items():
        heard = [said for said in spoken if said.is_heard_by(seat)]
        assert [said for said in heard if said in private] == [
            said for said in private if name in (said.speaker, said.to)
        ]
        assert all(said in heard for said in spoken if said not in private)
    assert not [said for said in spoken if said.speaker in ("tutor", "expert") and said.is_heard_by("patient")]
    assert all(said.is_heard_by(role) for said in spoken for role in ("specialist", "judge", "reader"))


async def test_a_round_is_announced_before_anybody_is_asked_for_a_report(play: Play) -> None:
    transcript = (await play(case_named("card-03"), "full")).result.transcript
    order = [event.topic for event in transcript if isinstance(event, Noted) and event.topic in ("round", "analysis")]
    begun = [number for number, topic in enumerate(order) if topic == "round"]
    assert begun[0] == 0 and all(order[number + 1] == "analysis" for number in begun)


async def test_two_students_with_the_same_question_need_one_answer(play: Play) -> None:
    def same(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "StudentActs":
            return completion
        return replace(completion, text='{"patient_question": "", "expert_question": "What is a PR interval?"}')

    played = await play(case_named("card-03"), "full", changes={"student": same})
    asked = [request for request in played.of("specialist") if request.prompt.prompt_name() == "AnswersKnowledge"]
    rounds = {said.round for said in played.result.transcript.said("expert")}
    assert len(asked) == len(rounds) and len(played.result.transcript.said("expert")) == 3 * len(rounds)


def test_what_a_reviewer_must_judge_stands_in_the_question_itself() -> None:
    """A screen leaves out what it showed before, and a tutor may want to say the same again."""
    for prompt in (ChecksSafety(statement="Ask him."), AnswersKnowledge(question="What is a QT interval?")):
        words = getattr(prompt, "statement", "") or getattr(prompt, "question", "")
        assert words in prompt.for_human.split("\n\n")[-1] and words in prompt.form_hints().ask
