"""A form that a model cannot fill in, asked for in plain words: one required field at a time.

The last resort after asking again. It works for every flat form of every clinic. Each field is a separate question
after the prompt's own words. A choice counts only if exactly one is named. Nothing is filled in: if a field stays
unreadable, the reply fails as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from polyclinic.core.loose_form import FormField, ValueKind, fields_said, flat_fields, value_of
from polyclinic.core.message import Message, user
from polyclinic.core.note import Note
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable

_TEXT_WORDS = 40
_SHORT_WORDS = 10


class ToldInWords(Note):
    """A reply that was put together from answers in plain words."""

    topic = "form in words"
    role: str
    prompt: str
    fields: tuple[str, ...]


class AsksField(Prompt[str]):
    """One field of a form, asked in plain words. `said` holds the fields that were answered before."""

    template: ClassVar[str] = "asks_field.md"
    words: ClassVar[int] = _TEXT_WORDS
    lang: str
    field: str
    about: str
    kind: ValueKind
    choices: tuple[str, ...]
    may_be_empty: bool
    said: tuple[tuple[str, str], ...]

    def most_words(self) -> int:
        """The longest answer: short for a choice, a number or a yes."""
        return self.words if self.kind in ("text", "texts") else _SHORT_WORDS


def fields_to_ask(prompt: Prompt[Any]) -> tuple[FormField, ...]:
    """The fields that can be asked one at a time; empty if the form is not flat or the prompt does not allow it."""
    if not prompt.in_words:
        return ()
    fields = flat_fields(prompt.reply_form()) or ()
    return tuple(field for field in fields if field.required)


def field_prompt(prompt: Prompt[Any], field: FormField, said: Sequence[tuple[str, str]]) -> AsksField:
    """The question for one field."""
    return AsksField(
        lang=prompt.language,
        field=field.name.replace("_", " "),
        about=field.about,
        kind=field.kind,
        choices=tuple(choice or '""' for choice in field.choices),
        may_be_empty=field.may_be_empty,
        said=tuple(said),
    )


def asked_after(messages: Sequence[Message], question: AsksField) -> tuple[Message, ...]:
    """The prompt's own messages, with the question added at the end of the last user message."""
    line = question.render()[-1].content
    if messages and messages[-1].role == "user":
        return (*messages[:-1], replace(messages[-1], content=f"{messages[-1].content}\n\n{line}"))
    return (*messages, user(line))


def field_value(field: FormField, text: str) -> Any:
    """A field's value from a plain answer. If the answer is a form after all, the value under the field's name."""
    body = text.strip()
    if not body:
        raise Unreadable("the reply is empty", "empty")
    if body.startswith(("{", "```")):
        said = fields_said(body, (field,))
        if field.name not in said:
            raise Unreadable(f"{field.name}: answer in plain words")
        return value_of(field, said[field.name])
    named = fields_said(body, (field,)) if "{" not in body else {}
    return value_of(field, named.get(field.name, body))
