"""Which clinics are found, inside and outside the source tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyclinic.errors import ConfigError
from polyclinic.runner.registry import PATH_VARIABLE, clinic_modules, load_clinic


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(PATH_VARIABLE, str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    clinic_modules.cache_clear()
    yield tmp_path
    clinic_modules.cache_clear()


def package(folder: Path, flow: str) -> None:
    (folder / flow).parent.mkdir(parents=True)
    (folder / flow).write_text("async def flow(episode): ...\n")
    (folder / "__init__.py").write_text("")


def test_a_clinic_outside_the_source_tree_is_found_with_its_flow_as_a_file_or_a_folder(outside: Path) -> None:
    package(outside / "ward_with_a_file", "flow.py")
    package(outside / "ward_with_a_folder", "flow/__init__.py")
    package(outside / "no_clinic", "other/flow.py")
    assert {"ward_with_a_file", "ward_with_a_folder"} <= set(clinic_modules())
    assert "no_clinic" not in clinic_modules()


def test_a_clinic_in_the_folder_at_hand_is_named_with_what_makes_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clinics" / "knees").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=rf"export POLYCLINIC_PATH={tmp_path / 'clinics'}"):
        load_clinic("knees")
