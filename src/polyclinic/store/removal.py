"""Remove runs from the store: by name, or because nothing ever happened in them."""

from __future__ import annotations

from polyclinic.core.database import Transaction
from polyclinic.errors import ConfigError
from polyclinic.store.leases import units_at_work

RUN_TABLES = (
    "calls",
    "effects",
    "scores",
    "episode_facts",
    "episode_values",
    "episode_words",
    "episode_word_parts",
    "posts",
    "leases",
    "episodes",
    "scenarios",
)
"""The tables whose rows belong to a run, besides `runs` itself."""


def delete_run(transaction: Transaction, run: str) -> int:
    """Delete a run with all its rows; returns how many episodes it had. Refused while a process works on it.

    Saved libraries stay. Records in FHIR tables stay too, because they may be of other runs.
    """
    if units_at_work(transaction, run):
        raise ConfigError(
            f"a process is working on {run}: stop it first, or, if it is gone, free the run with:"
            f" polyclinic runs release {run}"
        )
    episodes = int(transaction.execute("SELECT COUNT(*) FROM episodes WHERE run = ?", (run,))[0][0])
    for table in RUN_TABLES:
        transaction.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
    transaction.execute("DELETE FROM runs WHERE id = ?", (run,))
    return episodes


def take_back(transaction: Transaction, run: str) -> bool:
    """Delete a run in which nothing has happened: no episode ended, no call was answered, and nothing was handed over.

    Returns whether it was deleted.
    """
    happened = transaction.execute(
        "SELECT EXISTS (SELECT 1 FROM episodes WHERE run = ? AND status <> 'pending')"
        " OR EXISTS (SELECT 1 FROM calls WHERE run = ?) OR EXISTS (SELECT 1 FROM posts WHERE run = ?)",
        (run, run, run),
    )[0][0]
    if happened or units_at_work(transaction, run):
        return False
    delete_run(transaction, run)
    return True
