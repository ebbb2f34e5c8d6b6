"""Readings that were made before, read back from stored calls: the text, the question, and what the reader found.

A stored call holds what was sent and what came back, not the typed question. So its message is taken apart, and the
result counts only if it gives the very same message when it is rendered again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from polyclinic.core.agent import read_completion
from polyclinic.core.message import Message
from polyclinic.core.model import Completion
from polyclinic.core.prompt import Prompt
from polyclinic.core.read_text import ReadsPlainly, ReadsText, plain_finding
from polyclinic.core.reading import Finding, Question, ReadingKind
from polyclinic.core.reply import Unreadable

R = TypeVar("R")
_FORM = re.compile(
    r'(?:(?P<context>.*)\n\n)??Text: "(?P<text>.*)"\n\n(?P<asked>1\. .*)\n\nAnswer with one JSON', re.DOTALL
)
_PLAIN = re.compile(r'(?:(?P<context>.*)\n\n)??Text: "(?P<text>.*)"\n\nQuestion: (?P<asked>.*)\nAnswer:', re.DOTALL)
_AROUND = ("(", ") ")
"""What stands around the context of a question that does not share it with the others."""


class PastReading(NamedTuple):
    """One question about one text, and what the reader found."""

    text: str
    question: Question
    finding: Finding


def past_readings(message: str, reply: Completion, kinds: Sequence[ReadingKind]) -> list[PastReading]:
    """The readings of one call of a reader, from the user's message and the reply. Empty if the call asked for
    something else, if no answer was read from it, or if the message was written in another way than today.
    """
    form = _FORM.match(message)
    if form is not None:
        questions = tuple(_questions(form["asked"], form["context"] or "", kinds))
        asked = ReadsText(text=form["text"], context=form["context"] or "", questions=questions)
        found = _answered(asked, message, reply)
        if found is None:
            return []
        text = form["text"]
        return [PastReading(text, one, found.finding(number, text)) for number, one in enumerate(questions, start=1)]
    plain = _PLAIN.match(message)
    question = None if plain is None else _question(plain["asked"], plain["context"] or "", kinds)
    if plain is None or question is None:
        return []
    said = _answered(ReadsPlainly(text=plain["text"], question=question), message, reply)
    return [] if said is None else [PastReading(plain["text"], question, plain_finding(said, plain["text"]))]


def _answered(prompt: Prompt[R], message: str, reply: Completion) -> R | None:
    """The reply to this prompt; None if another message was sent, or the reply was refused."""
    if _sent(prompt.render()) != message:
        return None
    try:
        return read_completion(prompt, reply)
    except Unreadable:
        return None


def _sent(messages: Iterable[Message]) -> str:
    return next(message.content for message in messages if message.role == "user")


def _questions(asked: str, shared: str, kinds: Sequence[ReadingKind]) -> Iterator[Question]:
    """The numbered questions. A question may hold line breaks, so each ends where one with the next number begins."""
    number, rest = 1, asked
    while rest:
        one, _, rest = rest.removeprefix(f"{number}. ").partition(f"\n{number + 1}. ")
        rest = f"{number + 1}. {rest}" if rest else ""
        number += 1
        question = _question(one, shared, kinds) if shared else _with_context(one, kinds)
        if question is not None:
            yield question


def _with_context(asked: str, kinds: Sequence[ReadingKind]) -> Question | None:
    """A question with its own context in brackets before it, or without any."""
    opened, closed = _AROUND
    at = asked.find(closed) if asked.startswith(opened) else -1
    while at >= 0:
        found = _question(asked[at + len(closed) :], asked[len(opened) : at], kinds)
        if found is not None:
            return found
        at = asked.find(closed, at + 1)
    return _question(asked, "", kinds)


def _question(words: str, context: str, kinds: Sequence[ReadingKind]) -> Question | None:
    """The question of the kind that is asked in exactly these words; None if there is none."""
    for kind in kinds:
        read = kind.read_back(words, context)
        given = dict(read.facts)
        if set(kind.fact_names) == set(given):
            made = kind.ask(read.compared, **given)
            if (made.words, made.context) == (words.strip(), context.strip()):
                return made.model_copy(update={"words": words, "context": context})
    return None
