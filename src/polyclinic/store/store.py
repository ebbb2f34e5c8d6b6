"""The store: one database, opened and migrated, with one object for each group of tables."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from polyclinic.core.database import Database
from polyclinic.store.audit_log import AuditLog
from polyclinic.store.classes import Classes
from polyclinic.store.connections import LOCK_WAIT_S
from polyclinic.store.facts import EpisodeFacts
from polyclinic.store.journal import StoreCache, StoreJournal
from polyclinic.store.keyed_answers import KeyedAnswers
from polyclinic.store.libraries import Libraries
from polyclinic.store.opening import OWN_FOLDER, open_database, refuse_missing, sqlite_path
from polyclinic.store.packets import Packets
from polyclinic.store.posts import Posts
from polyclinic.store.runs import Runs
from polyclinic.store.schema import migrate
from polyclinic.store.scores import Scores
from polyclinic.store.staff import Owners, StaffAccounts
from polyclinic.store.words import EpisodeWords

DEFAULT_STORE = f"{OWN_FOLDER}/store.db"


def default_store() -> str:
    """Where runs are kept when no store is named: $POLYCLINIC_STORE, else a file below the current folder."""
    return os.environ.get("POLYCLINIC_STORE") or DEFAULT_STORE


def folder_of(url: str) -> Path:
    """The folder for files that belong to a store: the folder of its file, or else of the default store."""
    path = sqlite_path(url)
    return Path(path if path and path != ":memory:" else DEFAULT_STORE).expanduser().parent


class Store:
    """A store: runs, scores, hand-overs, libraries and all other stored data."""

    def __init__(self, database: Database, url: str) -> None:
        self.database, self.url = database, url
        self.runs, self.scores, self.posts = Runs(database), Scores(database), Posts(database)
        self.libraries, self.cache = Libraries(database), StoreCache(database)
        self.staff, self.audit_log = StaffAccounts(database), AuditLog(database)
        self.keyed_answers, self.classes = KeyedAnswers(database), Classes(database)
        self.owners, self.facts = Owners(database), EpisodeFacts(database)
        self.packets, self.words = Packets(database), EpisodeWords(database)

    def journal(self, run: str) -> StoreJournal:
        """The journal of one run."""
        return StoreJournal(self.database, run)


@asynccontextmanager
async def open_store(
    url: str = "",
    *,
    must_exist: bool = False,
    lock_wait_s: float = LOCK_WAIT_S,
    longest_s: float | None = None,
) -> AsyncIterator[Store]:
    """Open a store by URL and upgrade it to the newest schema; it is closed at the end.

    With `must_exist`, a named file that does not exist is an error: a mistyped name would create a new, empty store.
    The default store may be missing, because it is where everybody begins. `lock_wait_s` and `longest_s`: see
    `open_database`.
    """
    url = url or default_store()
    if must_exist and url != DEFAULT_STORE:
        refuse_missing(url)
    database = open_database(url, lock_wait_s=lock_wait_s, longest_s=longest_s)
    try:
        await database.write(migrate)
        yield Store(database, url)
    finally:
        await database.close()
