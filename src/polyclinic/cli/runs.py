"""`polyclinic runs`: what is in the store; delete a run, or free one that a lost process holds."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import click

from polyclinic.cli.language import own_words
from polyclinic.cli.options import Group, json_option, print_json, print_result, store_option, table, wait, waits
from polyclinic.errors import ConfigError
from polyclinic.runner.api import outcome_of
from polyclinic.store.leases import break_leases, holders
from polyclinic.store.store import open_store
from polyclinic.store.upkeep import delete_run
from polyclinic.text.layout import number_of


@click.group(
    cls=Group,
    name="runs",
    short_help="List the runs in the store, delete or free them.",
    invoke_without_command=True,
)
@store_option
@json_option
@click.pass_context
def command(context: click.Context, store: str, as_json: bool) -> int:
    """List the runs in the store, delete or free them.

    Without a command, lists them.
    """
    return 0 if context.invoked_subcommand else wait(_list(store, as_json))


@command.command(name="delete", short_help="Delete runs with all that belongs to them.")
@click.argument("runs", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_option
@json_option
@waits
async def delete(runs: tuple[str, ...], yes: bool, store: str, as_json: bool) -> int:
    """Delete runs with all that belongs to them: episodes, calls, scores, posts.

    RUNS are ids, the first letters of one, or 'last'. Saved libraries and FHIR records stay.
    """
    deleted: dict[str, int] = {}
    async with open_store(store, must_exist=True) as opened:
        found = list(dict.fromkeys([(await opened.runs.get(name)).id for name in runs]))
        if not yes:
            click.confirm(f"Delete {', '.join(found)}?", abort=True, err=True)
        for run in found:
            deleted[run] = await opened.database.write(partial(delete_run, run=run))
    print_result(
        as_json,
        {"deleted": deleted},
        *(f"deleted {run}: {number_of(episodes, 'episode')}" for run, episodes in deleted.items()),
    )
    return 0


@command.command(name="release", short_help="Free a run that a lost process still holds.")
@click.argument("run", default="last")
@click.option("--force", is_flag=True, help="Free it even if a running process on this machine holds it.")
@store_option
@json_option
@waits
async def release(run: str, force: bool, store: str, as_json: bool) -> int:
    """Free a run that a lost process still holds, so that another process can continue it at once.

    If the lost process is still alive, its uncommitted work is dropped, and nothing happens twice.
    """
    async with open_store(store, must_exist=True) as opened:
        run = (await opened.runs.get(run)).id
        found = await opened.database.read(partial(holders, run=run))
        for holder in found:
            if holder.here and not force:
                raise ConfigError(f"{run}: {holder} is alive on this machine; stop it, or add --force")
        await opened.database.write(partial(break_leases, run=run))
    print_result(
        as_json,
        {"run": run, "released": [holder._asdict() for holder in found]},
        *(f"freed from {holder}" for holder in found),
        f"{run}: continue with: polyclinic resume {run}" if found else f"{run}: no process holds it",
    )
    return 0


async def _list(url: str, as_json: bool) -> int:
    async with open_store(url, must_exist=True) as store:
        found = [(row, await outcome_of(store, row.id)) for row in await store.runs.all()]
    if as_json:
        print_json(
            [
                {
                    "run": row.id,
                    "clinic": row.clinic,
                    "cast": row.config["cast"],
                    "variants": row.config["variants"],
                    "created_ms": row.created_ms,
                    "done": outcome.done,
                    "failed": outcome.failed,
                    "left": outcome.left,
                }
                for row, outcome in found
            ]
        )
    elif not found:
        click.echo(own_words("no runs yet: start with `polyclinic demo` or `polyclinic run demo`"))
    else:
        rows = [
            [
                row.id,
                row.clinic,
                row.config["cast"],
                str(outcome.done),
                str(outcome.failed),
                str(outcome.left),
                f"{datetime.fromtimestamp(row.created_ms / 1000):%Y-%m-%d %H:%M}",
            ]
            for row, outcome in found
        ]
        click.echo(table(rows, ["run", "clinic", "cast", "done", "failed", "left", "started"]))
    return 0
