from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from polyclinic.cli.doctor import EXTRAS
from polyclinic.core import extras


def test_from_a_wheel_the_extra_goes_into_the_environment_that_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    assert extras.install_hint("web") == f"{sys.executable} -m pip install 'polyclinic[web]'"
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert extras.install_hint("web") == f"uv pip install --python {sys.executable} 'polyclinic[web]'"


def test_uv_is_named_where_it_is_if_it_is_not_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    (tmp_path / ".uv" / "bin").mkdir(parents=True)
    (tmp_path / ".uv" / "bin" / "uv").touch()
    assert extras.installer() == f"{tmp_path}/.uv/bin/uv pip install --python {sys.executable}"


def test_from_a_clone_the_extra_is_named_by_the_folder() -> None:
    root = Path(__file__).resolve().parents[2]
    assert extras.install_hint("web").endswith(f"pip install -e '{root}[web]'")


MISSING = (
    *("fastapi", "argon2", "ray", "psycopg", "opentelemetry", "pypdf", "joserfc"),
    *("pydantic_ai", "xllamacpp", "torch", "transformers"),
)
START = """
import sys
from pathlib import Path
for name in {missing}:
    sys.modules[name] = None
from polyclinic.core import extras
extras._ROOT = Path({root!r})
from polyclinic.cli.main import main
sys.argv[0] = "polyclinic"
main()
"""
"""Starts the command line as if no extra was installed, and the package lay in this folder."""

NEEDS = {
    ("web",): "web",
    ("serve", "counsel"): "web",
    ("staff", "add", "ann", "--role", "supervisor"): "web",
    ("run", "demo", "--on", "ray", "--store", "postgresql://nobody@127.0.0.1/none"): "cluster",
    ("run", "demo", "--store", "postgresql://nobody@127.0.0.1/none"): "postgres",
    ("run", "demo", "--cast", "nurse=anthropic:some-model"): "hosted",
    ("run", "demo", "--cast", "nurse=local:model.gguf"): "local",
    ("run", "demo", "--cast", "nurse=local:weights"): "train",
    ("run", "demo", "--scenarios", "1"): "otel",
    ("ingest", "documents", "--out", "documents.jsonl"): "pdf",
    ("fhir", "serve", "--smart", "clients.json"): "smart",
}


@pytest.mark.parametrize("words", NEEDS, ids=" ".join)
def test_a_command_without_its_extra_names_what_installs_it(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "one.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "weights").mkdir()
    for name, text in (("weights/config.json", "{}"), ("clients.json", "[]"), ("model.gguf", "GGUF")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    _refused(tmp_path, MISSING, words, NEEDS[words])


def test_a_part_of_opentelemetry_that_another_package_brought_is_not_enough(tmp_path: Path) -> None:
    _refused(tmp_path, ("opentelemetry.exporter",), ("run", "demo", "--scenarios", "1"), "otel")


def _refused(folder: Path, missing: tuple[str, ...], words: tuple[str, ...], extra: str) -> None:
    """The command without these packages says in one line how to install the extra."""
    keys = {"ANTHROPIC_API_KEY": "none", "POLYCLINIC_OTEL": "1" if extra == "otel" else ""}
    command = (sys.executable, "-c", START.format(missing=missing, root=str(folder)), *words)
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **keys}, input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1 and f"pip install 'polyclinic[{extra}]'\n" in done.stderr


def test_the_doctor_command_knows_every_extra() -> None:
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert set(EXTRAS) == set(tomllib.loads(text)["project"]["optional-dependencies"])
