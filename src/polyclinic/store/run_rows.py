"""Runs and episodes as the store keeps them: their rows, read into typed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from polyclinic.core.episode import EpisodeSpec


@dataclass(frozen=True)
class RunRow:
    """A run as it is stored."""

    id: str
    clinic: str
    config: dict[str, Any]
    players: dict[str, Any]
    created_ms: int


@dataclass(frozen=True)
class StoredEpisode:
    """An episode as it is stored. `recorded`: its journal may have entries."""

    spec: EpisodeSpec
    unit: str
    number: int
    status: str
    attempt: int
    outcome: str
    usage: dict[str, dict[str, int]]
    elapsed_ms: int
    recorded: bool = True


EPISODE_COLUMNS = (
    "id, number, unit, scenario, variant, trial, campaign, position, wave, status, attempt, outcome, usage, elapsed_ms"
)


def run_row(row: Sequence[Any]) -> RunRow:
    """Read a row of the table of runs."""
    return RunRow(row[0], row[1], orjson.loads(row[2]), orjson.loads(row[3]), int(row[4]))


def episode_row(run: str, seed: int, clinic: str, row: Sequence[Any]) -> StoredEpisode:
    """Read a row with `EPISODE_COLUMNS`."""
    id, number, unit, scenario, variant, trial, campaign, position, wave, status, attempt, outcome, usage, elapsed = row
    spec = EpisodeSpec(id, clinic, scenario, variant, int(trial), seed, run, campaign, int(position), int(wave))
    return StoredEpisode(spec, unit, int(number), status, int(attempt), outcome, orjson.loads(usage), int(elapsed))
