from __future__ import annotations

from typing import Any

import pytest

from polyclinic.core.message import Message
from polyclinic.core.model import Completion
from polyclinic.core.past_readings import past_readings
from polyclinic.core.prompt import Prompt
from polyclinic.core.read_text import ReadsPlainly, ReadsText
from polyclinic.core.reading import Question, ReadingKind

REFUSAL = ReadingKind("x-refusal", who=(), context="The doctor asked: {asked}", question="Is it a refusal?")
TOLD = ReadingKind("x-told", who=(), context="Fact in the record: {fact}", question="Is it told?")
BARE = ReadingKind("x-bare", who=(), question="Is '{thing}' meant?")
KINDS = (REFUSAL, TOLD, BARE)
NASTY = 'He said:\n\n1. "No."\n2. (never)\n\nAnswer with one JSON. Text: "x"\n\nQuestion: y\nAnswer:'


def sent(prompt: Prompt[Any]) -> str:
    messages: list[Message] = prompt.render()
    return next(message.content for message in messages if message.role == "user")


def asked(text: str, *questions: Question, context: str = "") -> str:
    return sent(ReadsText(text=text, context=context, questions=questions))


@pytest.mark.parametrize("text", ["I never smoked.", 'She said "no", I think.', NASTY, "a\n\nb", "1. yes\n2. no"])
def test_questions_of_several_kinds_are_read_back_with_what_was_found(text: str) -> None:
    questions = (
        REFUSAL.ask(asked="Do you smoke? (yes) or no"),
        TOLD.ask(fact="Smoked) once\n2. twice"),
        BARE.ask(thing="a"),
    )
    words = text.split()[0]
    form = f'{{"q1_words": "", "q1": "no", "q2_words": "{words}", "q2": "yes", "q3_words": "", "q3": "unclear"}}'
    found = past_readings(asked(text, *questions), Completion(text=form.replace("\n", " ")), KINDS)
    assert [(one.text, one.question, one.finding.says) for one in found] in (
        [(text, question, says) for question, says in zip(questions, ("no", "yes", "unclear"), strict=True)],
        [],  # rather nothing than something wrong: this text looks like the questions themselves
    )
    assert found or text == NASTY


def test_a_shared_context_is_read_back() -> None:
    one, other = TOLD.ask(fact="My father smoked."), REFUSAL.ask(asked="Do you smoke?")
    message = asked("He did.", one, context=one.context)
    (found,) = past_readings(message, Completion(text='{"q1_words": "He did", "q1": "yes"}'), KINDS)
    assert found.question == one and found.finding.yes
    plain = sent(ReadsPlainly(text="He did.", question=other))
    (found,) = past_readings(plain, Completion(text='No. "He did."'), KINDS)
    assert found.question == other and found.finding.says == "no"


def test_what_was_not_read_or_was_asked_otherwise_gives_nothing() -> None:
    question = BARE.ask(thing="a")
    message = asked("He did.", question)
    assert past_readings(message, Completion(text="I cannot say"), KINDS) == []
    assert past_readings(message, Completion(text='{"q1_words": "", "q1": "no"}'), (TOLD,)) == []
    assert past_readings(message.replace("Answer with", "Reply with"), Completion(text="{}"), KINDS) == []
    assert past_readings("Good morning", Completion(text="yes"), KINDS) == []


def test_a_yes_counts_only_with_words_of_the_text() -> None:
    message = asked("He did.", BARE.ask(thing="a"))
    (found,) = past_readings(message, Completion(text='{"q1_words": "never", "q1": "yes"}'), KINDS)
    assert found.finding.says == "unclear"
