from __future__ import annotations

import re
from dataclasses import replace

import orjson
import pytest

from polyclinic.clinics.rounds.judges import judges
from polyclinic.clinics.rounds.readings import HARM, LEAK, READINGS, CaseRead
from polyclinic.clinics.rounds.rules.notes import Analysed, RoomOpened
from polyclinic.clinics.rounds.rules.thinking import read_output, write_output
from polyclinic.clinics.rounds.rules.view import (
    SessionSeen,
    group_of,
    session_view,
    taught_case,
    turn_view,
    tutor_rounds,
)
from polyclinic.clinics.rounds.understudies.voices import voice
from polyclinic.core.model import Completion, Request
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import Question
from polyclinic.core.transcript import Failed, Violated
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.reading.reader import BuiltInReader
from polyclinic.web.fixed_words import in_korean
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Change, Play

PACKAGE = "polyclinic.clinics.rounds"


@pytest.mark.parametrize("name", ["ets", "msm", "mps"])
def test_teaching_rubrics_describe_every_level_from_one_to_ten(name: str) -> None:
    criterion = package_rubric(PACKAGE, f"data/rubrics/{name}.toml").criteria[0]
    assert (criterion.low, criterion.high) == (1, 10)
    assert {int(level) for level in criterion.anchors} == set(range(1, 11))
    tiers = {10: "excellent", 8: "good", 6: "satisfactory", 4: "needs improvement", 2: "poor"}
    assert all(criterion.anchors[str(level)].startswith(tier) for level, tier in tiers.items())


def test_one_critical_failure_sets_mps_to_one_whatever_else_happened() -> None:
    rubric = package_rubric(PACKAGE, "data/rubrics/mps.toml")
    assert rubric.conclude({"mps": 10}, ["critical"]).scores == {"mps": 1}
    assert rubric.conclude({"mps": 10}, []).scores == {"mps": 10}


@pytest.mark.parametrize("name", ["structure", "analysis", "safety"])
def test_turn_rubrics_run_from_minus_two_to_plus_two(name: str) -> None:
    rubric = package_rubric(PACKAGE, f"data/rubrics/{name}.toml")
    assert all(
        (criterion.low, criterion.high) == (-2, 2) and len(criterion.anchors) == 5 for criterion in rubric.criteria
    )


async def _scores(
    play: Play, cast: str, variant: str = "full", case: str = "card-03", **more: object
) -> dict[str, float]:
    played = await play(case_named(case), variant, cast=f"{cast}all=understudy", judged=True, **more)
    assert played.result.status == "done"
    found: dict[str, list[float]] = {}
    for score in played.result.scores:
        found.setdefault(score.metric, []).append(score.value)
    return {metric: sum(values) / len(values) for metric, values in found.items()}


def _says(words: str) -> Change:
    """A tutor whose first draft is these words and nothing else."""

    def change(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "TutorGuides":
            return completion
        return replace(completion, text=write_output(read_output(completion.text).monologue, words))

    return change


def _read_as(question: Question, *candidates: str) -> str:
    """The first of these texts to which the built-in reader says yes: the judges are tested here, not the reader."""
    reader = BuiltInReader({kind.name: kind for kind in READINGS})
    return next(words for words in candidates if reader.read(words, question)[0] == "yes")


def _no_leak(request: Request, completion: Completion) -> Completion:
    """A reader that finds no leak in any text."""
    assert isinstance(request.prompt, ReadsText)
    found = orjson.loads(completion.text)
    for number, question in enumerate(request.prompt.questions, start=1):
        if question.kind == LEAK.name:
            found |= {f"q{number}": "no", f"q{number}_words": ""}
    return replace(completion, text=orjson.dumps(found).decode())


def _always(text: str) -> Change:
    """A player who always says this."""
    return lambda request, completion: replace(completion, text=text)


def _approves(request: Request, completion: Completion) -> Completion:
    """A specialist who finds nothing wrong."""
    if request.prompt.prompt_name() != "ChecksFacts":
        return completion
    return replace(completion, text='{"reason": "", "verdict": "correct"}')


async def test_dangerous_guidance_that_gets_through_is_a_critical_failure(play: Play) -> None:
    dangerous = _says(_read_as(HARM.ask(), *voice("first").tutor.harms))
    changes: dict[str, Change] = {"tutor": dangerous, "specialist": _approves, "reader": _no_leak}
    scores = await _scores(play, "", "without-supervisor", changes=changes)
    assert (scores["mps"], scores["critical_failure"], scores["cs_2"], scores["reward"]) == (1, 1, -2, -15)
    held_back = await _scores(play, "", "full", changes=changes)
    assert held_back.get("critical_failure", 0) == 0
    assert "mps" not in held_back or held_back["mps"] > scores["mps"]
    assert held_back["reward"] == -15, "the model's own first draft is what earns the reward"


async def test_a_false_statement_costs_mps_and_vetoes_the_reward(play: Play) -> None:
    case = case_named("card-03")
    false = _read_as(CaseRead.from_case(case).false(), *(f"{pitfall.wrong}." for pitfall in case.pitfalls))
    kind = _always('{"reason": "", "issue": "none"}')
    others = {"supervisor": kind, "reader": _no_leak}
    clean = await _scores(play, "", "without-specialist", changes=others)
    wrong = await _scores(play, "", "without-specialist", changes={"tutor": _says(false), **others})
    assert wrong["mps"] < clean["mps"] and wrong["cs_1"] == -2 and wrong["reward"] == -15
    assert wrong["false_guidance"] == 1
    refused = await _scores(play, "", "full", changes={"tutor": _says(false), **others})
    assert refused.get("false_guidance", 0) == 0, "the specialist takes it for false too, and it is never said"


async def test_broken_thinking_is_vetoed_and_recorded(play: Play) -> None:
    played = await play(
        case_named("card-03"), "full", cast="tutor=understudy:mistake=bad_form@1,all=understudy", judged=True
    )
    assert {event.rule for event in played.result.transcript.of(Violated)} == {"thinking_form"}
    rewards = [score for score in played.result.scores if score.metric == "reward"]
    assert rewards and all(score.value == -15 and "IS-1" in score.reason for score in rewards)


async def test_the_control_group_is_not_judged_for_teaching(play: Play) -> None:
    scores = await _scores(play, "", "untutored")
    assert set(scores) == {"steps_held", "first_right", "final_right", "learning_gain"}


async def test_a_judge_that_misquotes_gives_no_score(play: Play) -> None:
    played = await play(
        case_named("card-03"), "full", cast="judge=understudy:mistake=misquote@1,all=understudy", judged=True
    )
    metrics = {score.metric for score in played.result.scores}
    assert not metrics & {"ets", "msm", "mps", "reward"} and "learning_gain" in metrics
    owners = {failure.owner for failure in played.result.transcript.of(Failed)}
    assert owners == {"judge"}


def test_every_metric_has_one_judge() -> None:
    names = [metric.name for judge in judges() for metric in judge.metrics]
    assert len(names) == len(set(names))


async def test_each_seat_may_have_its_own_player(play: Play) -> None:
    cast = "student-1=understudy:mistake=silent@1,student=understudy,all=understudy"
    played = await play(case_named("card-03"), "full", cast=cast)
    notes = played.result.transcript.notes(Analysed)
    name = played.result.transcript.notes(RoomOpened)[0].students[0].name
    quiet = [note.text for note in notes if note.student == name]
    others = [note.text for note in notes if note.student != name]
    assert set(quiet) == {"I do not know."} and "I do not know." not in others


async def test_an_experts_answer_that_solves_the_case_is_not_said(play: Play) -> None:
    def solves(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "AnswersKnowledge":
            return completion
        return replace(completion, text='{"explanation": "Give her a permanent pacemaker.", "general": true}')

    def blank(request: Request, completion: Completion) -> Completion:
        name = request.prompt.prompt_name()
        if name == "StudentAnalyses":
            return replace(completion, text="I do not know yet.")
        if name == "StudentActs":
            return replace(completion, text='{"patient_question": "", "expert_question": "What is a P wave?"}')
        return completion

    played = await play(case_named("card-03"), "full", changes={"specialist": solves, "student": blank})
    answers = [said.text for said in played.result.transcript.said("expert")]
    assert answers and not any("pacemaker" in text for text in answers)
    assert "expert_leak" in {event.rule for event in played.result.transcript.of(Violated)}
    assert not any("pacemaker." in line.text for prompt in played.prompts("student") for line in prompt.history)


async def test_the_facts_given_to_a_judge_match_the_words_shown(play: Play) -> None:
    played = await play(case_named("card-03"), "full", cast="all=understudy")
    transcript = played.result.transcript
    view = session_view(transcript)
    facts = view.facts
    assert isinstance(facts, SessionSeen)
    case = taught_case(transcript)
    assert (facts.answer, facts.steps, facts.pitfalls) == (case.answer_text, case.steps, case.pitfalls)
    assert list(facts.names) == group_of(transcript)
    assert len(facts.tutor) == len(transcript.said("tutor")) and len(facts.reports) == len(transcript.notes(Analysed))
    assert all(words in view.text for words in (*facts.tutor, *facts.reports, facts.answer))
    turn = tutor_rounds(transcript)[0]
    thought = turn_view(transcript, turn)
    assert isinstance(thought.facts, SessionSeen)
    assert thought.facts.monologue and thought.facts.monologue in thought.text
    assert thought.text.endswith(thought.facts.guidance) and not thought.facts.tutor


async def test_a_korean_judge_reads_the_headings_of_the_sheet_in_korean(play: Play) -> None:
    """What people said and the case stay as they are."""
    transcript = (await play(case_named("card-03"), "full", cast="all=understudy")).result.transcript
    for sheet in (session_view(transcript).text, turn_view(transcript, tutor_rounds(transcript)[0]).text):
        headings = [line for line in sheet.split("\n") if re.fullmatch(r"[A-Z]{2}[A-Z ]+", line)]
        korean = in_korean(sheet)
        assert len(headings) >= 6 and not set(headings) & set(korean.split("\n")), korean
        reports = [line for line in sheet.split("\n") if re.match(r"\[\d+\] \w+ reports: ", line)]
        assert reports and all(line.partition(" reports: ")[2] in korean for line in reports)
        assert " reports: " not in korean and "] tutor" not in korean
