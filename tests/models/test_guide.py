"""The models guide's code is run, block after block, and its tables are compared with the code."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from polyclinic.models.spec import HOSTED, Options, endpoints

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "models.md"
TEXT = GUIDE.read_text(encoding="utf-8")


def test_the_guides_code_runs_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    module = ModuleType("models_guide")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    world: dict[str, Any] = vars(module)
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{GUIDE.name}, block {number}", "exec"), world)
    assert world["strict"] is True


def test_every_option_and_every_host_is_in_the_guide() -> None:
    section = TEXT.partition("## Options")[2].partition("\n## ")[0]
    documented = set(
        re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in section.splitlines() if "|" in line))
    )
    assert documented == set(Options.model_fields)
    for name in endpoints():
        assert f"`{name}:" in TEXT
    assert any(f"`{name}:MODEL`" in TEXT for name in HOSTED)


def test_the_defaults_in_the_guide_are_the_real_ones() -> None:
    for name in ("timeout_s", "idle_s", "total_s", "tries", "concurrency"):
        assert f"| `{name}` | {Options.model_fields[name].default:g} |" in TEXT


def test_every_link_within_the_guide_has_its_heading() -> None:
    headings = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= headings
