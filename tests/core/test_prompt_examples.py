"""Forms are asked for with a worked example in the right form, and with the reason before the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel, read_reply
from polyclinic.core.template import prompt_package, read_template, template_names
from polyclinic.eval.prompts import JudgesPair
from polyclinic.runner.registry import clinic_modules, load_clinic

PEOPLE_ONLY = {"DeskWaits"}
"""Prompts that no model is given."""
OWN_FIELDS = {"HearsTraits", "TutorThinks"}
"""Forms whose fields follow from the prompt's own data: the template names each of them. A worked example of the
tutor's thinking was copied by a small model in 61 of 107 replies (benchmarks/results/real-model.md)."""
NO_REASON = {"HearsTraits", "KeeperRemembers"}
"""Forms that decide without words of their own before it: a sheet of nine degrees, and what a note is about."""
_FIELD = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


def forms() -> list[type[Prompt[Any]]]:
    prompts: list[type[Prompt[Any]]] = [
        JudgesPair,
        *(prompt for name in clinic_modules() for prompt in load_clinic(name).prompts),
    ]
    return [each for each in prompts if each.reply_type() is not str and each.__name__ not in PEOPLE_ONLY]


def files(prompt: type[Prompt[Any]]) -> list[str]:
    """The template, in each language that it is written in."""
    known = template_names(prompt_package(prompt.__module__))
    return [name for name in known if name in {prompt.template.replace("{lang}", lang) for lang in ("en", "ko")}]


def examples(prompt: type[Prompt[Any]], file: str) -> Iterator[str]:
    """The objects in a template's own words; what a field would fill in is a word."""
    text = _FIELD.sub("x", read_template(prompt.__module__, file))
    decoder = json.JSONDecoder()
    for start in re.finditer(r'\{"', text):
        try:
            _, end = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError:
            continue
        if text[end : end + 1] not in (",", "]"):  # no part of another object
            yield text[start.start() : end]


@pytest.mark.parametrize("prompt", [each for each in forms() if each.__name__ not in OWN_FIELDS])
def test_a_form_has_a_worked_example_that_reads_as_the_form(prompt: type[Prompt[Any]]) -> None:
    form: type[ReplyModel] = prompt.reply_type()
    assert files(prompt)
    for file in files(prompt):
        shown = [text for text in examples(prompt, file) if set(json.loads(text)) == set(form.model_fields)]
        assert shown, f"{file} shows no whole {form.__name__}"
        for text in shown:
            assert list(json.loads(text)) == list(form.model_fields), f"{file}: in another order"
            read_reply(text, form)


@pytest.mark.parametrize("prompt", [each for each in forms() if each.__name__ not in NO_REASON])
def test_words_come_before_the_verdict(prompt: type[Prompt[Any]]) -> None:
    properties = prompt.reply_type().model_json_schema()["properties"]
    for about in properties.values():
        if about.get("type") in ("string", "array") and "enum" not in about:
            return
        assert about.get("type") != "boolean" and "enum" not in about, f"{prompt.__name__} decides before any words"
