"""No prompt contains what its role must not see: random casts, with marks planted in everything that is secret."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.state import PEERS_HEARD
from polyclinic.clinics.rounds.understudies.textbook import look_up
from polyclinic.core.model import Completion, Request
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Said
from tests.clinics.rounds.conftest import Play, objects

STEP, KEY, SHEET, SCRIPT, THOUGHT = "zqstepz", "zqkeyz", "zqsheetz", "zqscriptz", "zqthoughtz"
VARIANTS = (
    "full",
    "one-student",
    "without-patient",
    "without-specialist",
    "without-supervisor",
    "without-thinking",
    "students-6",
    "untutored-transfer",
)


def marked(case: TeachingCase) -> TeachingCase:
    """The case with a mark in every part that somebody must not see."""
    assert case.script is not None
    steps = tuple(step.model_copy(update={"step_summary": f"{step.step_summary} {STEP}"}) for step in case.steps)
    pitfalls = tuple(pitfall.model_copy(update={"right": f"{pitfall.right} {KEY}"}) for pitfall in case.pitfalls)
    script = case.script.model_copy(update={"story": f"{case.script.story} {SCRIPT}"})
    return case.model_copy(
        update={
            "vignette": f"{case.vignette} {SHEET}.",
            "explanation": f"{case.explanation} {KEY}",
            "steps": steps,
            "pitfalls": pitfalls,
            "script": script,
        }
    )


def marks_reports() -> Callable[[Request, Completion], Completion]:
    """A student whose reports are marked with seat and round."""
    written: Counter[str] = Counter()

    def change(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "StudentAnalyses":
            return completion
        written[request.role] += 1
        mark = f"zqby{request.role.partition('-')[2]}at{written[request.role]}z"
        return replace(completion, text=f"{mark} {completion.text}")

    return change


def _think(request: Request, completion: Completion) -> Completion:
    if request.prompt.prompt_name() != "TutorGuides":
        return completion
    return replace(completion, text=completion.text.replace("</think_group>", f" {THOUGHT}</think_group>"))


def _words(request: Request) -> str:
    return "\n".join(message.content for message in request.messages)


MAY_SEE = {
    "student": {SHEET},
    "patient": {SCRIPT},
    "tutor": {SHEET, STEP, KEY},
    "specialist": {SHEET, STEP, KEY},
    "supervisor": set(),
    "expert": set(),
}


@pytest.mark.parametrize("number", range(16))
async def test_no_prompt_contains_what_its_role_must_not_see(number: int, play: Play) -> None:
    chance = stream("barriers", number)
    case = marked(chance.choice(shipped_cases()))
    mistakes = chance.choice(("", ":mistake=false_fact@0.5", ":mistake=harm@0.5", ":mistake=leak@0.5"))
    played = await play(
        case,
        VARIANTS[number % len(VARIANTS)],
        cast=f"tutor=understudy{mistakes},all=understudy",
        seed=number,
        changes={"student": marks_reports(), "tutor": _think},
    )
    assert played.result.status == "done", played.result.failures
    if played.of("tutor"):
        assert all(STEP in _words(request) and KEY in _words(request) for request in played.of("tutor")), (
            "the marks are in place"
        )
    students = zip(played.of("student"), played.prompts("student"), strict=True)
    assert all(SHEET in _words(request) for request, prompt in students if prompt.cue.case == case.id)
    for request in played.requests:
        prompt, role = request.prompt.prompt_name(), request.role.partition("-")[0]
        if role == "reader":
            continue
        may = MAY_SEE["expert" if prompt == "AnswersKnowledge" else role]
        text = _words(request)
        seen = {mark for mark in (STEP, KEY, SHEET, SCRIPT, THOUGHT) if mark in text}
        spoken_by_patient = {SCRIPT} if role in ("student", "tutor") else set()
        assert seen <= may | spoken_by_patient, (prompt, role)
        if role in ("student", "patient", "supervisor") or prompt == "AnswersKnowledge":
            assert "Right answer" not in text, prompt
        if role == "patient":
            assert case.question not in text and not any(words in text for words in case.options.values())


@pytest.mark.parametrize("number", range(6))
async def test_other_students_reports_are_never_seen_before_the_guidance_is_out(number: int, play: Play) -> None:
    case = stream("reports", number).choice(shipped_cases())
    played = await play(case, f"students-{2 + number}", seed=number, changes={"student": marks_reports()})
    rounds: Counter[str] = Counter()
    heard = 0
    for request in played.of("student"):
        seat, prompt = request.role.partition("-")[2], request.prompt.prompt_name()
        if prompt == "StudentChooses":
            continue
        rounds[seat] += prompt == "StudentAnalyses"
        others = [int(at) for by, at in re.findall(r"zqby(\d+)at(\d+)z", _words(request)) if by != seat]
        heard += len(others)
        limit = rounds[seat] - 1 if prompt == "StudentAnalyses" else rounds[seat]
        assert all(at <= limit for at in others), "a report was shown before the guidance of its round was out"
        assert all(others.count(at) <= PEERS_HEARD for at in others)
    assert heard, "reports that the tutor took up are shared afterwards"


async def test_reports_of_a_round_without_approved_guidance_are_shown_only_to_the_tutor(play: Play) -> None:
    changes = {"student": marks_reports(), "supervisor": objects}
    played = await play(shipped_cases()[0], "full", changes=changes)
    assert not [event for event in played.result.transcript.of(Said) if event.speaker == "tutor"]
    for request in played.of("student"):
        seat = request.role.partition("-")[2]
        assert not [by for by, _ in re.findall(r"zqby(\d+)at(\d+)z", _words(request)) if by != seat]


def test_the_textbook_of_offline_players_holds_medicine_and_no_patients_memories() -> None:
    """A language model in place of offline players also knows medicine, but not what the patient remembers."""
    for case in shipped_cases():
        found = look_up(case.id)
        assert found is not None and found.steps == case.steps and found.script is None
