from __future__ import annotations

import pytest

from polyclinic.people.vignette import stated_age, stated_sex


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("A 62-year-old woman coughs.", 62, "female"),
        ("45 yr old male with his wife", 45, "male"),
        ("An 18-month-old boy, brought by a woman", 1, "male"),
        ("A mother brings her 5-week-old. He vomits, and he cries.", 0, "male"),
        ("She says that her head hurts since he left.", None, "female"),
        ("An X-ray shows a line.", None, None),
    ],
)
def test_age_and_sex_are_read_only_where_they_are_stated(text: str, age: int | None, sex: str | None) -> None:
    assert (stated_age(text), stated_sex(text)) == (age, sex)
