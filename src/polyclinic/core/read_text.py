"""The questions about a text go to a reader in one call, and come back as findings.

Each question is a required field of the reply, so none can be left out. A reader whose forms cannot be read is asked in
plain words, one question at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

import orjson
from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, TypeAdapter, create_model, model_validator

from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import Finding, Question, Says, answer_of
from polyclinic.core.reply import ReplyModel, Unreadable
from polyclinic.errors import ReaderError
from polyclinic.text.quotations import stands_in

if TYPE_CHECKING:
    from polyclinic.core.agent import Agent
    from polyclinic.core.memo import Memo

MOST_QUESTIONS = 24
SURE = "sure"
_FIRST = re.compile(r"\W*(yes|no|unclear)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”]([^\"“”]{3,})[\"“”]")
_NUMBER = re.compile(r"\b\d+[.):]?\s*(?=[^\W\d]|\?)")
_MOST_QUOTED = 120
ONE = "Answer with one word: yes, no or unclear."
ALL = "Answer each question, in order, with yes, no or unclear: for example, yes no no."
"""What a person who reads is asked to type."""
_CHANCES = TypeAdapter(dict[str, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]])


class Findings(ReplyModel):
    """A reader's reply: for each question `qN` the words that show it, then the answer. Made for the number of
    questions. A trained reader may add `sure`, how likely a yes is. It is not a field, so nobody else is asked for it.
    """

    _sure: dict[str, float] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _with_sure(cls, data: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(data, dict) or SURE not in data:
            return read(data)
        found = read({name: value for name, value in data.items() if name != SURE})
        found._sure = _CHANCES.validate_python(data[SURE])
        return found

    def finding(self, number: int, text: str) -> Finding:
        """The answer to the question with this number, from 1. A yes needs words that are in the text."""
        says = cast(Says, getattr(self, f"q{number}"))
        words = str(getattr(self, f"q{number}_words"))
        stands = stands_in(words, text, cut=len(words) >= _MOST_QUOTED)
        if says == "yes" and not stands:
            return Finding("unclear")
        return Finding(says, words if stands else "", self._sure.get(f"q{number}"))


@lru_cache(maxsize=64)
def findings_type(questions: int) -> type[Findings]:
    """The type of the reply to this number of questions: each is a required field, so none can be left out."""
    fields: dict[str, Any] = {}
    for number in range(1, questions + 1):
        fields[f"q{number}_words"] = (str, Field(json_schema_extra={"maxLength": _MOST_QUOTED}))
        fields[f"q{number}"] = (Says, ...)
    return create_model(f"Findings{questions}", __base__=Findings, **fields)


class ReadsText(Prompt[Findings]):
    """One text and the questions about it."""

    template = "reads_text.md"
    words = 16
    in_words = False
    text: str
    context: str
    questions: tuple[Question, ...]

    def reply_form(self) -> type[Findings]:
        """The reply type, with as many answers as there are questions."""
        return findings_type(len(self.questions))

    def most_words(self) -> int:
        """The longest reply: a few words for each question."""
        return self.words * len(self.questions)

    @property
    def for_human(self) -> str:
        """The text and the questions for a person who reads, without any form."""
        around = f"{self.context}\n\n" if self.context else ""
        asked = "\n".join(
            f"{number}. {f'({one.context}) ' if one.context and not self.context else ''}{one.words}"
            for number, one in enumerate(self.questions, start=1)
        )
        one = len(self.questions) == 1
        return f'{around}Text: "{self.text}"\n\n{asked.removeprefix("1. ") if one else asked}\n\n{ONE if one else ALL}'

    def full_answer(self, typed: str) -> str:
        """A person's plain answers as the form. A yes of theirs rests on the whole text."""
        if typed.lstrip().startswith("{"):
            return typed
        words = [word for word in re.split(r"[\s,;]+", _NUMBER.sub(" ", typed)) if word]
        said = [says for word in words if (says := answer_of(word)) is not None]
        if len(said) != len(words) or len(said) != len(self.questions):
            raise Unreadable(ONE if len(self.questions) == 1 else ALL)
        form: dict[str, str] = {}
        for number, says in enumerate(said, start=1):
            form |= {f"q{number}_words": self.text[:_MOST_QUOTED] if says == "yes" else "", f"q{number}": says}
        return orjson.dumps(form).decode()


class ReadsPlainly(Prompt[str]):
    """One text and one question, for a reader whose forms cannot be read: it answers in plain words."""

    template = "reads_plainly.md"
    words = 40
    text: str
    question: Question

    def check(self, reply: str) -> None:
        """The first word is the answer."""
        if not _FIRST.match(reply):
            raise Unreadable("begin with one word: yes, no or unclear")


def plain_finding(said: str, text: str) -> Finding:
    """A plain answer as a finding: its first word, and the longest quotation that is in the text. A yes that quotes
    nothing rests on the whole text; a yes that quotes only other words is unclear.
    """
    first = _FIRST.match(said)
    says = cast(Says, first[1].lower()) if first else "unclear"
    quoted = _QUOTED.findall(said)
    words = max((each for each in quoted if stands_in(each, text)), key=len, default="")
    if says == "yes" and not words:
        return Finding("unclear") if quoted else Finding("yes", text)
    return Finding(says, words if says != "unclear" else "")


async def read_text(reader: Agent, memo: Memo, text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    """The findings in the order of the questions. New questions go to the reader in one call. For an empty text every
    answer is no. Only the built-in reader is asked how sure it is: from others, the number is not taken.
    """
    if not text.strip():
        return tuple(Finding("no") for _ in questions)
    new = list(dict.fromkeys(question for question in questions if memo.get(text, question) is None))
    for start in range(0, len(new), MOST_QUESTIONS):
        part = tuple(new[start : start + MOST_QUESTIONS])
        contexts = {question.context for question in part}
        shared = contexts.pop() if len(contexts) == 1 else ""
        try:
            reply = await reader.ask(ReadsText(text=text, context=shared, questions=part))
        except ReaderError:
            for question in part:
                memo.own[text, question] = await _read_plainly(reader, text, question)
        else:
            for number, question in enumerate(part, start=1):
                found = reply.finding(number, text)
                memo.own[text, question] = found if reader.is_built_in_reader else found._replace(sure=None)
    return tuple(known for question in questions if (known := memo.get(text, question)) is not None)


async def _read_plainly(reader: Agent, text: str, question: Question) -> Finding:
    """Ask one question in plain words.

    If the reader cannot answer even this, the finding is unclear, and the reader's failure is recorded.
    """
    try:
        return plain_finding(await reader.ask(ReadsPlainly(text=text, question=question)), text)
    except ReaderError as error:
        reader.survives(error, "reading")
        return Finding("unclear", unread=True)
