"""`polyclinic runs`: what is in the store."""

from __future__ import annotations

from datetime import datetime

import click

from polyclinic.cli.options import json_option, print_json, store_option, table, wait
from polyclinic.runner.api import outcome_of
from polyclinic.store.store import open_store


@click.command(name="runs", short_help="List the runs in the store.")
@store_option
@json_option
def command(store: str, as_json: bool) -> int:
    """List the runs in the store."""
    return wait(_list(store, as_json))


async def _list(url: str, as_json: bool) -> int:
    async with open_store(url) as store:
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
        click.echo("no runs yet: start with `polyclinic demo` or `polyclinic run demo`")
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
