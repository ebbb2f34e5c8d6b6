"""The rows of one page of episodes, and which of them hold a phrase, read from the store."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from pydantic import BaseModel

from polyclinic.core.database import Transaction
from polyclinic.core.model import NANO
from polyclinic.store.words import as_pattern

_NAMES = ("number", "id", "scenario", "variant", "trial", "status", "outcome", "calls", "elapsed_ms")


class EpisodeShown(BaseModel):
    """An episode in a table."""

    id: str
    number: int
    scenario: str
    variant: str
    trial: int
    status: str
    outcome: str
    owners: list[str]
    calls: int
    cost_usd: float
    elapsed_ms: int
    values: dict[str, float]


def episodes_shown(tx: Transaction, run: str, numbers: Sequence[int]) -> list[EpisodeShown]:
    """These episodes with their values, in this order."""
    if not numbers:
        return []
    marks = ", ".join("?" * len(numbers))
    rows = tx.execute(
        f"SELECT {', '.join(_NAMES)}, owners, cost_nano FROM episode_facts WHERE run = ? AND number IN ({marks})",
        (run, *numbers),
    )
    values: dict[str, dict[str, float]] = {}
    marks = ", ".join("?" * len(rows))
    found = tx.execute(  # no ORDER BY: the database would then read the values of all episodes
        f"SELECT metric, episode, value FROM episode_values WHERE run = ? AND episode IN ({marks})",
        (run, *(row[1] for row in rows)),
    )
    for metric, episode, value in sorted(found):
        values.setdefault(episode, {})[metric] = float(value)
    shown = {
        int(row[0]): EpisodeShown.model_validate(
            {
                **dict(zip(_NAMES, row, strict=False)),
                "owners": [owner for owner in str(row[-2]).split("|") if owner],
                "cost_usd": int(row[-1]) / NANO,
                "values": values.get(row[1], {}),
            }
        )
        for row in rows
    }
    return [shown[number] for number in numbers if number in shown]


def with_phrase(tx: Transaction, run: str, numbers: Sequence[int], phrase: str) -> set[int]:
    """The episodes among these whose transcripts hold exactly this phrase; upper and lower case are the same."""
    given: object = numbers
    if tx.dialect == "sqlite":
        among, given, like = "IN (SELECT value FROM json_each(?))", orjson.dumps(numbers).decode(), "LIKE"
    else:
        among, like = "= ANY(CAST(? AS BIGINT[]))", "ILIKE"
    rows = tx.execute(
        "SELECT f.number FROM episode_facts f JOIN episodes e ON e.run = f.run AND e.id = f.id "
        f"WHERE f.run = ? AND f.number {among} AND e.transcript {like} ? ESCAPE '!'",
        (run, given, f"%{as_pattern(orjson.dumps(phrase).decode()[1:-1])}%"),
    )
    return {int(number) for (number,) in rows}
