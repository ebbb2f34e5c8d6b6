"""A description for a player uses "you": in the third person it makes a model speak about itself."""

from __future__ import annotations

import re

import pytest

from polyclinic.clinics.counsel.scenario import scenarios as talks
from polyclinic.clinics.patient.scenario import scenarios as patients
from polyclinic.people.traits import COMMUNICATORS, Communicator, dimensions

_OUTSIDE = re.compile(
    r"\b(?:the person|herself|himself|she|her|him)\b"
    r"|(?:^|; )(?:is|has|was|does|would|thinks|believes|hopes|fears|feels|knows|wants|asks|hides|hates|speaks|talks)\b"
)


@pytest.mark.parametrize("chosen", ["korean@en", "elsewhere"])
def test_the_description_of_a_counselled_person_addresses_the_player_as_you(chosen: str) -> None:
    for talk in talks(chosen, 1):
        who = talk.persona
        told = (who.family, who.values, who.restraint, who.work, who.money, who.burden, who.misunderstanding)
        assert [line for line in told if _OUTSIDE.search(line)] == []


def test_the_description_of_a_patient_addresses_the_player_as_you() -> None:
    described = [scenario.person for scenario in patients("20", 1)]
    assert [line for line in described if _OUTSIDE.search(line)] == []
    assert all("In conversation you " in line for line in described)


@pytest.mark.parametrize("role", COMMUNICATORS)
def test_every_trait_addresses_the_player_as_you(role: Communicator) -> None:
    assert all(dimension.you.startswith("you ") for dimension in dimensions(role))
