from __future__ import annotations

from pathlib import Path

import pytest

from polyclinic.errors import ConfigError
from polyclinic.runner.execute.estimate import estimate
from polyclinic.runner.plan.config import make_config, read_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import clinic_modules


def test_only_settings_that_change_results_change_the_id() -> None:
    base = make_config({"clinic": "demo"})
    assert (
        base.wanted_id == make_config({"clinic": "demo", "concurrency": 1, "store": "x", "max_cost_usd": 2}).wanted_id
    )
    assert base.wanted_id != make_config({"clinic": "demo", "seed": 1}).wanted_id


def test_a_run_file_is_read_and_flags_override_it(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('clinic = "demo"\nvariants = ["plain", "tool"]\nscenarios = 4\ntrials = 3\n')
    config = read_config(str(file), {"trials": 1})
    assert (config.variants, config.scenarios, config.trials) == (("plain", "tool"), "4", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('clinic = "demo"\ntrails = 3\n', r"run.toml:2: 'trails' is not a setting: did you mean trials"),
        ('clinic = "demo"\ntrials = 0\n', r"run.toml:2: trials: please write a number of at least 1 \(got 0\)"),
        ("clinic = demo\n", "not TOML"),
        ("trials = 1\n", "clinic: please fill this in"),
    ],
)
def test_an_error_in_a_run_file_is_reported_with_line_and_fix(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_config(str(file))


def test_a_run_file_that_is_not_text_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_bytes(b"\xd0\x00\xff")
    with pytest.raises(ConfigError, match="it is not UTF-8 at byte 0; save it as UTF-8"):
        read_config(str(file))


@pytest.mark.parametrize(
    ("name", "value"), [("seed", 2**63), ("max_cost_usd", float("inf")), ("max_seconds", float("nan"))]
)
def test_numbers_that_cannot_be_stored_are_refused(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=name):
        make_config({"clinic": "demo", name: value})


def test_the_smallest_budget_is_rounded_up_and_not_to_zero() -> None:
    assert make_config({"clinic": "demo", "max_cost_usd": 1e-12}).run_limits.cost_nano_usd == 1


def test_a_missing_run_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: there is no such run file"):
        read_config("nowhere.toml")


def test_the_plan_has_scenarios_by_variants_by_trials_with_campaigns_as_units() -> None:
    wide = make_config({"clinic": "demo", "variants": ["all"], "scenarios": "5", "trials": 2})
    apart = parse_plan(wide).with_episodes()
    assert len(apart.episodes) == len({unit for unit, _ in apart.episodes}) == 30
    together = parse_plan(make_config({"clinic": "demo", "scenarios": "series:5", "trials": 2})).with_episodes()
    assert {unit for unit, _ in together.episodes} == {"series:tool:0", "series:tool:1"}
    assert [spec.position for _, spec in together.episodes][:5] == [0, 1, 2, 3, 4]


async def test_an_estimate_counts_calls_and_prices_them() -> None:
    cast = "nurse=openai:gpt-5-mini,all=understudy"
    found = await estimate(make_config({"clinic": "demo", "scenarios": "100", "cast": cast}))
    assert found.episodes == 100
    assert found.roles["nurse"].calls >= 200
    assert (found.roles["nurse"].cost_usd or 0) > 0
    assert found.roles["caller"].cost_usd == 0
    assert "nurse (openai:gpt-5-mini)" in found.as_text()


def test_clinics_are_found_by_their_folders() -> None:
    assert "demo" in clinic_modules()
