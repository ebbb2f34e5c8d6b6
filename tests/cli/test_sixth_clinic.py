"""A sixth clinic breaks no test: not in a copy of this repository, and not in a package of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from polyclinic.runner.registry import PATH_VARIABLE
from tests.sources import clinics_of_the_package

ROOT = Path(__file__).parents[2]
WALKS = re.compile(r"\bclinic_modules\b|\btests\.sources\b")
"""How a test file gets at all clinics, or at the whole source."""
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "dist")


def walking(tests: Path) -> list[str]:
    """The test files that walk over all clinics. Those in `browser` need Chromium."""
    return [
        str(path)
        for path in sorted(tests.rglob("test_*.py"))
        if WALKS.search(path.read_text(encoding="utf-8")) and "browser" not in path.parts and path.name != _own_name()
    ]


def _own_name() -> str:
    return Path(__file__).name


def call(tree: Path, *words: str, **environment: str) -> str:
    """Run a command of the copied tree, with the copied package; returns what it printed."""
    known = {**os.environ, "PYTHONPATH": str(tree / "src"), **environment}
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=tree, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("into", ["src/polyclinic/clinics", "elsewhere"])
def test_all_tests_that_walk_over_clinics_pass_with_a_new_clinic_and_no_other_change(into: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    call(tree, "polyclinic", "new", "sixth_ward", "--into", into)
    environment = {} if into.startswith("src") else {PATH_VARIABLE: str(tree / into)}
    shipped = " and ".join(f"not [{name}" for name in clinics_of_the_package())
    files = walking(tree / "tests")
    assert len(files) > 12
    if into.startswith("src"):
        call(tree, "ruff", "check", "src", "tests")
        call(tree, "ruff", "format", "--check", "src", "tests")
    options = ("-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile", "-k", shipped)
    found = call(tree, "pytest", *options, *files, **environment)
    assert int(re.findall(r"(\d+) passed", found)[-1]) > 100
    named = call(tree, "pytest", "--collect-only", "-q", "-k", "[sixth_ward", *files, **environment)
    assert len(re.findall(r"\[sixth_ward", named)) > 10
