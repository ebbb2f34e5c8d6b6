"""A language model thinks in a separate call and in small parts, unless trained to think and speak in one call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.clinics.rounds.prompts.replies import thoughts_about
from polyclinic.clinics.rounds.prompts.tutor import TutorAsks, TutorThinks
from polyclinic.clinics.rounds.rules.notes import Thought
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.core.model import Completion, Request
from polyclinic.core.reply import Unreadable, read_reply, schema_of
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Play, Played


def asked_of_tutor(played: Played) -> set[str]:
    return {prompt.prompt_name() for prompt in played.prompts("tutor")} - {"TutorRevises"}


async def test_a_language_model_thinks_in_a_form_and_then_speaks_with_its_thinking_shown(play: Play) -> None:
    played = await play(case_named("card-04"), "full", taken_for={"tutor": ("llm", False)})
    assert asked_of_tutor(played) == {"TutorThinks", "TutorAsks"}
    first = next(prompt for prompt in played.prompts("tutor") if isinstance(prompt, TutorAsks))
    assert first.thoughts and first.thoughts[0] in first.render()[-1].content
    thoughts = played.result.transcript.notes(Thought)
    names = [analysis.student for analysis in first.analyses]
    for thought in thoughts:
        assert read_thinking(thought.monologue, names, bool(case_named("card-04").images)).well_formed


async def test_a_model_trained_on_the_dataset_is_asked_in_the_format_of_the_dataset(play: Play) -> None:
    played = await play(case_named("card-04"), "full", taken_for={"tutor": ("llm", True)})
    assert asked_of_tutor(played) == {"TutorGuides"}


async def test_unreadable_thinking_is_dropped_and_the_words_are_kept(play: Play) -> None:
    def rambles(request: Request, completion: Completion) -> Completion:
        wanted = request.prompt.prompt_name() in ("TutorThinks", "AsksField")
        return replace(completion, text="**Think History:** they", finish="length") if wanted else completion

    played = await play(case_named("card-04"), "full", changes={"tutor": rambles}, taken_for={"tutor": ("llm", False)})
    assert played.result.status == "done" and played.result.transcript.said("tutor")
    assert {failure.where for failure in played.result.failures if not failure.fatal} == {"thinking"}


def test_no_part_of_the_thinking_can_be_left_out_and_every_part_is_short() -> None:
    form = thoughts_about(("Kim", "Lee"), True)
    schema = schema_of(form)
    assert schema is not None
    assert schema["required"] == ["history", "question", "student_1", "student_2", "group", "image"]
    assert {field["maxLength"] for field in schema["properties"].values()} == {120}
    with pytest.raises(Unreadable):
        read_reply('{"history": "h", "question": "q", "student_1": "s", "group": "g", "image": "i"}', form)
    assert "image" not in thoughts_about(("Kim",), False).model_fields


async def test_the_length_of_the_thinking_grows_with_the_group(play: Play) -> None:
    small = (await play(case_named("card-04"), "one-student", taken_for={"tutor": ("llm", False)})).prompts("tutor")
    large = (await play(case_named("card-04"), "students-6", taken_for={"tutor": ("llm", False)})).prompts("tutor")
    lengths = [next(p for p in prompts if isinstance(p, TutorThinks)).most_words() for prompts in (small, large)]
    assert lengths[1] == lengths[0] + 5 * 12
