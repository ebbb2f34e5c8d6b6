"""The store's tables, as numbered migrations that both dialects share.

A released migration is never edited; a new one is added instead. `migrate` upgrades any older store to the newest
schema in one transaction, and refuses a store that a newer Polyclinic wrote.
"""

from __future__ import annotations

from polyclinic.core.database import Dialect, Transaction
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
    (
        2,
        "staff accounts, their logins, and the audit log",
        (
            """CREATE TABLE staff (
                name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL, active BIGINT NOT NULL,
                created_ms BIGINT NOT NULL)""",
            """CREATE TABLE staff_logins (
                digest TEXT PRIMARY KEY, name TEXT NOT NULL, ends_ms BIGINT NOT NULL, used_ms BIGINT NOT NULL)""",
            """CREATE TABLE audit_log (
                number BIGINT PRIMARY KEY, at_ms BIGINT NOT NULL, who TEXT NOT NULL, role TEXT NOT NULL,
                action TEXT NOT NULL, target TEXT NOT NULL, outcome TEXT NOT NULL, digest TEXT NOT NULL)""",
        ),
    ),
    (
        3,
        "answers to requests that must not be done twice",
        ("CREATE TABLE keyed_answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, at_ms BIGINT NOT NULL)",),
    ),
    (
        4,
        "classes of trainees, and packets of transcripts that people rate",
        (
            """CREATE TABLE classes (
                id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, body TEXT NOT NULL, created_ms BIGINT NOT NULL,
                ended_ms BIGINT NOT NULL)""",
            """CREATE TABLE class_members (
                class TEXT NOT NULL, number BIGINT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
                joined_ms BIGINT NOT NULL, PRIMARY KEY (class, number), UNIQUE (class, name))""",
            """CREATE TABLE class_sessions (
                run TEXT PRIMARY KEY, class TEXT NOT NULL, member BIGINT NOT NULL, place BIGINT NOT NULL,
                begun_ms BIGINT NOT NULL, UNIQUE (class, member, place))""",
            """CREATE TABLE class_hints (
                run TEXT NOT NULL, number BIGINT NOT NULL, after_line BIGINT NOT NULL, text TEXT NOT NULL,
                author TEXT NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY (run, number))""",
            """CREATE TABLE packets (
                id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, run TEXT NOT NULL, body TEXT NOT NULL,
                created_ms BIGINT NOT NULL, ended_ms BIGINT NOT NULL)""",
            """CREATE TABLE packet_raters (
                packet TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, joined_ms BIGINT NOT NULL,
                PRIMARY KEY (packet, name))""",
            """CREATE TABLE packet_answers (
                packet TEXT NOT NULL, rater TEXT NOT NULL, item TEXT NOT NULL, question TEXT NOT NULL,
                body TEXT NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY (packet, rater, item, question))""",
        ),
    ),
    (
        5,
        "whose objects are",
        (
            """CREATE TABLE owners (
                kind TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (kind, name, owner))""",
            "CREATE INDEX owners_owner ON owners (owner, kind)",
        ),
    ),
    (
        6,
        "what tables of episodes show",
        (
            """CREATE TABLE episode_facts (
                run TEXT NOT NULL, id TEXT NOT NULL, number BIGINT NOT NULL, scenario TEXT NOT NULL,
                variant TEXT NOT NULL, trial BIGINT NOT NULL, status TEXT NOT NULL, attempt BIGINT NOT NULL,
                outcome TEXT NOT NULL, owners TEXT NOT NULL, calls BIGINT NOT NULL, cost_nano BIGINT NOT NULL,
                elapsed_ms BIGINT NOT NULL, PRIMARY KEY (run, id))""",
            "CREATE INDEX episode_facts_number ON episode_facts (run, number)",
            """CREATE TABLE episode_values (
                run TEXT NOT NULL, episode TEXT NOT NULL, metric TEXT NOT NULL, value DOUBLE PRECISION NOT NULL,
                PRIMARY KEY (run, metric, episode))""",
            "CREATE INDEX episode_values_episode ON episode_values (run, episode)",
            "CREATE INDEX episodes_state ON episodes (run, status, id, attempt)",
        ),
    ),
    (
        7,
        "which episodes hold which words",
        (
            """CREATE TABLE episode_words (
                run TEXT NOT NULL, word TEXT NOT NULL, part BIGINT NOT NULL, episodes TEXT NOT NULL,
                PRIMARY KEY (run, word, part))""",
            "CREATE INDEX episode_words_part ON episode_words (run, part)",
            """CREATE TABLE episode_word_parts (
                run TEXT NOT NULL, part BIGINT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (run, part))""",
        ),
    ),
    (8, "a general role for the desk", ("UPDATE staff SET role = 'supervisor' WHERE role = 'counsellor'",)),
    (
        9,
        "what calls have cost whose answers are not kept",
        (
            "CREATE TABLE lost_costs (run TEXT NOT NULL, usage TEXT NOT NULL, at_ms BIGINT NOT NULL)",
            "CREATE INDEX lost_costs_run ON lost_costs (run)",
        ),
    ),
)

# Each dialect has its own syntax for triggers that keep a table from being changed.
_APPEND_ONLY: dict[Dialect, tuple[str, ...]] = {
    "sqlite": (
        *(
            f"CREATE TRIGGER audit_log_{change.lower()} BEFORE {change} ON audit_log "
            "BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END"
            for change in ("UPDATE", "DELETE")
        ),
        # INSERT OR REPLACE deletes a row without running the trigger above.
        "CREATE TRIGGER audit_log_insert BEFORE INSERT ON audit_log "
        "WHEN NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM audit_log) "
        "BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END",
    ),
    "postgres": (
        "CREATE FUNCTION audit_log_grows() RETURNS trigger AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit log only grows'; END $$ LANGUAGE plpgsql",
        "CREATE TRIGGER audit_log_grows BEFORE UPDATE OR DELETE ON audit_log "
        "FOR EACH ROW EXECUTE FUNCTION audit_log_grows()",
        "CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_grows()",
    ),
}


def refuse_newer(transaction: Transaction) -> None:
    """Refuse a store that a newer Polyclinic wrote, before anything is changed in it. A database without tables of runs
    passes.
    """
    names = "SELECT name FROM sqlite_master" if transaction.dialect == "sqlite" else PG_TABLES
    if ("polyclinic",) in [tuple(row) for row in transaction.execute(names)]:
        _version(transaction)


def _version(transaction: Transaction) -> int:
    """The version of the store's schema; 0 if it has none yet."""
    rows = transaction.execute("SELECT version FROM polyclinic")
    version = rows[0][0] if rows else 0
    if not isinstance(version, int):
        raise ConfigError(
            f"this store has no valid version number ({version!r}): it is damaged, or not a Polyclinic store"
        )
    newest = MIGRATIONS[-1][0]
    if version > newest:
        raise ConfigError(
            f"this store was written by a newer Polyclinic (schema {version}, this one knows {newest}): "
            "upgrade, or name another --store"
        )
    return version


def migrate(transaction: Transaction) -> int:
    """Upgrade the store to the newest schema; returns its version."""
    if transaction.dialect == "postgres":
        transaction.execute("SELECT pg_advisory_xact_lock(7018651)")
        refuse_foreign("the PostgreSQL database", [row[0] for row in transaction.execute(PG_TABLES)])
    transaction.execute("CREATE TABLE IF NOT EXISTS polyclinic (version BIGINT NOT NULL)")
    version, newest = _version(transaction), MIGRATIONS[-1][0]
    for number, _, statements in MIGRATIONS:
        if number > version:
            for statement in (*statements, *(_APPEND_ONLY[transaction.dialect] if number == 2 else ())):
                transaction.execute(statement)
    if version == 0:
        transaction.execute("INSERT INTO polyclinic (version) VALUES (?)", (newest,))
    elif version < newest:
        transaction.execute("UPDATE polyclinic SET version = ?", (newest,))
    return newest
