"""The tables of the FHIR store: one definition for SQLite and PostgreSQL.

`fhir_resource` holds the current version of each resource. After a deletion its body is NULL, so that a later creation
continues the version numbers. Three values of a Slot have columns of their own: a hospital has millions of slots, and a
search over them must need only one index scan. Many slots share one kind of visit. So a slot's row names its kind, and
the index has the kind's values under the kind's own id.

`fhir_history` holds superseded versions. `fhir_index` holds the values of all other search parameters; a resource that
still has to be indexed has the kind '+' (see `deferred`). `fhir_hold` holds the tentative reservations of slots,
`fhir_subscriber` and `fhir_event` what subscribers were and still must be told.

The index `fhir_updated` is on `type || ''`, an expression that only the histories use. On plain `type`, a query planner
without statistics would use this index for every search on a type. It would scan all slots to find those of one
schedule.
"""

from __future__ import annotations

import re

from polyclinic.core.database import Dialect, Transaction

_TABLES = """
CREATE TABLE IF NOT EXISTS fhir_resource (
  type {text} NOT NULL, id {text} NOT NULL, version INTEGER NOT NULL, updated BIGINT NOT NULL, body TEXT,
  schedule {text}, status {text}, start_at BIGINT, kind {text},
  PRIMARY KEY (type, id));
CREATE INDEX IF NOT EXISTS fhir_slot ON fhir_resource (schedule, status, start_at, id) WHERE schedule IS NOT NULL;
CREATE INDEX IF NOT EXISTS fhir_updated ON fhir_resource ((type || ''), updated, id);
CREATE TABLE IF NOT EXISTS fhir_history (
  type {text} NOT NULL, id {text} NOT NULL, version INTEGER NOT NULL, updated BIGINT NOT NULL, body TEXT,
  PRIMARY KEY (type, id, version));
CREATE INDEX IF NOT EXISTS fhir_history_updated ON fhir_history (type, updated, id, version);
CREATE TABLE IF NOT EXISTS fhir_index (
  type {text} NOT NULL, id {text} NOT NULL, parameter {text} NOT NULL,
  value {text} NOT NULL, system {text} NOT NULL, low NUMERIC, high NUMERIC);
CREATE INDEX IF NOT EXISTS fhir_index_value ON fhir_index (type, parameter, value, system, id);
CREATE INDEX IF NOT EXISTS fhir_index_low ON fhir_index (type, parameter, low, high, id) WHERE low IS NOT NULL;
CREATE INDEX IF NOT EXISTS fhir_index_owner ON fhir_index (id, type, parameter);
CREATE TABLE IF NOT EXISTS fhir_hold (slot {text} PRIMARY KEY, token {text} NOT NULL, expires BIGINT NOT NULL);
CREATE INDEX IF NOT EXISTS fhir_hold_expires ON fhir_hold (expires);
CREATE TABLE IF NOT EXISTS fhir_subscriber (
  subscription {text} PRIMARY KEY, since BIGINT NOT NULL, looked BIGINT NOT NULL, count INTEGER NOT NULL,
  sent INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS fhir_event (
  subscription {text} NOT NULL, number INTEGER NOT NULL, type {text} NOT NULL, id {text} NOT NULL,
  version INTEGER NOT NULL, updated BIGINT NOT NULL, PRIMARY KEY (subscription, number));
"""


_NAME = re.compile(r"IF NOT EXISTS (\w+)")
_NEWEST = "fhir_unindexed"


def statements(dialect: Dialect) -> list[str]:
    """The DDL as single statements; they can be run again without harm."""
    postgres = dialect == "postgres"
    text = _TABLES.format(text='TEXT COLLATE "C"' if postgres else "TEXT")
    return [statement.strip() for statement in text.split(";") if statement.strip()]


def create_tables(transaction: Transaction) -> None:
    """Create what is missing.

    If nothing is missing, PostgreSQL is only queried. Even a `CREATE INDEX IF NOT EXISTS` that has nothing to do locks
    the table. So a worker that starts while others write could deadlock with them.
    """
    if transaction.dialect == "postgres" and _complete(transaction):
        return
    for statement in statements(transaction.dialect):
        transaction.execute(statement)
    _add_kind(transaction)


def _complete(transaction: Transaction) -> bool:
    """Whether every table and index exists, including the newest."""
    names = [*_NAME.findall(_TABLES), _NEWEST]
    there = transaction.execute(
        "SELECT COUNT(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
        f" AND relname IN ({', '.join('?' * len(names))})",
        names,
    )
    return int(there[0][0]) == len(names)


def _add_kind(transaction: Transaction) -> None:
    """Add the newest column to the table of an older store."""
    if transaction.dialect == "postgres":
        transaction.execute('ALTER TABLE fhir_resource ADD COLUMN IF NOT EXISTS kind TEXT COLLATE "C"')
    elif "kind" not in {row[1] for row in transaction.execute("PRAGMA table_info(fhir_resource)")}:
        transaction.execute("ALTER TABLE fhir_resource ADD COLUMN kind TEXT")
    transaction.execute(f"CREATE INDEX IF NOT EXISTS {_NEWEST} ON fhir_resource (kind) WHERE kind = '+'")
