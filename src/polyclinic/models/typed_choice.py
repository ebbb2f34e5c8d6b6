"""A person's choice among those offered: which one they mean, and why another is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel, ValidationError

from polyclinic.core.model import Request
from polyclinic.core.plain_faults import plain_fault
from polyclinic.core.reply import Unreadable
from polyclinic.text.normal import letters
from polyclinic.text.worded import Worded


def first_fault(error: ValidationError, request: Request) -> str:
    """The first thing that is wrong with an answer, in plain words."""
    fault = error.errors()[0]
    name = str(fault["loc"][-1]) if fault["loc"] else ""
    hints = request.prompt.form_hints()
    told = hints.choices.get(name)
    if told and fault["type"] == "literal_error":
        return _not_offered(str(fault["input"]), told.values(), request)
    where = hints.labels.get(name) or ".".join(map(str, fault["loc"])).replace("_", " ") or "answer"
    return f"{where}: {plain_fault(fault)}"


def _not_offered(given: str, offered: Iterable[str], request: Request) -> str:
    """Why a choice is refused, in the language of the prompt."""
    if request.prompt.language == "ko":
        return f"‘{given}’은(는) 고를 수 없습니다. 고를 수 있는 것: {', '.join(offered)}"
    return Worded("'{1}' is not one of these: {2}", given, ", ".join(offered))


def closed(reply: BaseModel, request: Request) -> BaseModel:
    """The reply in the form of this question: a choice must be one of those offered, or the words that the form shows
    for it, in any spelling.
    """
    form = request.reply_type
    if not isinstance(form, type) or not issubclass(form, BaseModel):
        return reply
    values, choices = reply.model_dump(), request.prompt.form_hints().choices
    for name, field in form.model_fields.items():
        given, offered = values.get(name), get_args(field.annotation)
        if isinstance(given, str) and offered and all(isinstance(each, str) for each in offered):
            told = choices.get(name, {})
            same = [each for each in offered if letters(given) in (letters(each), letters(told.get(each, each)))]
            if not same:
                words = [told.get(each) or each.replace("_", " ") for each in offered]
                raise Unreadable(_not_offered(given, words, request))
            values[name] = same[0]
    try:
        return form.model_validate(values)
    except ValidationError as error:
        raise Unreadable(first_fault(error, request)) from None
