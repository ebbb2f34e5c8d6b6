"""Every requirement of the table is tried under its own number, and the page lists all of them."""

from __future__ import annotations

import httpx
import pytest

from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.store import FhirStore
from tests.fhir.faults import Fault, FaultyTransport
from tests.fhir.requirement_faults import FAULTS
from tests.fhir.requirements_table import PAGE, REQUIREMENTS, SOURCES, Requirement, page


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=[each.number for each in REQUIREMENTS])
async def test_requirement(requirement: Requirement, api: httpx.AsyncClient) -> None:
    await requirement.check(api)


def test_requirement_numbers_are_unique_and_every_source_has_requirements() -> None:
    numbers = [each.number for each in REQUIREMENTS]
    assert len(numbers) == len(set(numbers)) > 50
    assert {each.source for each in REQUIREMENTS} == set(SOURCES)


def test_the_page_lists_all_requirements() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.fhir.requirements_table"


def test_every_requirement_has_faults_that_its_check_must_notice() -> None:
    assert {each.number for each in REQUIREMENTS} == set(FAULTS) and all(FAULTS.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requirement", "fault"),
    [(each, fault) for each in REQUIREMENTS for fault in FAULTS[each.number]],
    ids=lambda value: value.number if isinstance(value, Requirement) else value.name,
)
async def test_a_check_fails_on_a_server_that_breaks_its_requirement(
    requirement: Requirement, fault: Fault, hospital: FhirStore
) -> None:
    app = fhir_app(hospital, ["fhir.test"])
    transport = FaultyTransport(httpx.ASGITransport(app=app, raise_app_exceptions=False), fault)
    async with httpx.AsyncClient(transport=transport, base_url="http://fhir.test") as api:
        with pytest.raises((AssertionError, KeyError, IndexError, TypeError, ValueError)):
            await requirement.check(api)
    await app.state.exports.close()
    assert fault.happened, "the fault never happened, so it says nothing about the check"
