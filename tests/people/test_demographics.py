"""Simulated persons: unique names, ages in range, and identifiers that agree with birth date and sex."""

from __future__ import annotations

import random
import re
from datetime import date

import pytest

from polyclinic.errors import UnknownName
from polyclinic.people.demographics import Person, draw_person
from polyclinic.people.identifiers import draw_identifier
from polyclinic.people.locales import load_locale, locale_names
from polyclinic.people.patient_axes import CONFUSIONS, LANGUAGES, PERSONALITIES, RECALLS, PatientAxes, draw_axes
from tests.people.registration import age_on, identifier_faults

TODAY = date(2025, 3, 17)


def people(locale: str, count: int = 2000) -> list[Person]:
    pack, draw = load_locale(locale), random.Random(5)
    taken: set[str] = set()
    return [draw_person(pack, draw, on=TODAY, ages=(20, 80), taken=taken) for _ in range(count)]


@pytest.mark.parametrize("locale", ["korea", "scotland"])
def test_personal_details_agree_with_each_other(locale: str) -> None:
    pack = load_locale(locale)
    found = people(locale)
    assert len({person.name for person in found}) == len(found)
    for person in found:
        assert 20 <= age_on(person, TODAY) <= 80
        assert identifier_faults(pack, person.identifier, person.sex, person.birth_date) == []
        region = next(region for region in pack.regions if region.name == person.region)
        assert person.region in person.address
        assert any(area in person.address for area in region.areas)
        cohort = pack.cohort(person.birth_date.year)
        given = cohort.female if person.sex == "female" else cohort.male
        assert person.given.split(" ")[0] in given


def test_korean_numbers_contain_the_region_of_the_address() -> None:
    pack = load_locale("korea")
    for person in people("korea", 300):
        region = next(region for region in pack.regions if region.name == person.region)
        assert region.codes[0] <= int(person.identifier[8:10]) <= region.codes[1]


@pytest.mark.parametrize(
    ("locale", "number", "sex", "born"),
    [("korea", "820701-2409184", "female", date(1982, 7, 1)), ("scotland", "0101800035", "male", date(1980, 1, 1))],
)
def test_wrong_check_digits_and_contradictions_are_found(locale: str, number: str, sex: str, born: date) -> None:
    pack, draw = load_locale(locale), random.Random(3)
    good = draw_identifier(pack, sex, born, pack.regions[0], draw)  # type: ignore[arg-type]
    assert identifier_faults(pack, good, sex, born) == []  # type: ignore[arg-type]
    spoilt = good[:-1] + str((int(good[-1]) + 1) % 10)
    assert "check digit" in " ".join(identifier_faults(pack, spoilt, sex, born))  # type: ignore[arg-type]
    other = "male" if sex == "female" else "female"
    assert identifier_faults(pack, good, other, born)  # type: ignore[arg-type]
    assert identifier_faults(pack, good, sex, date(1990, 5, 5))  # type: ignore[arg-type]
    assert identifier_faults(pack, "nonsense", sex, born)  # type: ignore[arg-type]


def test_the_korean_check_digit_follows_the_official_weights() -> None:
    digits = "800101" + "1" + "23456"
    total = sum(int(digit) * weight for digit, weight in zip(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5], strict=True))
    right = (11 - total % 11) % 10
    number = f"{digits[:6]}-{digits[6:]}{right}"
    assert identifier_faults(load_locale("korea"), number, "male", date(1980, 1, 1)) == []


def test_phone_numbers_belong_to_nobody() -> None:
    for person in people("korea", 200):
        assert re.fullmatch(r"\+8210[01]\d{7}", person.phone)
    for person in people("scotland", 200):
        assert re.fullmatch(r"\+44(7700900\d{3}|1[34]14960\d{3})", person.phone)


def test_the_same_seed_gives_the_same_people() -> None:
    assert people("korea", 50) == people("korea", 50)


def test_an_unknown_locale_is_refused_with_the_valid_names() -> None:
    with pytest.raises(UnknownName, match="korea"):
        load_locale("kores")
    assert locale_names() == ["korea", "scotland"]


def test_every_level_of_every_axis_has_instructions() -> None:
    assert (len(PERSONALITIES), LANGUAGES, RECALLS, len(CONFUSIONS)) == (6, ("A", "B", "C"), ("none", "low", "high"), 2)
    seen = set()
    for personality in PERSONALITIES:
        for language in LANGUAGES:
            for recall in RECALLS:
                for confusion in CONFUSIONS:
                    axes = PatientAxes(personality=personality, language=language, recall=recall, confusion=confusion)
                    seen.add(tuple(axes.instructions()))
    assert len(seen) == 6 * 3 * 3 * 2


def test_a_patient_is_reminded_of_its_levels_in_words_without_their_names() -> None:
    axes = PatientAxes(personality="overly_positive", language="A", recall="low", confusion="high")
    reminded = axes.reminder()
    assert reminded != PatientAxes().reminder()
    assert not [word for word in ("level", "overly", "neutral", "recall", "confusion", "_") if word in reminded]
    assert all(sentence.startswith(("You", "Your")) for sentence in reminded.rstrip(".").split(". "))


def test_an_unusual_patient_gets_at_least_three_lines_on_how_they_differ() -> None:
    usual = PatientAxes()
    others = [PatientAxes(personality=each) for each in PERSONALITIES if each != usual.personality]
    for axes in (*others, PatientAxes(language="A"), PatientAxes(recall="low"), PatientAxes(confusion="high")):
        assert len(set(axes.instructions()) - set(usual.instructions())) >= 3, axes


def test_a_patient_without_history_has_nothing_to_recall() -> None:
    draw = random.Random(1)
    weights = {"recall": {"low": 1.0}, "personality": {"verbose": 0.5, "impatient": 0.5}}
    assert draw_axes(draw, weights, has_history=False).recall == "none"
    assert draw_axes(draw, weights, has_history=True).recall == "low"
    drawn = {draw_axes(draw, weights, has_history=True).personality for _ in range(50)}
    assert drawn == {"verbose", "impatient"}
