"""The demo shows what is special about each clinic (learning, errors, pictures, an escalation) and stays small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyclinic.runner.registry import load_clinic
from tests.cli.conftest import Run


def page_of(polyclinic: Run, clinic: str) -> str:
    done = polyclinic("demo", "--clinic", clinic)
    assert done.returncode == 0, done.stderr
    return Path(".polyclinic/demo.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_duty_is_shown_with_a_learning_curve_over_its_shifts(polyclinic: Run) -> None:
    page = page_of(polyclinic, "duty")
    assert "Learning curves" in page and "NVR over the shifts" in page
    assert "30 episodes over 15 scenarios" in page


def test_the_front_desk_is_shown_with_a_filling_diary_and_with_errors(polyclinic: Run) -> None:
    page = page_of(polyclinic, "frontdesk")
    told = re.search(r"<p>[^<]*\(intake\); .*?</p>", page)
    assert told is not None
    shares = [float(value) for value in re.findall(r"(?:tool|reasoning) ([\d.]+) \(", told[0])]
    assert len(shares) == 2 and min(shares) < 1, "mistakes are shown"


@pytest.mark.slow
def test_the_patient_is_shown_before_and_after_it_has_learned(polyclinic: Run) -> None:
    page = page_of(polyclinic, "patient")
    assert "learning from 6 cases" in page and "What was learned, case by case" in page
    assert "evolved-emptied" in page and "evolved" in page


def test_rounds_show_the_pictures_of_their_cases(polyclinic: Run) -> None:
    assert '<img src="data:image/png;base64,' in page_of(polyclinic, "rounds")


@pytest.mark.slow
def test_counsel_shows_an_escalation(polyclinic: Run) -> None:
    assert "escalated" in page_of(polyclinic, "counsel")


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
