"""Whose a value is, who the patient is, and words as they would be written with care."""

from __future__ import annotations

import pytest

from polyclinic.clinics.frontdesk.rules.hangul import latin, same_korean_name
from polyclinic.clinics.frontdesk.rules.owners import is_own
from polyclinic.clinics.frontdesk.rules.patients import patient_of
from polyclinic.clinics.frontdesk.rules.somebody import is_somebody_elses, names_patient
from polyclinic.clinics.frontdesk.rules.told import is_told
from polyclinic.clinics.frontdesk.rules.wording import wording


@pytest.mark.parametrize(
    ("words", "patient"),
    [
        ("my mum needs to see somebody", "other"),
        ("i'm her son. mum's the one you'll be seeing", "other"),
        ("my grandfather, he needs new hearing aids", "other"),
        ("the little one who is ill is called jun", "other"),
        ("i'm his mum, the appointment's for him", "other"),
        ("my wife made me call, but the patient is me", "speaker"),
        ("it's for myself", "speaker"),
        ("she is not the patient", "speaker"),
        ("my back hurts", ""),
        ("i'm his mother, calling for him", "other"),
        ("i'm his wife, but the patient is him", "other"),
    ],
)
def test_who_the_patient_is(words: str, patient: str) -> None:
    assert patient_of(words) == patient


@pytest.mark.parametrize(
    ("words", "kind", "own"),
    [
        ("my number is xthisx", "phone", True),
        ("my neighbour's number is xthisx", "phone", False),
        ("my shop's line is xthisx , ring me there", "phone", True),
        ("my shop's line is xthisx , never ring there", "phone", False),
        ("i'm calling for my son, his name is xthisx", "name", True),
        ("my sister's name is xthisx , mine is xotherx", "name", False),
        ("my folks are at xthisx , i live at xotherx", "address", False),
        ("it's for my little one, she was born on xthisx", "birth_date", True),
        ("my eldest is xthisx but today i'm calling for the younger one born xotherx", "birth_date", False),
        ("my boy is xotherx and the girl is xthisx ; it's about the girl", "birth_date", True),
    ],
)
def test_a_value_belongs_to_the_owner_named_before_it(words: str, kind: str, own: bool) -> None:
    before, after = words.split("xthisx")
    assert is_own(words, before, after, kind) is own


@pytest.mark.parametrize(
    ("words", "kind", "theirs"),
    [
        ("my emergency contact is xthisx", "name", True),
        ("put xthisx as my contact", "name", True),
        ("i'm xthisx , the grandmother. the child is xotherx", "name", True),
        ("i'm xthisx , and i have a cough", "name", False),
        ("my daughter's teacher, xthisx , noticed it", "name", True),
        ("xotherx for me and xthisx for my wife", "phone", True),
    ],
)
def test_words_around_a_value_can_give_it_to_somebody_else(words: str, kind: str, theirs: bool) -> None:
    before, after = words.split("xthisx")
    assert is_somebody_elses(words, before, after, kind) is theirs


def test_the_one_named_as_the_patient_is_told_as_the_patient() -> None:
    words = "i am the mother of the patient xthisx"
    assert names_patient(words)
    assert is_told(words, "name")
    assert not names_patient("the patient is xotherx , i'm xthisx")


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("im fine thx, dont cancel", "i'm fine thx, don't cancel"),
        ("wanna come tmrw", "want to come tomorrow"),
        ("Can ye no squeeze me in", "can you not squeeze me in"),
        ("It's no problem", "it's no problem"),
        ("I no fit come", "i can't come"),
        ("The time no go work", "the time won't work"),
        ("id like to know", "i'd like to know"),
        ("my id is here", "my id is here"),
    ],
)
def test_short_forms_are_written_in_full(said: str, written: str) -> None:
    assert wording(said) == written


@pytest.mark.parametrize(
    ("written", "name", "same"),
    [
        ("박수진", "Park Soo-jin", True),
        ("이영희", "Lee Young-hee", True),
        ("박수진", "Park Soo-min", False),
        ("김수진", "Park Soo-jin", False),
    ],
)
def test_a_name_in_hangul_is_the_same_in_latin_letters(written: str, name: str, same: bool) -> None:
    assert same_korean_name(written, name) is same


def test_an_address_in_hangul_reads_as_on_road_signs() -> None:
    assert latin("테헤란로") == "teheran-ro"
    assert latin("12 High Street") == "12 High Street"
