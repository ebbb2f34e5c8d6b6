"""The store: one database, opened and migrated, with its rooms."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from polyclinic.core.database import Database
from polyclinic.store.audit_log import AuditLog
from polyclinic.store.classes import Classes
from polyclinic.store.facts import EpisodeFacts
from polyclinic.store.journal import StoreCache, StoreJournal
from polyclinic.store.keyed_answers import KeyedAnswers
from polyclinic.store.libraries import Libraries
from polyclinic.store.opening import open_database, refuse_missing, sqlite_path
from polyclinic.store.owners import Owners
from polyclinic.store.packets import Packets
from polyclinic.store.posts import Posts
from polyclinic.store.runs import Runs
from polyclinic.store.schema import migrate
from polyclinic.store.scores import Scores
from polyclinic.store.staff import StaffAccounts
from polyclinic.store.words import EpisodeWords

DEFAULT_STORE = ".polyclinic/store.db"


def default_store() -> str:
    """Where runs are kept when no store is named: $POLYCLINIC_STORE, else a file below the current folder."""
    return os.environ.get("POLYCLINIC_STORE") or DEFAULT_STORE


def folder_of(url: str) -> Path:
    """Where files beside a store belong: its own folder, or the default store's where it has no file."""
    path = sqlite_path(url)
    return Path(path if path and path != ":memory:" else DEFAULT_STORE).expanduser().parent


class Store:
    """Everything that is kept."""

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
async def open_store(url: str = "", *, must_exist: bool = False) -> AsyncIterator[Store]:
    """A store by URL, brought to the present schema; closed on leaving.

    With `must_exist`, a named file that is not there is an error: a mistyped name would make a new, empty store. The
    default store may be missing, because it is where everybody begins.
    """
    url = url or default_store()
    if must_exist and url != DEFAULT_STORE:
        refuse_missing(url)
    database = open_database(url)
    try:
        await database.write(migrate)
        yield Store(database, url)
    finally:
        await database.close()
