"""A reply's type becomes a form, and what was filled in becomes the reply."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from polyclinic.core.form import NO_HINTS, FormHints, FormRow, OnlyIf, filled, form_rows
from polyclinic.core.reply import ReplyModel, schema_of


class Time(ReplyModel):
    day: Literal["Monday", "Tuesday"]
    start: str = Field(min_length=1, max_length=5)


class Reply(ReplyModel):
    reason: str
    action: Literal["book", "ask_again"] = Field(description="what you do")
    question: str
    sure: bool
    tablets: int = Field(ge=1, le=8)
    note: str | None
    times: list[Time]
    left_out: str = ""


def rows(hints: FormHints = NO_HINTS) -> dict[str, FormRow]:
    return {row.name: row for row in form_rows(schema_of(Reply) or {}, hints)}


def test_every_kind_of_field_gets_its_own_input() -> None:
    kinds = {name: row.kind for name, row in rows().items()}
    assert kinds["action"] == "choice" and kinds["sure"] == "yes_no" and kinds["tablets"] == "number"
    assert kinds["reason"] == "text" and kinds["note"] == "text" and kinds["times"] == "groups"
    assert [(row.name, row.kind) for row in rows()["times"].rows] == [("day", "choice"), ("start", "line")]


def test_a_text_that_may_be_empty_is_optional_and_any_other_text_is_required() -> None:
    found = rows()
    assert not found["reason"].required and not found["left_out"].required
    assert found["action"].required and found["sure"].required and found["tablets"].required
    assert found["times"].rows[1].required and found["times"].rows[1].longest == 5
    assert (found["tablets"].least, found["tablets"].most) == (1, 8)


def test_hints_rename_hide_and_bind_fields() -> None:
    hints = FormHints(
        labels={"action": "What you do"},
        choices={"action": {"ask_again": "ask the patient"}},
        hidden=("reason",),
        only_if={"question": OnlyIf(field="action", values=("ask_again",))},
    )
    found = rows(hints)
    assert "reason" not in found
    assert found["action"].label == "What you do"
    assert [option.label for option in found["action"].options] == ["book", "ask the patient"]
    assert found["question"].only_if == OnlyIf(field="action", values=("ask_again",))


def test_a_field_left_out_is_as_empty_as_its_type_allows() -> None:
    schema = schema_of(Reply) or {}
    hints = FormHints(hidden=("reason",), only_if={"question": OnlyIf(field="action", values=("ask_again",))})
    given: dict[str, Any] = {"action": "book", "question": "typed, then hidden", "sure": True, "tablets": 2}
    found = filled(form_rows(schema, hints), schema, given)
    assert found == {
        "reason": "",
        "action": "book",
        "question": "",
        "sure": True,
        "tablets": 2,
        "note": "",
        "times": [],
    }
    assert Reply.model_validate(found).times == []


def test_an_unknown_field_is_kept_so_that_it_can_be_refused() -> None:
    schema = schema_of(Reply) or {}
    assert filled(form_rows(schema), schema, {"other": 1})["other"] == 1
