"""Export rows from a store as JSON lines, CSV and Parquet, in the planned order. The same run gives the same bytes."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from polyclinic.core.transcript import Called
from polyclinic.core.value import plain
from polyclinic.errors import ConfigError
from polyclinic.store.scores import LIVE
from polyclinic.store.store import Store

What = Literal["episodes", "events", "calls", "scores"]
ExportRow = dict[str, Any]


async def export_rows(
    store: Store, run: str, what: What, *, timings: bool = False, scoring: str = LIVE
) -> AsyncIterator[ExportRow]:
    """The rows of one kind. Timings differ from run to run, so they are left out unless asked for.

    Scores are those of one scoring. If it is not the run's own scoring, rows with scores name it.
    """
    row = await store.runs.get(run)
    scenarios = await store.runs.scenarios(row.id)
    scores = await store.scores.read(row.id, scoring)
    named = {} if scoring == LIVE else {"scoring": scoring}
    for episode in await store.runs.episodes(row.id, row.config["seed"], row.clinic):
        spec = episode.spec
        base: ExportRow = {
            "run": row.id,
            "clinic": row.clinic,
            "episode": spec.id,
            "scenario": spec.scenario,
            "variant": spec.variant,
            "trial": spec.trial,
        }
        if what == "scores":
            for score in scores.get(spec.id, []):
                yield {**base, **named, **plain(score)}
            continue
        transcript = await store.runs.transcript(row.id, spec.id)
        if what == "episodes":
            whole = {
                **base,
                **named,
                "status": episode.status,
                "outcome": episode.outcome,
                "start": orjson.loads(scenarios[spec.scenario]),
                "events": orjson.loads(transcript.to_json()),
                "scores": [plain(score) for score in scores.get(spec.id, [])],
                "usage": episode.usage,
            }
            yield {**whole, "elapsed_ms": episode.elapsed_ms} if timings else whole
        elif what == "events":
            for event in transcript:
                yield {**base, **plain(event)}
        else:
            async for call in _calls(store, row.id, spec.id, transcript.of(Called), timings):
                yield {**base, **call}


async def _calls(
    store: Store, run: str, episode: str, called: Sequence[Called], timings: bool
) -> AsyncIterator[ExportRow]:
    rows = await store.database.read(
        lambda tx: tx.execute(
            "SELECT key, occurrence, request, completion, latency_ms FROM calls WHERE run = ? AND episode = ?",
            (run, episode),
        )
    )
    kept = {
        (key, int(occurrence)): (request, completion, latency) for key, occurrence, request, completion, latency in rows
    }
    for event in called:
        request, completion, latency = kept[(event.key, event.occurrence)]
        line = {
            "role": event.role,
            "prompt": event.prompt,
            "model": event.model,
            "attempt": event.attempt,
            "request": orjson.loads(request),
            "completion": orjson.loads(completion),
        }
        yield {**line, "latency_ms": latency} if timings else line


async def write_jsonl(path: Path, rows: AsyncIterator[ExportRow]) -> int:
    """Write one JSON object per line, with sorted keys; returns the number of rows."""
    count = 0
    with path.open("wb") as file:
        async for row in rows:
            file.write(orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n")
            count += 1
    return count


async def write_csv(path: Path, rows: AsyncIterator[ExportRow], first: Sequence[str] = ()) -> int:
    """Write a CSV file with one header; nested values become JSON text. Returns the number of rows.

    The columns `first` come first, even if there is no row.
    """
    gathered = [row async for row in rows]
    columns = list(dict.fromkeys([*first, *(name for row in gathered for name in row)]))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in gathered:
            writer.writerow([_cell(row.get(name)) for name in columns])
    return len(gathered)


def _cell(value: object) -> object:
    if isinstance(value, (dict, list, tuple)):
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return value


async def write_parquet(path: Path, rows: AsyncIterator[ExportRow]) -> int:
    """Write a Parquet file; nested values become JSON text. Returns the number of rows."""
    gathered = [row async for row in rows]
    parquet_from_rows(path, gathered)
    return len(gathered)


def parquet_from_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of plain data as one Parquet table.

    Integers, floats and booleans keep their type; everything else becomes text.
    """
    import arro3.core as arrow
    import arro3.io

    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        columns[name] = arrow.Array(*_column(values, arrow.DataType))
    if not columns:
        raise ConfigError("there is nothing to export yet")
    arro3.io.write_parquet(arrow.Table.from_pydict(columns), str(path))


def _column(values: Sequence[Any], types: Any) -> tuple[list[Any], Any]:
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return list(values), types.bool()
    if present and all(isinstance(value, int) and not isinstance(value, bool) for value in present):
        return list(values), types.int64()
    if present and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
        return [None if value is None else float(value) for value in values], types.float64()
    return [_text(value) for value in values], types.utf8()


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
