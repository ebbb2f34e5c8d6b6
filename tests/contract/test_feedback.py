"""Every part that a person can play gets feedback about that part, in the language of the page."""

from __future__ import annotations

import re

import pytest

from polyclinic.cli.feedback import MOST_LINES, in_brief
from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated
from polyclinic.eval.sections import Paragraph, Section, Table
from polyclinic.eval.terminal import section_text
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.runner.results import MOST, figure_lines, own_feedback, own_figures
from polyclinic.testing.runs import run_once
from polyclinic.web.catalogue import clinic_in_full

HANGUL = re.compile("[가-힣]")
JUDGED = ("Good: ", "Missing: ", "This was dangerous: ")


async def played(clinic: Clinic, part: str) -> Case:
    results = await run_once(clinic, variants=(clinic.first_variant,), scenarios=clinic.to_play(part, "en"), most=1)
    (row,) = results.episodes
    return Case(results.scenarios[row.scenario], clinic.variant(row.variant), row.transcript, row.trial)


def texts(section: Section) -> list[str]:
    return [block.text for block in section.body if isinstance(block, Paragraph)]


@pytest.mark.parametrize("name", sorted(clinic_modules()))
async def test_every_part_gets_feedback_in_the_language_of_the_page(name: str) -> None:
    clinic = load_clinic(name)
    cases = {clinic.to_play(part.name, "en"): part.name for part in clinic_in_full(name).parts}
    known = {selection: await played(clinic, part) for selection, part in cases.items()}
    seen: dict[str, str] = {}
    for part in clinic_in_full(name).parts:
        seat, case = (part.seats or [part.name])[0], known[clinic.to_play(part.name, "en")]
        english, korean = [own_feedback(clinic, seat, case, language) for language in ("en", "ko")]
        told = texts(english[0])
        assert clinic.ending is None or clinic.ending(case, seat), f"{seat} is told nothing at the end"
        measured = bool(own_figures(clinic, seat, case) or clinic.role(seat).metrics)
        assert english[0].title == "In short" and any(text.startswith("Next step: ") for text in told), seat
        assert measured != ("is not measured" in told[0]), f"{seat}: {told[0]}"
        assert not measured or any(text.startswith(JUDGED) for text in told), f"{seat}: {told}"
        alone = name == "duty" and {event.by for event in case.transcript.of(Violated)} <= {seat}
        assert (alone or len(english) > 1) and all(section.body for section in english), seat
        assert len(korean) == len(english)
        printed = "\n\n".join(section_text(section) for section in in_brief(english))
        figures = list(figure_lines(clinic, own_figures(clinic, seat, case)))
        assert len(printed.splitlines()) <= MOST_LINES and len(figures) <= MOST, f"{seat}: {printed}"
        assert all(HANGUL.search(text) for text in texts(korean[0])), texts(korean[0])
        for section in korean:
            heads = [section.title, *(block.caption for block in section.body if isinstance(block, Table))]
            assert all(HANGUL.search(head) for head in heads), heads
        words = str(english)
        assert words not in seen or {seat, seen[words]} < {"doctor", "nurse", "trainee", "admin"}, (
            f"{seat} is told the same as {seen.get(words)}"
        )
        seen[words] = seat


def test_only_parts_for_people_get_feedback() -> None:
    clinic = load_clinic("rounds")
    assert not clinic.role("judge").for_people and not clinic.role("author").for_people
    assert clinic.role("student-2").for_people
