"""A prompt for a form shows a worked example in the right format and asks for the reason before the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from polyclinic.clinics.duty.evolve.reflect import scales
from polyclinic.clinics.duty.prompts.reflection import HearsTraits
from polyclinic.clinics.rounds.prompts.author import WritesMemories
from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.tutor import TutorThinks
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.state import Analysis
from polyclinic.core.loose_form import flat_fields
from polyclinic.core.prompt import Prompt
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import Question
from polyclinic.core.reply import ReplyModel, read_reply
from polyclinic.core.template import prompt_package, read_template, template_names
from polyclinic.eval.criteria import Criterion, Flag
from polyclinic.eval.prompts import PROMPTS as JUDGING
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.runner.audition.picture import SeesPicture
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.text.phrases import contains_phrase

PEOPLE_ONLY = {"DeskWaits"}
"""Prompts that no model gets."""
_FIELD = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
_GARDEN = Criterion(id="care", question="Was the path kept to?", low=1, high=5, anchors={"1..5": "more or less"})
_CASE = shipped_cases()[0]


def made_for_its_data(name: str) -> Prompt[Any]:
    """A prompt whose form gets its fields from the prompt's own data.

    Two prompts ask a varying number of different questions; their worked examples use other questions.
    """
    turn: dict[str, Any] = {"sheet": Sheet.from_case(_CASE), "pictures": ()}
    made: dict[str, Callable[[], Prompt[Any]]] = {
        "HearsTraits": lambda: HearsTraits(role="nurse", scales=scales("nurse"), messages=("Well.",)),
        "TutorThinks": lambda: TutorThinks(
            **turn,
            key=CaseKey.from_case(_CASE),
            history=(),
            last=False,
            analyses=tuple(Analysis(student=who, profile="p", text="t") for who in ("Kim", "Lee", "Park", "Choi")),
        ),
        "WritesMemories": lambda: WritesMemories(sheet=turn["sheet"], speaker="", story="It hurts."),
        "JudgesRubric": lambda: JudgesRubric(
            rubric="garden",
            title="A walk",
            instructions="",
            criteria=(_GARDEN,),
            flags=(Flag(id="damage", question="Was anything broken?"),),
            view="A walk.",
        ),
        "ReadsText": lambda: ReadsText(text="t", context="", questions=(Question(kind="k", words="w"),) * 2),
    }
    return made[name]()


NAMES_ONLY = ("TutorThinks",)
"""A 1.5B model copied words of every worked example (61 of 107 replies, then 39 of 97 with another example).

So this form only names its parts, each with what to write there.
"""


def test_the_form_without_an_example_names_all_its_parts() -> None:
    for name in NAMES_ONLY:
        prompt = made_for_its_data(name)
        text = "\n".join(message.content for message in prompt.render())
        assert all(f'- "{part}": ' in text for part in prompt.reply_form().model_fields)


def forms() -> list[type[Prompt[Any]]]:
    """Every prompt of the package whose reply is a form."""
    prompts: list[type[Prompt[Any]]] = [
        *(SeesPicture, ReadsText, *JUDGING),
        *(prompt for name in clinic_modules() for prompt in load_clinic(name).prompts),
    ]
    return [each for each in prompts if each.reply_type() is not str and each.__name__ not in PEOPLE_ONLY]


def form_of(prompt: type[Prompt[Any]]) -> type[ReplyModel]:
    """The reply form, also where it is built from the prompt's data."""
    form: type[ReplyModel] = prompt.reply_type()
    return form if form.model_fields else made_for_its_data(prompt.__name__).reply_form()


def wordings(prompt: type[Prompt[Any]]) -> dict[str, str]:
    """The text of the template in each of its languages; each field is replaced by a word."""
    if not prompt.reply_type().model_fields:
        messages = made_for_its_data(prompt.__name__).render()
        return {prompt.template: "\n".join(message.content for message in messages)}
    known = template_names(prompt_package(prompt.__module__))
    names = [name for name in known if name in {prompt.template.replace("{lang}", lang) for lang in ("en", "ko")}]
    return {name: _FIELD.sub("x", read_template(prompt.__module__, name)) for name in names}


def examples(text: str) -> Iterator[str]:
    """The JSON objects that a template's own text contains."""
    decoder = json.JSONDecoder()
    for start in re.finditer(r'\{"', text):
        try:
            _, end = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError:
            continue
        if text[end : end + 1] not in (",", "]"):  # not part of another object
            yield text[start.start() : end]


@pytest.mark.parametrize("prompt", [prompt for prompt in forms() if prompt.__name__ not in NAMES_ONLY])
def test_a_form_has_a_worked_example_that_can_be_read_as_that_form(prompt: type[Prompt[Any]]) -> None:
    form, written = form_of(prompt), wordings(prompt)
    assert len(written) == (2 if "{lang}" in prompt.template else 1)
    for file, text in written.items():
        shown = [found for found in examples(text) if set(json.loads(found)) == set(form.model_fields)]
        assert shown, f"{file} shows no whole {form.__name__}"
        for found in shown:
            assert list(json.loads(found)) == list(form.model_fields), f"{file}: in another order"
            read_reply(found, form)


@pytest.mark.parametrize("prompt", forms())
def test_a_form_is_flat(prompt: type[Prompt[Any]]) -> None:
    """The fallback that asks for one field at a time needs this."""
    assert flat_fields(form_of(prompt))


@pytest.mark.parametrize("prompt", forms())
def test_the_reason_comes_before_the_verdict(prompt: type[Prompt[Any]]) -> None:
    """The reason comes before the first verdict; in a form with many verdicts, right before each of them."""
    form = form_of(prompt)
    sheet = not prompt.reply_type().model_fields
    words = False
    for name, about in form.model_json_schema()["properties"].items():
        if about.get("type") == "boolean" or "enum" in about or "const" in about:
            assert words, f"{prompt.__name__} decides on {name} before any words"
            words = not sheet
        else:
            words = words or about.get("type") in ("string", "array")


@pytest.mark.parametrize("prompt", load_clinic("rounds").prompts)
def test_no_worked_example_of_the_rounds_holds_the_answer_of_a_shipped_case(prompt: type[Prompt[Any]]) -> None:
    shown = read_template(prompt.__module__, prompt.template).casefold()
    assert not [case.id for case in shipped_cases() if contains_phrase(shown, case.answer_text.casefold())]
