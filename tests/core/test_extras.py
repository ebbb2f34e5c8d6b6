from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polyclinic.core import extras


def test_from_a_wheel_the_extra_goes_into_the_environment_that_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    assert extras.install_hint("web") == f"{sys.executable} -m pip install 'polyclinic[web]'"
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert extras.install_hint("web") == f"uv pip install --python {sys.executable} 'polyclinic[web]'"


def test_from_a_clone_the_extra_is_named_by_the_folder() -> None:
    root = Path(__file__).resolve().parents[2]
    assert extras.install_hint("web").endswith(f"pip install -e '{root}[web]'")
