"""The texts of the pages in both languages: those of the interface, and the fixed texts of the clinics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.tasks import AIMS, CHECKLISTS
from polyclinic.clinics.duty.scenario import scenarios
from polyclinic.core.clinic import Clinic
from polyclinic.core.form import FormRow, form_rows
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.web.cases.checking import form_rows_of
from polyclinic.web.fixed_words import Korean, korean_of, korean_words
from tests.sources import clinics_of_the_package

FILES = sorted((Path(__file__).parents[2] / "frontend" / "src" / "lib").glob("words*.ts"))
ENTRY = re.compile(r"^  (\w+): \[(.+)\],$", re.MULTILINE)
PLACE = re.compile(r"\{\d\}")
HANGUL = re.compile("[가-힣]")
SAME_IN_KOREAN = {"full"}
"""The name of a variant, so the same word as a choice in a form stays as it is."""


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


def _in_form(rows: Iterable[FormRow]) -> Iterator[str]:
    for row in rows:
        yield from (row.label, row.about, *(option.label for option in row.options))
        yield from _in_form(row.rows)


def _in_forms(clinic: Clinic) -> set[str]:
    """What the forms of a clinic show: those of the cases that an author writes, and those of its live sessions."""
    actions = clinic.service.actions if clinic.service is not None else ()
    return {
        *(writing.title for writing in clinic.writings),
        *(text for writing in clinic.writings for text in _in_form(form_rows_of(writing))),
        *(text for action in actions for text in _in_form(form_rows(action.body.model_json_schema()))),
    } - SAME_IN_KOREAN


@pytest.mark.parametrize("name", clinics_of_the_package())
def test_every_fixed_text_and_every_form_of_a_clinic_has_its_korean(name: str) -> None:
    korean, clinic = Korean(korean_words()), load_clinic(name)
    texts = sorted(_fixed_texts(clinic) | _in_forms(clinic))
    assert [text for text in texts if re.search("[A-Za-z]{2}", text) and not HANGUL.search(korean.fixed(text))] == []


def test_what_a_shift_asks_of_people_has_its_korean() -> None:
    korean = Korean(korean_words())
    shifts = scenarios("", 0)
    texts = {
        *AIMS.values(),
        *(text for norm in inventory() for text in (norm.if_, norm.then, norm.remind, norm.statement())),
        *(item.text for items in CHECKLISTS.values() for item, _ in items),
        *(text for shift in shifts for text in (shift.title, shift.setting, shift.introduction())),
    }
    assert len(texts) > 100
    assert [text for text in sorted(texts) if re.search("[a-z]{2}", korean.told(text))] == []


def test_a_korean_page_leaves_the_words_of_people_and_the_names_of_variants_as_they_are() -> None:
    table = korean_words()
    korean = Korean(table)
    for words in ("I am against it.", "My son asks me: why?", "Yes, no, perhaps.", "It hurts: here."):
        assert korean.told(words) == words
    variants = {variant for name in clinic_modules() for variant in load_clinic(name).variants}
    assert variants & set(table) == {"intake", "crisis"}, "these two are also names of figures and queues"


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
    assert [text for text in table if PLACE.search(text) and len(re.findall("[A-Za-z]{2,}|: |n = ", text)) < 2] == []
