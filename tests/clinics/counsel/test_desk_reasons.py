"""Why somebody waits in the queue, in words for staff. A case must be shown whatever the store holds."""

from __future__ import annotations

from typing import Any

import pytest

from polyclinic.clinics.counsel.rules.guard import QUEUE, REVIEW_QUEUE
from polyclinic.clinics.counsel.service import FOR_REVIEW, GUARD_FAILED, SIGNS, CounselService


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        ({"source": "trained", "label": "active"}, SIGNS["active"]),
        ({"source": "fault", "label": "active"}, GUARD_FAILED),
        ({"source": "trained", "label": "a label of another version"}, "kept reason"),
        ({}, "kept reason"),
        ("not a table", "kept reason"),
        (None, "kept reason"),
    ],
)
def test_a_case_has_a_reason_whatever_its_decision_holds(decision: Any, shown: str) -> None:
    assert CounselService().why(QUEUE, {"reason": "kept reason", "decision": decision}) == shown


def test_a_case_for_review_says_what_staff_can_do() -> None:
    assert CounselService().why(REVIEW_QUEUE, {}) == FOR_REVIEW
