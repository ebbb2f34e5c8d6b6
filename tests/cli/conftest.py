from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyclinic.cli.main import invoke
from polyclinic.runner.registry import clinic_modules


@dataclass(frozen=True)
class Done:
    """The exit code and the output of a command."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def polyclinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in an empty folder, in this process; only the start of the interpreter is not tested."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POLYCLINIC_STORE", raising=False)

    def call(*words: str, stdin: str = "", **environment: str) -> Done:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        clinic_modules.cache_clear()
        code = invoke(words)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call


def as_json(done: Done) -> Any:
    """Parse the output of --json; standard output must hold nothing else."""
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)
