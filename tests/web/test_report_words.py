"""A report is Korean on a Korean page: its titles, captions, columns, notes and sentences."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyclinic.runner.registry import load_clinic
from polyclinic.web.app import create_web
from polyclinic.web.fixed_words import Korean, korean_words
from tests.sources import clinics_of_the_package

FEW = {"frontdesk": "primary:1:20"}
CODES = re.compile(r"[A-Z0-9_ Δ,()=.-]*")
"""Short names of figures and codes stay as they are."""


def _texts(part: Any) -> Iterator[str]:
    """What a report says, without what a case or an episode holds: pictures, dialogues, cells, names of episodes."""
    if isinstance(part, list):
        for one in part:
            yield from _texts(one)
    elif isinstance(part, dict) and part.get("kind") not in ("dialogue", "picture"):
        yield from (part[name] for name in ("title", "caption", "note") if isinstance(part.get(name), str))
        yield from (part["text"],) if part.get("kind") == "paragraph" else ()
        yield from part["columns"] if part.get("kind") == "table" else ()
        yield from (text for value in part.values() for text in _texts(value))


@pytest.mark.slow
@pytest.mark.parametrize("name", clinics_of_the_package())
async def test_every_fixed_text_of_a_report_has_its_korean(name: str, tmp_path: Path) -> None:
    variants, korean = list(load_clinic(name).variants)[:3], Korean(korean_words())
    app = create_web(str(tmp_path / "s.db"), "start-up")
    head = {"Authorization": "Bearer start-up"}
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8040", headers=head)
    async with app.router.lifespan_context(app), client:
        plan = {"clinic": name, "scenarios": FEW.get(name, "2"), "variants": variants}
        run = (await client.post("/api/runs", json=plan)).json()["id"]
        async with asyncio.timeout(300):
            while (await client.get(f"/api/runs/{run}")).json()["left"]:
                await asyncio.sleep(0.2)
        report = (await client.get(f"/api/runs/{run}/report", timeout=120)).json()
    names = {*variants, *(f"primary, {one}" for one in variants)}
    texts = {text for text in _texts(report["sections"]) if not CODES.fullmatch(text)} - names
    assert len(texts) > 20
    assert [text for text in sorted(texts) if not re.search("[가-힣]", korean.fixed(text))] == []
    assert [text for text in sorted(texts) if re.search(r"\b[a-z]{3,}( [a-z]{2,}){2,}", korean.fixed(text))] == []
