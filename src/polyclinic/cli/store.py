"""`polyclinic store`: move, check, prune and back up a store."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from polyclinic.cli.options import Group, NewFile, json_option, print_json, print_result, store_option, waits
from polyclinic.fhir.schema import create_tables
from polyclinic.store.connections import without_password
from polyclinic.store.opening import sqlite_path
from polyclinic.store.store import default_store, open_store
from polyclinic.store.transfer import Copied, back_up, move_store
from polyclinic.store.upkeep import problems, prune

SHORT = "Move a store between SQLite and PostgreSQL, check, prune or back it up."
_PRUNED = {
    "leases": "leases of processes that are gone",
    "lost": "rows without a run",
    "libraries": "copies of libraries that no run began with",
    "cache": "cached replies",
}


@click.group(cls=Group, name="store", short_help=SHORT)
def command() -> None:
    """Move a store between SQLite and PostgreSQL, check, prune or back it up."""


@command.command(name="move", short_help="Copy a store to a new place, verified.")
@click.argument("source")
@click.argument("target")
@json_option
def move(source: str, target: str, as_json: bool) -> int:
    """Copy a store to a new place, verified: SQLite to PostgreSQL, or back.

    SOURCE and TARGET are paths, sqlite:///… or postgresql://…; TARGET must be empty. Runs, libraries and FHIR records
    are all copied. SOURCE stays as it is: delete it when you no longer need it.
    """
    copied = move_store(source, target, create_tables)
    before, after = without_password(source), without_password(target)
    _tell(copied, as_json, f"{before} → {after}, verified; {before} is unchanged")
    return 0


@command.command(name="backup", short_help="Back up a store that may be in use.")
@click.argument("file", type=NewFile())
@store_option
@json_option
def backup(file: str, store: str, as_json: bool) -> int:
    """Back up a store that may be in use into FILE, a new SQLite store.

    Use it with --store FILE, or bring it back to PostgreSQL with `polyclinic store move`.
    """
    copied = back_up(store or default_store(), Path(file), create_tables)
    _tell(copied, as_json, f"{file}: whole, verified")
    return 0


@command.command(name="check", short_help="Check that a store is intact.")
@store_option
@json_option
@waits
async def check(store: str, as_json: bool) -> int:
    """Check that a store is intact: the file, runs, transcripts, journals, libraries."""
    async with open_store(store, must_exist=True) as opened:
        found = await opened.database.read(lambda transaction: list(problems(transaction)))
    print_result(as_json, {"ok": not found, "problems": found}, *(found or ["everything is whole"]))
    return 1 if found else 0


@command.command(name="prune", short_help="Remove what nobody needs, and give its space back.")
@click.option("--cache", is_flag=True, help="Also empty the response cache.")
@click.option("--dry-run", is_flag=True, help="Only count; remove nothing.")
@store_option
@json_option
@waits
async def prune_command(cache: bool, dry_run: bool, store: str, as_json: bool) -> int:
    """Remove what nobody needs, and give its space back.

    Removes leases of processes that are gone, rows without a run, and copies of libraries that no run began with. Runs
    stay: see `polyclinic runs delete`.
    """
    async with open_store(store, must_exist=True) as opened:
        pruned = await opened.database.write(partial(prune, cache=cache, only_count=dry_run))
    path = sqlite_path(store or default_store())
    if not dry_run and path and path != ":memory:":
        _vacuum(Path(path).expanduser())
    if as_json:
        print_json({"removed": asdict(pruned), "dry_run": dry_run})
    else:
        counts = ", ".join(f"{count} {_PRUNED[name]}" for name, count in asdict(pruned).items() if count)
        click.echo(f"{'would remove' if dry_run else 'removed'}: {counts or 'nothing'}")
    return 0


def _vacuum(path: Path) -> None:
    """Free the space of deleted rows. SQLite needs a command for this; PostgreSQL does it by itself."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=120.0)
    try:
        connection.execute("VACUUM")
    finally:
        connection.close()


def _tell(copied: Copied | None, as_json: bool, line: str) -> None:
    if as_json:
        print_json({"rows": copied.rows, "digests": copied.digests} if copied is not None else {"whole": True})
        return
    if copied is not None:
        click.echo(", ".join(_rows_of(table, count) for table, count in copied.rows.items() if count))
    click.echo(line)


def _rows_of(table: str, count: int) -> str:
    """How many rows a table has, in words: "1 run", "2 kept libraries"."""
    things = table.replace("_", " ")
    one = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("es" if things.endswith("sses") else "s")
    return f"{count:,} {one if count == 1 else things}"
