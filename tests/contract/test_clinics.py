from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from polyclinic.errors import DataError
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.testing import contract, shape

CLINICS = sorted(clinic_modules())


@pytest.mark.parametrize("name", CLINICS)
def test_a_clinic_has_every_room(name: str) -> None:
    shape.check_shape(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
def test_rooms_have_the_same_entry_names_in_every_clinic(name: str) -> None:
    shape.check_rooms(load_clinic(name))


def other_lint(path: str) -> list[str]:
    return []


async def short_of_arguments() -> str:
    return "done"


def not_async(episode: object) -> str:
    return "done"


def test_an_entry_must_be_the_one_that_its_room_offers() -> None:
    with pytest.raises(AssertionError, match="demo: lint= must be lint of the room scenario"):
        shape.check_rooms(replace(load_clinic("demo"), lint=other_lint))


@pytest.mark.parametrize(
    ("entry", "wrong", "says"),
    [
        ("flow", short_of_arguments, r"flow\.flow must take \(episode\): too many positional arguments"),
        ("flow", not_async, "must be an async function"),
        ("report", "a text", r"report\.report must take \(results\): it is not a function"),
    ],
)
def test_an_entry_must_take_what_the_engine_gives_it(
    entry: str, wrong: Any, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = replace(load_clinic("demo"), **{entry: wrong})
    monkeypatch.setattr(import_module(f"polyclinic.clinics.demo.{entry}"), entry, wrong)
    with pytest.raises(AssertionError, match=says):
        shape.check_rooms(changed)


@pytest.mark.parametrize("name", CLINICS)
@pytest.mark.parametrize("selector", ["none.jsonl", "none.yaml", "none.odd", "folder/none"])
def test_a_scenario_file_that_is_missing_is_named_in_one_form(name: str, selector: str) -> None:
    with pytest.raises(DataError) as error:
        load_clinic(name).scenarios(selector, 0)
    assert str(error.value) == f"{selector}: there is no such file"


@pytest.mark.parametrize(
    ("name", "file", "reads"),
    [
        ("frontdesk", "d.jsonl", "TOML, YAML and JSON"),
        ("patient", "d.toml", r"\.csv, \.json"),
        ("demo", "", "JSON lines"),
    ],
)
def test_a_path_that_a_clinic_cannot_read_is_not_called_an_unknown_name(
    name: str, file: str, reads: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    if file:
        path.write_text("{}")
    with pytest.raises(DataError, match=rf"{path}: not a file that this clinic reads \(it reads {reads}"):
        load_clinic(name).scenarios(str(path), 0)


@pytest.mark.parametrize("name", CLINICS)
def test_live_sessions_are_fully_described(name: str) -> None:
    shape.check_service(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
def test_training_data_names_only_what_exists(name: str) -> None:
    shape.check_dataset(load_clinic(name))


def test_a_dataset_that_names_an_unknown_judge_or_variant_is_refused() -> None:
    demo = load_clinic("demo")
    for wrong in ({"judges": ("nobody",)}, {"variants": ("never",)}, {"least_reward": 2.0}):
        data = type("Wrong", (type(demo.dataset),), wrong)()
        with pytest.raises(AssertionError, match="demo/dataset"):
            shape.check_dataset(replace(demo, dataset=data))


@pytest.mark.parametrize("name", CLINICS)
def test_prompts_fit_their_templates_and_have_understudies(name: str) -> None:
    shape.check_words(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
async def test_every_variant_runs_without_failures(name: str) -> None:
    await contract.check_variants(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
async def test_concurrency_does_not_change_a_byte(name: str) -> None:
    await contract.check_determinism(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
async def test_a_stopped_run_resumes_to_the_same_bytes(name: str) -> None:
    await contract.check_resume(load_clinic(name))


@pytest.mark.parametrize("name", CLINICS)
async def test_nonsense_from_a_model_ends_in_failures_with_an_owner(name: str) -> None:
    await contract.check_nonsense(load_clinic(name))
