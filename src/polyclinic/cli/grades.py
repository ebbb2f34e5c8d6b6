"""`polyclinic grades`: the results of people who played, one line each, as a spreadsheet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import click

from polyclinic.cli.export import WRITERS, form_of, write_rows
from polyclinic.cli.language import own_words
from polyclinic.cli.options import OUTPUT, json_option, print_json, store_option, waits
from polyclinic.core.judge import Case
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results, people_in, time_taken, valid_figures
from polyclinic.store.export import write_csv
from polyclinic.store.run_rows import RunRow
from polyclinic.store.store import Store, open_store
from polyclinic.text.layout import number_of

FIXED = ("who", "clinic", "role", "scenario", "variant", "run", "outcome", "seconds", "not_valid")


@click.command(name="grades", short_help="Write the scores of people who played a role to a file.")
@click.argument("clinic", default="")
@click.option("--out", "-o", type=click.Path(dir_okay=False), help="The file.  [default: -, standard output]")
@store_option
@json_option
@waits
async def command(clinic: str, out: str | None, store: str, as_json: bool) -> int:
    """Write the scores of people who played a role to a file.

    Each line is an episode in which a person took a role (`polyclinic play`). It has the name given by --who, the time
    the episode took, and that person's own figures. Those for which the cast's reader is not good enough are left out,
    and `not_valid` names them. CLINIC limits the list to one clinic. The file's ending decides its
    format: .csv, .jsonl or .parquet. Standard output gets CSV.
    """
    form = form_of(out, "csv")
    if clinic:
        load_clinic(clinic)
    async with open_store(store, must_exist=True) as opened:
        runs = [run for run in reversed(await opened.runs.all()) if clinic in ("", run.clinic)]
        lines = [line for run in runs if people_in(run) for line in await _lines(opened, run)]
    if as_json:
        print_json(lines)
        return 0
    if not lines:
        click.echo(own_words("nobody has played yet: take a role with polyclinic play"), err=True)
    metrics = sorted({name for line in lines for name in line} - set(FIXED))
    write = partial(write_csv, first=[*FIXED, *metrics]) if form == "csv" else WRITERS[form]
    count = await write_rows(write, _each(lines), out or OUTPUT)
    if out not in (None, OUTPUT):
        click.echo(f"{number_of(count, 'line')} in {out}")
    return 0


async def _each(lines: list[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    for line in lines:
        yield line


async def _lines(store: Store, run: RunRow) -> list[dict[str, Any]]:
    results = await load_results(store, run.id)
    elapsed = await time_taken(store, run.id)
    clinic, scenarios = load_clinic(run.clinic), results.scenarios
    lines: list[dict[str, Any]] = []
    for episode in results.episodes:
        fixed: dict[str, Any] = {
            "who": run.config.get("options", {}).get("who", ""),
            "clinic": run.clinic,
            "role": "+".join(people_in(run)),
            "scenario": episode.scenario,
            "variant": episode.variant,
            "run": run.id,
            "outcome": episode.outcome,
            "seconds": elapsed[episode.id] // 1000,
        }
        case = Case(scenarios[episode.scenario], clinic.variant(episode.variant), episode.transcript, episode.trial)
        done = episode.status == "done"
        found = [valid_figures(results, clinic, role, case) for role in people_in(run)] if done else []
        fixed["not_valid"] = ", ".join(dict.fromkeys(name for each in found for name in each.left_out))
        lines.append({**fixed, **{name: round(value, 4) for each in found for name, value in each.valid.items()}})
    return lines
