"""Every requirement of the table is tried under its own number, and the page lists all of them."""

from __future__ import annotations

import httpx
import pytest

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
