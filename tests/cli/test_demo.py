"""The demo shows what is special about each clinic (learning, errors, pictures, an escalation) and stays small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyclinic.runner.registry import load_clinic
from tests.cli.conftest import Run


def page_of(polyclinic: Run, clinic: str) -> str:
    """A page of two clinics: a clinic alone is not folded."""
    done = polyclinic("demo", "--clinic", "demo", "--clinic", clinic)
    assert done.returncode == 0, done.stderr
    return Path(".polyclinic/demo.html").read_text(encoding="utf-8")


def unfolded(page: str) -> str:
    """What a reader sees of a demo with several reports before opening "All tables, pictures and transcripts"."""
    return re.sub(r"<details><summary>All tables, pictures and transcripts.*?</article>", "", page, flags=re.DOTALL)


def cells(table: str) -> list[float]:
    return [float(value) for value in re.findall(r"<td[^>]*>([\d.]+)</td>", table)]


@pytest.mark.slow
def test_duty_is_shown_with_a_learning_curve_over_its_shifts(polyclinic: Run) -> None:
    page = page_of(polyclinic, "duty")
    assert "NVR over the shifts" in unfolded(page)
    assert "30 episodes over 15 scenarios" in page


def test_the_front_desk_is_shown_with_a_filling_diary_and_with_errors(polyclinic: Run) -> None:
    page = page_of(polyclinic, "frontdesk")
    filled = [cells(table) for table in re.findall(r"<caption>Diaries of .*?</table>", unfolded(page), re.DOTALL)]
    assert len(filled) == 3 and sum(filled[0]) < sum(filled[1]) < sum(filled[2]) and max(filled[2]) > 0.5
    told = re.search(r"<p>[^<]*\(intake\); .*?</p>", page)
    assert told is not None
    shares = [float(value) for value in re.findall(r"(?:tool|reasoning) ([\d.]+) \(", told[0])]
    assert len(shares) == 2 and min(shares) < 1, "mistakes are shown"


@pytest.mark.slow
def test_the_patient_is_shown_before_and_after_it_has_learned(polyclinic: Run) -> None:
    page = page_of(polyclinic, "patient")
    shown = unfolded(page)
    assert "learning from 6 cases" in shown and "How the libraries grew" in shown
    assert all(f"(figure {number})" in shown for number in (12, 13, 18))
    assert re.search(r"\(ability\): 0\.\d+\.</p>", shown), "the card of one variant gives its figure"


def test_rounds_show_the_pictures_of_their_cases(polyclinic: Run) -> None:
    shown = unfolded(page_of(polyclinic, "rounds"))
    assert re.search(r"<details open><summary>.*?<img src=.data:image/png;base64,", shown, re.DOTALL)


@pytest.mark.slow
def test_counsel_shows_an_escalation(polyclinic: Run) -> None:
    table = re.search(r"<caption>What went to people.*?</table>", unfolded(page_of(polyclinic, "counsel")), re.DOTALL)
    assert table is not None
    rows = {row[0]: row[1:] for row in re.findall(r"<tr><th[^>]*>(\w+)</th>" + r"<td[^>]*>(\d+)</td>" * 2, table[0])}
    assert int(rows["full"][1]) > 0 and int(rows["noescalation"][1]) == 0


def test_the_demo_stays_small() -> None:
    """A small demo stays under a minute: about eighteen seconds of CPU for all clinics."""
    assert load_clinic("duty").demo_settings["scenarios"] == "T1:15"
    assert load_clinic("patient").demo_learns <= 6


def test_the_demo_says_what_its_last_commands_need(polyclinic: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyclinic.cli.demo.which", lambda name: None)
    monkeypatch.setattr("polyclinic.cli.demo.find_spec", lambda name: None)
    told = polyclinic("demo", "--clinic", "demo").stdout
    assert "First, for the commands below: source " in told and "bin/activate\n" in told
    assert told.index("[web]'") < told.index("polyclinic web --store")
