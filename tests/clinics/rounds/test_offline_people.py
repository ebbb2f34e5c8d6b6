"""The offline people of a round: a step once shown stays made, and what they ask and answer makes sense."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge
from polyclinic.clinics.rounds.rules.notes import Analysed, Thought
from polyclinic.clinics.rounds.rules.view import turn_context, tutor_rounds
from polyclinic.clinics.rounds.understudies.specialist import SpecialistUnderstudy
from polyclinic.clinics.rounds.understudies.voices import voice
from polyclinic.core.model import Completion, Request
from polyclinic.core.understudy import Ask
from polyclinic.text.sentences import is_question
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Change, Play


def _one_step_a_round(steps: list[str]) -> Change:
    written: Counter[str] = Counter()

    def change(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "StudentAnalyses":
            return completion
        written[request.role] += 1
        return replace(completion, text=f"I think this: {steps[written[request.role] - 1]}")

    return change


async def test_who_says_a_new_step_in_each_round_has_made_them_all(play: Play) -> None:
    case = case_named("card-03")
    steps = [step.step_summary for step in case.steps]
    changes = {"student": _one_step_a_round(steps)}
    played = await play(case, "one-student", changes=changes)
    transcript = played.result.transcript
    reports = transcript.notes(Analysed)
    assert len(reports) == len(steps) and {n for note in reports for n in note.held} == set(range(len(steps)))
    assert transcript.outcome() == "reached"
    for number, thought in enumerate(transcript.notes(Thought), start=1):
        assert f"step {', '.join(str(made) for made in range(1, number + 1))}" in thought.monologue, thought.monologue
    last = turn_context(transcript, tutor_rounds(transcript)[-1])
    assert all(step in text for step in steps for text in last.said.values())


async def test_what_is_said_again_is_not_written_twice(play: Play) -> None:
    played = await play(case_named("card-03"), "full")
    for prompt in (each for each in played.prompts("tutor") if hasattr(each, "analyses")):
        for analysis in prompt.analyses:
            assert not [part for part in analysis.earlier.split(". ") if part and part in analysis.text]


def test_students_ask_whole_questions_in_both_voices() -> None:
    asked = {name: voice(name).student.history for name in ("first", "second")}
    for questions in asked.values():
        assert len(questions) >= 10
        assert all(topic in question and is_question(question) for topic, question in questions.items())
    assert not set(asked["first"].values()) & set(asked["second"].values())


async def test_a_patient_who_knows_nothing_of_it_does_not_speak_of_the_rest(play: Play) -> None:
    def about_the_moon(request: Request, completion: Completion) -> Completion:
        if request.prompt.prompt_name() != "StudentActs":
            return completion
        return replace(completion, text='{"patient_question": "Do you like opera?", "expert_question": ""}')

    def when(request: Request, completion: Completion) -> Completion:
        return replace(
            about_the_moon(request, completion),
            text=about_the_moon(request, completion).text.replace("Do you like opera?", "When did it start?"),
        )

    case = case_named("infe-03")
    for change, told in ((about_the_moon, "I really could not say."), (when, "two days ago")):
        said = (await play(case, "one-student", changes={"student": change})).result.transcript.said("patient")
        assert told in said[1].text and "About the rest" not in said[1].text


def test_the_offline_textbook_says_that_it_has_nothing_on_a_general_question() -> None:
    def explained(question: str) -> ExpertAnswer:
        prompt = AnswersKnowledge(question=question)
        return SpecialistUnderstudy().explains(Ask(prompt, Request("specialist", prompt, ()), {}))

    assert explained("What is meant by troponin?").explanation.startswith("A protein of heart muscle")
    unknown = explained("Which bacteria live on rusty nails?")
    assert unknown.general and "nothing on that" in unknown.explanation
    assert not explained("What should we do for this patient?").general and not explained("Rusty nails.").general
