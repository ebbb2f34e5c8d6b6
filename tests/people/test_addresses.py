"""Addresses as people say them are split into searchable parts; what is unclear stays in the text."""

from __future__ import annotations

import random
from datetime import date

import pytest

from polyclinic.people.addresses import AddressParts, address_parts
from polyclinic.people.demographics import draw_person
from polyclinic.people.locales import load_locale, locale_names


@pytest.mark.parametrize(
    ("said", "locale", "parts"),
    [
        ("12, Jungang-ro, Mapo-gu, Seoul 04321", "korea", ("12, Jungang-ro", "Mapo-gu", "Seoul", "", "04321")),
        (
            "7, Sejong-daero, Suwon-si, Gyeonggi-do 16000",
            "korea",
            ("7, Sejong-daero", "", "Suwon-si", "Gyeonggi-do", "16000"),
        ),
        ("Seoul, Mapo-gu, Jungang-ro 12", "korea", ("Jungang-ro 12", "Mapo-gu", "Seoul", "", "")),
        (
            "12 High Street, Leith, Edinburgh EH6 7AB",
            "scotland",
            ("12 High Street", "Leith", "Edinburgh", "", "EH6 7AB"),
        ),
        ("12 High Street Edinburgh", "scotland", ("12 High Street", "", "Edinburgh", "", "")),
        ("by the old mill", "scotland", ("by the old mill", "", "", "", "")),
        ("", "korea", ("", "", "", "", "")),
    ],
)
def test_address_parts_are_separated_or_left_in_the_text(said: str, locale: str, parts: tuple[str, ...]) -> None:
    assert address_parts(said, locale) == AddressParts(*parts)


@pytest.mark.parametrize("locale", locale_names())
def test_every_drawn_address_has_a_city_and_a_postcode(locale: str) -> None:
    source = random.Random(1)
    for _ in range(200):
        person = draw_person(load_locale(locale), source, on=date(2025, 1, 1))
        parts = address_parts(person.address, locale)
        assert parts.city and parts.postcode and parts.line, person.address
        assert person.region in (parts.city, parts.state)
