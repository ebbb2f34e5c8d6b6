"""A scenario as a sheet for people."""

from __future__ import annotations

import orjson
import pytest

from polyclinic.cli.main import invoke
from polyclinic.cli.scenario_sheet import sheet


def test_fields_have_names_in_words_and_what_is_empty_is_left_out() -> None:
    shown = sheet({"id": "a", "campaign": "", "wave": 0, "why_not": {"A": "too late"}, "tags": ["x", "y"]})
    assert shown == "Id: a\n\nWhy not:\n  A: too late\n\nTags: x, y"


def test_a_line_of_text_has_the_rest_in_brackets() -> None:
    facts = [{"id": "a.1", "topic": "symptom", "text": "I ache.", "red_flag": True, "seen_by": ["nurse", "doctor"]}]
    assert sheet({"facts": facts}) == "Facts:\n  - I ache. (symptom; red flag; seen by: nurse, doctor)"


def test_an_entry_that_fits_no_line_has_a_line_for_each_field() -> None:
    long = "word " * 30
    assert sheet({"steps": [{"stage": "observe", "said": long}]}).startswith(
        "Steps:\n  - Stage: observe\n    Said: word"
    )


def test_no_line_of_a_shipped_scenario_is_wider_than_the_page_and_json_is_still_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show = ["scenarios", "show", "patient", "pan-03"]
    assert invoke(show) == 0
    shown = capsys.readouterr().out
    assert "- I have vomited five times. (complaint; volunteered)" in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert invoke([*show, "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)["record"]["facts"][1]["level"] == "volunteered"
