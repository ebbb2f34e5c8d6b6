"""The texts of the pages in both languages: those of the interface, and the fixed texts of the clinics."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from polyclinic.core.clinic import Clinic
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.web.fixed_words import korean_of, korean_words
from tests.sources import clinics_of_the_package

FILES = sorted((Path(__file__).parents[2] / "frontend" / "src" / "lib").glob("words*.ts"))
ENTRY = re.compile(r"^  (\w+): \[(.+)\],$", re.MULTILINE)
PLACE = re.compile(r"\{\d\}")


def test_no_two_places_share_a_text_key_and_each_key_has_both_languages() -> None:
    found = [match for file in FILES for match in ENTRY.findall(file.read_text(encoding="utf-8"))]
    assert len(FILES) > 3 and len(found) > 300
    assert [key for key, times in Counter(key for key, _ in found).items() if times > 1] == []
    assert [key for key, text in found if not re.search(r"""['"`],\s*['"`]""", text)] == []


def _fixed_texts(clinic: Clinic) -> set[str]:
    """What a page shows of a clinic before anybody speaks."""
    parts = [part for part in clinic.roles if part.for_people]
    metrics = [metric for judge in clinic.judges() for metric in judge.metrics]
    dials = clinic.board.dials if clinic.board is not None else ()
    actions = clinic.service.actions if clinic.service is not None else ()
    return {
        clinic.title,
        clinic.summary,
        *(text for part in parts for text in (part.name, part.about)),
        *(text for metric in metrics for text in (metric.name, metric.about)),
        *(variant.about for variant in clinic.variants.values()),
        *(text for dial in dials for text in (dial.name, dial.about)),
        *(action.title for action in actions if action.by == "staff"),
    } - {""}


@pytest.mark.parametrize("name", clinics_of_the_package())
def test_every_fixed_text_of_a_clinic_has_its_korean(name: str) -> None:
    table = {**korean_words(), **korean_of(name)}
    patterns = [re.compile(re.sub(r"\\{\d\\}", "(.+?)", re.escape(text))) for text in table if PLACE.search(text)]
    missing = [
        text
        for text in sorted(_fixed_texts(load_clinic(name)))
        if text not in table and not any(pattern.fullmatch(text) for pattern in patterns)
    ]
    assert missing == []


def test_no_two_clinics_translate_the_same_text_differently() -> None:
    found: dict[str, set[str]] = {}
    for name in clinic_modules():
        for text, korean in korean_of(name).items():
            found.setdefault(text, set()).add(korean)
    assert {text: korean for text, korean in found.items() if len(korean) > 1} == {}


def test_translations_are_korean_keep_their_blanks_and_a_pattern_has_words_of_its_own() -> None:
    table = korean_words()
    assert [text for text, korean in table.items() if not re.search("[가-힣]", korean)] == []
    assert [
        text for text, korean in table.items() if sorted(PLACE.findall(text)) != sorted(PLACE.findall(korean))
    ] == []
    assert [text for text in table if PLACE.search(text) and len(re.findall("[a-z]{2,}", text)) < 2] == []
