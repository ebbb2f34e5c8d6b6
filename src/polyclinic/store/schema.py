"""The store's tables, as numbered migrations that both dialects share.

A migration, once released, is never edited: a new one is added. `migrate` brings any older store to the present in one
transaction, and refuses a store that a newer Polyclinic wrote.
"""

from __future__ import annotations

from polyclinic.core.database import Transaction
from polyclinic.errors import ConfigError
from polyclinic.store.connections import PG_TABLES, refuse_foreign

MIGRATIONS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (
        1,
        "runs, episodes, calls, effects, scores, posts, libraries, leases",
        (
            """CREATE TABLE runs (
                id TEXT PRIMARY KEY, clinic TEXT NOT NULL, config TEXT NOT NULL, players TEXT NOT NULL,
                created_ms BIGINT NOT NULL, number BIGINT NOT NULL)""",
            """CREATE TABLE scenarios (
                run TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, id))""",
            """CREATE TABLE episodes (
                run TEXT NOT NULL, id TEXT NOT NULL, number BIGINT NOT NULL, unit TEXT NOT NULL, scenario TEXT NOT NULL,
                variant TEXT NOT NULL, trial BIGINT NOT NULL, campaign TEXT NOT NULL, position BIGINT NOT NULL,
                wave BIGINT NOT NULL, status TEXT NOT NULL, attempt BIGINT NOT NULL, outcome TEXT NOT NULL,
                transcript TEXT NOT NULL, usage TEXT NOT NULL, elapsed_ms BIGINT NOT NULL, PRIMARY KEY (run, id))""",
            "CREATE INDEX episodes_unit ON episodes (run, unit, position)",
            """CREATE TABLE calls (
                run TEXT NOT NULL, episode TEXT NOT NULL, key TEXT NOT NULL, occurrence BIGINT NOT NULL,
                role TEXT NOT NULL, prompt TEXT NOT NULL, model TEXT NOT NULL, request TEXT NOT NULL,
                completion TEXT NOT NULL, latency_ms BIGINT NOT NULL, PRIMARY KEY (run, episode, key, occurrence))""",
            """CREATE TABLE effects (
                run TEXT NOT NULL, unit TEXT NOT NULL, episode TEXT NOT NULL, sequence BIGINT NOT NULL,
                number BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, unit, sequence, number))""",
            """CREATE TABLE scores (
                run TEXT NOT NULL, episode TEXT NOT NULL, scoring TEXT NOT NULL, number BIGINT NOT NULL,
                body TEXT NOT NULL, PRIMARY KEY (run, episode, scoring, number))""",
            """CREATE TABLE posts (
                run TEXT NOT NULL, episode TEXT NOT NULL, queue TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
                created_ms BIGINT NOT NULL, status TEXT NOT NULL, taken_by TEXT NOT NULL, taken_ms BIGINT NOT NULL,
                closed_ms BIGINT NOT NULL, remark TEXT NOT NULL, PRIMARY KEY (run, episode, queue, key))""",
            """CREATE TABLE libraries (
                name TEXT PRIMARY KEY, clinic TEXT NOT NULL, library TEXT NOT NULL, embedder TEXT NOT NULL,
                operations TEXT NOT NULL, about TEXT NOT NULL, created_ms BIGINT NOT NULL)""",
            """CREATE TABLE leases (
                run TEXT NOT NULL, unit TEXT NOT NULL, owner TEXT NOT NULL, expires_ms BIGINT NOT NULL,
                PRIMARY KEY (run, unit))""",
            "CREATE TABLE cache (key TEXT PRIMARY KEY, completion TEXT NOT NULL)",
        ),
    ),
)


def migrate(transaction: Transaction) -> int:
    """Bring the store to the present; returns its version."""
    if transaction.dialect == "postgres":
        transaction.execute("SELECT pg_advisory_xact_lock(7018651)")
        refuse_foreign("the PostgreSQL database", [row[0] for row in transaction.execute(PG_TABLES)])
    transaction.execute("CREATE TABLE IF NOT EXISTS polyclinic (version BIGINT NOT NULL)")
    rows = transaction.execute("SELECT version FROM polyclinic")
    version = rows[0][0] if rows else 0
    if not isinstance(version, int):
        raise ConfigError(f"this store names no version ({version!r}): it is damaged, or not a store of Polyclinic")
    newest = MIGRATIONS[-1][0]
    if version > newest:
        raise ConfigError(
            f"this store was written by a newer Polyclinic (schema {version}, this one knows {newest}): "
            "upgrade, or name another --store"
        )
    for number, _, statements in MIGRATIONS:
        if number > version:
            for statement in statements:
                transaction.execute(statement)
    if version == 0:
        transaction.execute("INSERT INTO polyclinic (version) VALUES (?)", (newest,))
    elif version < newest:
        transaction.execute("UPDATE polyclinic SET version = ?", (newest,))
    return newest
