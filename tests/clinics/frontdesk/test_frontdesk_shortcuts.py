"""What the desk decides without the long way must be what the long way decides."""

from __future__ import annotations

import random
import re
from typing import Any

import orjson
import pytest

from polyclinic.clinics.frontdesk.prompts import StaffBooks, StaffChanges, StaffRecord
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, NOT_YET
from polyclinic.clinics.frontdesk.rules.whose import is_own, value_is_own
from polyclinic.core.agent import read_completion
from polyclinic.core.model import Completion
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, read_reply
from polyclinic.text.words import words_and_numbers

_PHYSICIANS, _DAYS = ("Dr. Ada Novak", "Dr. Min-jun Lee"), ("2026-01-05", "2026-01-06")
_BOOKS = StaffBooks(
    department="allergy",
    physicians=_PHYSICIANS,
    days=_DAYS,
    today="today",
    patient_name="",
    problem="",
    patient_says="",
)
_CHANGES = StaffChanges(
    department="allergy", physicians=_PHYSICIANS, days=_DAYS, today="today", problem="", patient_says=""
)
_VALUES = [
    "",
    "Dr. Ada Novak",
    "Dr. Nobody",
    "2026-01-06",
    "2027-01-01",
    "ask",
    "cancel",
    "date_filter",
    "get_all_time",
]
_RECORD = ("allergy", "cardiology", NOT_YET, EMERGENCY, "", "dentistry")


def _record(must_decide: bool) -> StaffRecord:
    return StaffRecord(departments=("allergy",), department_lines=("allergy",), dialogue=(), must_decide=must_decide)


@pytest.mark.parametrize("prompt", [_BOOKS, _CHANGES, _record(True), _record(False)], ids=lambda p: type(p).__name__)
def test_a_reply_is_taken_or_refused_as_its_closed_form_would(prompt: Prompt[Any]) -> None:
    draw, taken = random.Random(1), 0
    fields = list(prompt.reply_type().model_fields)
    choices = _RECORD if isinstance(prompt, StaffRecord) else _VALUES
    for _ in range(1_500):
        reply = {
            name: draw.choice(choices) if name in ("department", "physician", "date", "action") else ""
            for name in fields
        }
        if draw.random() < 0.2:
            reply.pop(draw.choice(fields))
        text = orjson.dumps(reply).decode()
        try:
            expected = read_reply(text, prompt.reply_form()).model_dump()
        except Unreadable as refused:
            with pytest.raises(Unreadable, match=re.escape(str(refused))):
                read_completion(prompt, Completion(text=text))
        else:
            taken += 1
            assert read_completion(prompt, Completion(text=text)).model_dump() == expected
    assert 10 < taken < 1_400


_PIECES = (
    *("My name is", "my brother", "010-1234-5678", "Lee Seo-yeon", "not", "is mine.", "It was", "old", "call me on"),
    *(
        "the office",
        "+82 10 1234 5678",
        "LEE SEO YEON",
        "used to be",
        "now.",
        "Is",
        "yours?",
        "his",
        "I am",
        "instead of",
    ),
)


def test_a_value_that_stands_as_it_is_written_is_judged_as_by_the_pattern() -> None:
    draw, kinds = random.Random(2), set()
    for _ in range(4_000):
        text = f"It is me. {' '.join(draw.choices(_PIECES, k=draw.randrange(2, 9)))}"  # "me" alone leaves doubt
        value = draw.choice(("010-1234-5678", "Lee Seo-yeon", "+82 10 1234 5678"))
        loosely = r"[\W_]*".join(re.escape(word) for word in words_and_numbers(value))
        places = [
            m.span() for m in re.finditer(loosely, text, re.IGNORECASE) if not text[m.end() : m.end() + 1].isalnum()
        ]
        whole = not places or any(is_own(text, *place) for place in places)
        found = value_is_own(value, text)
        kinds.add(found)
        assert found is whole, text
    assert kinds == {True, False}
