"""What the validators are asked: a sheet of small yes/no questions about one answer, or about one question."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, create_model

from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel

YesNo = Literal["yes", "no"]


class Sheet(ReplyModel):
    """All small questions answered: each is a required field of its own. Made for the nodes that are asked."""

    def answers(self) -> dict[str, bool]:
        """The answers by node."""
        return {node: getattr(self, node) == "yes" for node in type(self).model_fields}


@lru_cache(maxsize=16)
def sheet_type(nodes: tuple[str, ...]) -> type[Sheet]:
    """The sheet for these nodes, so that none can be left out."""
    fields: dict[str, Any] = dict.fromkeys(nodes, (YesNo, ...))
    return cast("type[Sheet]", create_model("FilledSheet", __base__=Sheet, **fields))


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

    def reply_form(self) -> type[Sheet]:
        """One field for each small question."""
        return sheet_type(tuple(item.node for item in self.items))


class ChecksAnswer(Checked, Prompt[Sheet]):
    """About an answer of the patient's."""

    words: ClassVar[int] = 80

    template = "checks_answer.md"


class ChecksQuestion(Checked, Prompt[Sheet]):
    """About a question of the doctor's."""

    words: ClassVar[int] = 80

    template = "checks_question.md"
