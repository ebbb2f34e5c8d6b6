"""Why somebody waits in the queue, in words for staff. A case must be shown whatever the store holds."""

from __future__ import annotations

from typing import Any

import pytest

from polyclinic.clinics.counsel.rules.guard import QUEUE, REVIEW_QUEUE, Decision
from polyclinic.clinics.counsel.rules.notes import ForPerson
from polyclinic.clinics.counsel.service import FOR_REVIEW, GUARD_FAILED, SIGNS, CounselService
from polyclinic.core.value import plain

DECIDED = plain(Decision(way="escalate", label="active", source="trained"))
WAITING = ForPerson(
    patient="p",
    lang="en",
    turn=1,
    stage="greeting",
    utterance="",
    recent=(),
    decision=None,
    reason="kept reason",
    words="",
).written()


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        (DECIDED, SIGNS["active"]),
        (DECIDED | {"source": "fault"}, GUARD_FAILED),
        (DECIDED | {"label": "a label of another version"}, "kept reason"),
        ({}, "kept reason"),
        ("not a table", "kept reason"),
        (None, "kept reason"),
    ],
)
def test_a_case_has_a_reason_whatever_its_decision_holds(decision: Any, shown: str) -> None:
    assert CounselService().why(QUEUE, WAITING | {"decision": decision}) == shown


def test_a_case_that_another_version_wrote_shows_its_reason() -> None:
    assert CounselService().why(QUEUE, {"reason": "kept reason", "decision": DECIDED}) == "kept reason"


def test_a_case_for_review_says_what_staff_can_do() -> None:
    assert CounselService().why(REVIEW_QUEUE, {}) == FOR_REVIEW
