"""Fixtures that the slow tests of training share."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.store.store import open_store
from polyclinic.training.dataset import DatasetRequest, gather
from polyclinic.training.files import as_json, pairs_of


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of a few moments, each with a good and a poor answer, under short prompts; and a tiny model."""
    from tests.training.tiny import write_tiny

    folder = tmp_path_factory.mktemp("training")
    poor = "tutor=understudy:mistake=tells@1,all=understudy"

    async def rows() -> list[dict[str, Any]]:
        async with open_store("sqlite://:memory:") as store:
            wish = DatasetRequest(folder, "rounds", 40, casts=(poor,), variants=("one-student",))
            found = (await gather(store, wish)).rows
        pairs = [pair for pair in pairs_of(found) if pair.worse.reward is not None and pair.worse.reward > 0][:2]
        assert len(pairs) == 2, "each moment has a sound answer that tells and a better one that asks"
        return [as_json(row) for pair in pairs for row in (pair.better, pair.worse)]

    made = asyncio.run(rows())
    for number, row in enumerate(made):
        row["prompt"] = [{"role": "user", "content": [{"type": "text", "text": f"moment {number // 2}"}]}]
    (folder / "train.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in made))
    pairs = [_pair(better, worse) for better, worse in zip(made[::2], made[1::2], strict=True)]
    (folder / "pairs-train.jsonl").write_bytes(b"".join(orjson.dumps(pair) + b"\n" for pair in pairs))
    write_tiny(folder / "tiny", made)
    return folder


def _pair(better: dict[str, Any], worse: dict[str, Any]) -> dict[str, Any]:
    return {"prompt": better["prompt"], "chosen": better["completion"], "rejected": worse["completion"]}
