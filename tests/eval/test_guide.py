"""The evaluation guide's code is run, block after block, so that the guide stays correct."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "evaluation.md"


def test_the_guides_code_runs_unchanged() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 9
    world: dict[str, Any] = {"__name__": "guide"}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{GUIDE.name}, block {number}", "exec"), world)
    assert world["manners"].name == "manners" and world["judge"].k_samples == 3


def test_every_link_within_the_guide_has_its_heading() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings
