"""Every exception to a lint or dead-code rule is needed: without it, some code would fail the check."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
LONGEST_MODULE = 320
"""Lines. Most modules have 100 to 250."""
UNUSED = re.compile(r"unused \S+ '([^']+)'")


@pytest.mark.slow
def test_every_entry_in_the_list_of_dead_code_is_needed() -> None:
    """Vulture without its list finds at least one thing for each entry."""
    vulture = TOOLS["vulture"]
    words = [
        sys.executable, "-m", "vulture", "--config", "/dev/null", f"--min-confidence={vulture['min_confidence']}",
        "--ignore-decorators", ",".join(vulture["ignore_decorators"]), *vulture["paths"],
    ]  # fmt: skip
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    found = set(UNUSED.findall(told.stdout))
    assert len(found) > 20, told.stderr
    assert [name for name in vulture["ignore_names"] if not any(fnmatchcase(one, name) for one in found)] == []


@pytest.fixture(scope="module")
def breaches() -> set[tuple[str, str]]:
    """Code and file of everything that ruff finds if nothing is ignored."""
    ignored = TOOLS["ruff"]["lint"]["ignore"] + [
        code for codes in TOOLS["ruff"]["lint"]["per-file-ignores"].values() for code in codes
    ]
    words = [
        sys.executable, "-m", "ruff", "check", "--isolated", "--target-version", "py311", "--output-format", "json",
        "--exclude", ",".join(TOOLS["ruff"]["exclude"]), "--select", ",".join(ignored), ".",
    ]  # fmt: skip
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return {(one["code"], str(Path(one["filename"]).relative_to(ROOT))) for one in json.loads(told.stdout)}


def test_every_rule_that_ruff_ignores_would_find_something(breaches: set[tuple[str, str]]) -> None:
    codes = {code for code, _ in breaches}
    assert [code for code in TOOLS["ruff"]["lint"]["ignore"] if code not in codes] == []


def test_every_rule_that_ruff_ignores_in_some_files_would_find_something_there(breaches: set[tuple[str, str]]) -> None:
    idle = [
        f"{place}: {code}"
        for place, codes in TOOLS["ruff"]["lint"]["per-file-ignores"].items()
        for code in codes
        if not any(found.startswith(code) and fnmatchcase(file, place) for found, file in breaches)
    ]
    assert idle == []


def test_the_hosted_workflow_has_what_the_tests_need_and_runs_every_version() -> None:
    """Without a database or a browser, the tests that need it would be skipped without a word."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    declared = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert len(declared) == 3
    assert jobs["test"]["strategy"]["matrix"]["python"] == jobs["wheel"]["strategy"]["matrix"]["python"] == declared
    assert "postgres" in jobs["test"]["services"] and "POLYCLINIC_TEST_POSTGRES" in jobs["test"]["env"]
    done = [step.get("run", "") for step in jobs["test"]["steps"]]
    browser = next(at for at, words in enumerate(done) if "playwright install --with-deps chromium" in words)
    assert "fonts-nanum" in done[browser] and "POLYCLINIC_TEST_CHROMIUM=" in done[browser]
    assert "make coverage" in done[browser + 1]
    assert any("make check" in step.get("run", "") for step in jobs["check"]["steps"])
    assert any("make wheel" in step.get("run", "") for step in jobs["wheel"]["steps"])


def test_the_docs_give_the_coverage_limit_that_is_enforced() -> None:
    told = re.findall(r"\b(\d\d(?:\.\d)?) %", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert told and set(told) == {str(TOOLS["coverage"]["report"]["fail_under"])}


@pytest.mark.parametrize(
    ("rule", "setting"), [("C901", ("mccabe", "max-complexity")), ("PLR0913", ("pylint", "max-args"))]
)
def test_a_limit_is_no_higher_than_what_the_code_needs(rule: str, setting: tuple[str, str]) -> None:
    group, name = setting
    lower = TOOLS["ruff"]["lint"][group][name] - 1
    words = [sys.executable, "-m", "ruff", "check", "--select", rule, "--config", f"lint.{group}.{name}={lower}", "."]
    assert subprocess.run(words, cwd=ROOT, capture_output=True, check=False).returncode == 1


def test_no_module_of_the_package_is_too_long() -> None:
    long = [str(path) for path in (ROOT / "src").rglob("*.py") if len(path.read_bytes().splitlines()) > LONGEST_MODULE]
    assert long == []
