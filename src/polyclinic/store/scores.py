"""Scores, kept separately for each scoring: the run's own (live) scoring, and any later rescoring."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.database import Transaction
from polyclinic.core.transcript import Score
from polyclinic.errors import UnknownName
from polyclinic.store.facts import put_values
from polyclinic.store.tables import Tables

LIVE = "live"


def put_scores(
    transaction: Transaction, run: str, episode: str, scoring: str, scores: Sequence[Score], *, first: bool = False
) -> None:
    """Replace one episode's scores of one scoring; `first` means that there are none yet."""
    if not first:
        transaction.execute("DELETE FROM scores WHERE run = ? AND episode = ? AND scoring = ?", (run, episode, scoring))
    transaction.executemany(
        "INSERT INTO scores (run, episode, scoring, number, body) VALUES (?, ?, ?, ?, ?)",
        [(run, episode, scoring, i, score.to_json().decode()) for i, score in enumerate(scores)],
    )
    if scoring == LIVE:
        put_values(transaction, run, episode, scores, first=first)


class Scores(Tables):
    """The scores of a store."""

    async def read(self, run: str, scoring: str) -> dict[str, list[Score]]:
        """The scores of each episode, for one scoring of a run."""
        rows = await self.select(
            "SELECT episode, body FROM scores WHERE run = ? AND scoring = ? ORDER BY episode, number", (run, scoring)
        )
        scores: dict[str, list[Score]] = {}
        for episode, body in rows:
            scores.setdefault(episode, []).append(Score.from_json(body))
        return scores

    async def of_episode(self, run: str, episode: str, scoring: str = LIVE) -> list[Score]:
        """The scores of one episode."""
        rows = await self.select(
            "SELECT body FROM scores WHERE run = ? AND episode = ? AND scoring = ? ORDER BY number",
            (run, episode, scoring),
        )
        return [Score.from_json(row[0]) for row in rows]

    async def scorings(self, run: str) -> list[str]:
        """The names of a run's scorings."""
        rows = await self.select("SELECT DISTINCT scoring FROM scores WHERE run = ? ORDER BY scoring", (run,))
        return [row[0] for row in rows]

    async def require(self, run: str, scoring: str) -> None:
        """Raise an error with the known names if a run has no such scoring. Its own scoring always exists."""
        if scoring == LIVE:
            return
        known = await self.scorings(run)
        if scoring not in known:
            raise UnknownName("scoring of {1}", scoring, {LIVE, *known}, of=run)

    async def put(self, run: str, episode: str, scoring: str, scores: Sequence[Score]) -> None:
        """Save one episode's scores of a scoring; returns after the commit."""
        await self.database.write(lambda tx: put_scores(tx, run, episode, scoring, scores))
