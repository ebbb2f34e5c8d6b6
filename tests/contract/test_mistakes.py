from __future__ import annotations

import pytest

from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.testing import contract

MISTAKES = [(name, mistake.name) for name in sorted(clinic_modules()) for mistake in load_clinic(name).mistakes]


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
async def test_a_mistake_is_noticed_and_a_run_without_mistakes_is_not_blamed(name: str, mistake: str) -> None:
    clinic = load_clinic(name)
    await contract.check_mistake(clinic, next(m for m in clinic.mistakes if m.name == mistake))
