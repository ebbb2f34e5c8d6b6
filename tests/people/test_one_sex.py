"""Illnesses of one sex, by their names."""

from __future__ import annotations

import pytest

from polyclinic.people.locales import Sex
from polyclinic.people.one_sex import belongs_to_others


@pytest.mark.parametrize(
    ("illness", "sex"),
    [
        ("Prostate cancer", "female"),
        ("Testicular torsion", "female"),
        ("고환 염전", "female"),
        ("Ruptured ectopic pregnancy", "male"),
        ("Severe preeclampsia", "male"),
        ("Ovarian torsion", "male"),
        ("Cervical cancer", "male"),
        ("자궁근종", "male"),
    ],
)
def test_an_illness_of_the_other_sex_is_found(illness: str, sex: Sex) -> None:
    assert belongs_to_others(illness, sex)
    assert not belongs_to_others(illness, "male" if sex == "female" else "female")


@pytest.mark.parametrize(
    "illness", ["Breast cancer", "Cervical spondylosis", "Urinary tract infection", "Appendicitis", "Over-use injury"]
)
def test_both_sexes_can_have_all_others(illness: str) -> None:
    assert not belongs_to_others(illness, "male") and not belongs_to_others(illness, "female")


def test_a_newborn_boy_may_be_ill_from_the_birth() -> None:
    assert not belongs_to_others("Neonatal encephalopathy after placental abruption", "male")
