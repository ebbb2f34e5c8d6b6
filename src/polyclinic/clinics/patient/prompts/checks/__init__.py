"""What the validators are asked: a sheet of small yes/no questions about one answer, or about one question."""

from __future__ import annotations

from pydantic import BaseModel, Field

from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel


class YesNo(ReplyModel):
    """One small question answered."""

    node: str = Field(description="the name before the colon")
    reason: str = Field(description="a few words")
    yes: bool


class Sheet(ReplyModel):
    """All small questions answered."""

    answers: list[YesNo]


class Item(Frozen):
    """A small question with the name it goes by."""

    node: str
    ask: str


class Checked(BaseModel):
    """What a validator sees: the record, the exchange, and the sheet to fill in."""

    record: Record
    items: tuple[Item, ...]
    asked_before: tuple[str, ...]
    question: str
    answer: str


class ChecksAnswer(Prompt[Sheet], Checked):
    """About an answer of the patient's."""

    template = "checks_answer.md"


class ChecksQuestion(Prompt[Sheet], Checked):
    """About a question of the doctor's."""

    template = "checks_question.md"
