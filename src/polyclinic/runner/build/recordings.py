"""Recorded runs as models: ``replay:RUN`` gives the answers that are in that run's journal."""

from __future__ import annotations

from collections.abc import Iterable

from polyclinic.core.model import Completion
from polyclinic.errors import ConfigError
from polyclinic.models.cast import CastSpec
from polyclinic.models.replay import Recording
from polyclinic.store.store import Store


async def open_recordings(specs: Iterable[CastSpec], store: Store | None) -> dict[str, Recording]:
    """The recording of every ``replay:RUN`` in a cast, by run id."""
    wanted = sorted({spec.replay_run for spec in specs if spec.replay_run})
    if wanted and store is None:
        raise ConfigError("replay needs a store that holds the recorded run: name it with --store")
    return {run: await _recording(store, run) for run in wanted if store is not None}


async def _recording(store: Store, run: str) -> Recording:
    """The answers in a run's own episodes; answers of later rescorings are left out."""
    row = await store.runs.get(run)
    rows = await store.database.read(
        lambda tx: tx.execute(
            "SELECT c.key, c.occurrence, c.completion FROM calls c "
            "JOIN episodes e ON e.run = c.run AND e.id = c.episode WHERE c.run = ?",
            (row.id,),
        )
    )
    recorded = {(key, int(occurrence)): text for key, occurrence, text in rows}

    def find(key: str, occurrence: int) -> Completion | None:
        text = recorded.get((key, occurrence))
        return None if text is None else Completion.from_json(text)

    return Recording(find, row.players)
