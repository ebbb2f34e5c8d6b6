"""Commits of episodes that depend on each other. They are submitted in order, without waiting for each commit.

In a campaign, an episode continues as soon as the commit of the episode before it is submitted. The database commits in
the order of submission, so no episode is committed without the earlier ones it depends on. If a commit is refused,
every later one depends on something that never happened and is refused too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polyclinic.core.database import Transaction
from polyclinic.errors import EngineError


class ChainBroken(EngineError):
    """A commit was refused because an earlier one was refused.

    The campaign is opened again from what is committed.
    """


class CommitChain:
    """The ends of the episodes of one campaign, numbered in the order in which they are submitted."""

    def __init__(self) -> None:
        self._last: Link | None = None
        self.refused: int | None = None
        """The number of the first end that was refused; None if no end was refused."""

    def next(self, run: str, episode: str) -> Link:
        """Add a new link for the episode whose end is now submitted."""
        before = self._last
        number = 0 if before is None else before.number + 1
        self._last = Link(self, run, episode, number, "" if before is None else before.episode)
        return self._last


@dataclass(frozen=True)
class Link:
    """The end of one episode in its chain; `before` is the episode just before it."""

    chain: CommitChain
    run: str
    episode: str
    number: int
    before: str

    @contextmanager
    def held(self, transaction: Transaction) -> Iterator[None]:
        """A context in which the end of this episode is written, in the database's own thread. Writing may be retried.

        `CommitChain.refused` shows whether an earlier end was refused. The database shows whether the commit of
        the earlier episode's end failed.
        """
        chain = self.chain
        if (chain.refused is not None and chain.refused < self.number) or self._hangs(transaction):
            raise ChainBroken("an earlier episode that this one depends on was not committed")
        try:
            yield
        except Exception:
            chain.refused = self.number if chain.refused is None else min(chain.refused, self.number)
            raise
        if chain.refused == self.number:
            chain.refused = None

    def _hangs(self, transaction: Transaction) -> bool:
        if not self.before:
            return False
        statement = "SELECT status FROM episodes WHERE run = ? AND id = ?"
        return [row[0] for row in transaction.execute(statement, (self.run, self.before))] == ["pending"]
