"""Preference pairs: two outputs for the same prompt, one with a clearly higher reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from polyclinic.core.dataset import ChatTurn, Row

MARGIN = 2.0
"""The least difference in reward between the two outputs of a pair."""


@dataclass(frozen=True)
class Pair:
    """A prompt with a better and a worse completion."""

    better: Row
    worse: Row

    @property
    def split(self) -> str:
        """The split (train or test) of the case."""
        return self.better.split

    def as_json(self) -> dict[str, Any]:
        """The columns that DPO trainers read, and the origin of the pair."""
        return {
            "id": f"{self.better.id}>{self.worse.id}",
            "case": self.better.case,
            "images": [f"images/{name}" for name in self.better.images],
            "prompt": self.better.prompt,
            "chosen": self.better.completion,
            "rejected": self.worse.completion,
            "chosen_reward": self.better.reward,
            "rejected_reward": self.worse.reward,
            "context": self.better.context,
        }


def pairs_of(rows: Sequence[Row], margin: float = MARGIN) -> list[Pair]:
    """Pair the best output of every prompt with each output that is worse by the margin.

    The pairs are in the order of the rows.
    """
    groups: dict[bytes, list[Row]] = {}
    for row in rows:
        if row.reward is not None:
            groups.setdefault(_prompt_key(row.prompt), []).append(row)
    made: list[Pair] = []
    for group in groups.values():
        best = max(group, key=_reward)
        made += [Pair(best, row) for row in group if _reward(best) - _reward(row) >= margin]
    return made


def _reward(row: Row) -> float:
    return row.reward if row.reward is not None else float("-inf")


def _prompt_key(prompt: Sequence[ChatTurn]) -> bytes:
    return orjson.dumps(prompt)
