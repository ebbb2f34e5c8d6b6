"""`polyclinic grades`: the results of people who played, one line each, as a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import click

from polyclinic.cli.options import OUTPUT, json_option, print_json, store_option, waits
from polyclinic.core.files import not_written
from polyclinic.core.judge import Case
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results, own_figures, people_in
from polyclinic.store.run_rows import RunRow
from polyclinic.store.store import Store, open_store

FIXED = ("who", "clinic", "role", "scenario", "variant", "run", "outcome", "seconds")


@click.command(name="grades", short_help="Write the scores of people who played a role to a CSV file.")
@click.argument("clinic", default="")
@click.option("--out", "-o", type=click.Path(dir_okay=False), help="The file.  [default: -, standard output]")
@store_option
@json_option
@waits
async def command(clinic: str, out: str | None, store: str, as_json: bool) -> int:
    """Write the scores of people who played a role to a CSV file.

    Each line is an episode in which a person took a role (`polyclinic play`). It has the name given by --who, the time
    the episode took, and that person's own figures. CLINIC limits the list to one clinic.
    """
    if clinic:
        load_clinic(clinic)
    async with open_store(store, must_exist=True) as opened:
        runs = [run for run in reversed(await opened.runs.all()) if clinic in ("", run.clinic)]
        lines = [line for run in runs if people_in(run) for line in await _lines(opened, run)]
    metrics = sorted({name for line in lines for name in line} - set(FIXED))
    if as_json:
        print_json(lines)
        return 0
    if not lines:
        click.echo("nobody has played yet: take a role with polyclinic play", err=True)
    _write(_csv(lines, [*FIXED, *metrics]), out, len(lines))
    return 0


def _csv(lines: list[dict[str, Any]], columns: list[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def _write(text: str, out: str | None, count: int) -> None:
    if out in (None, OUTPUT):
        click.echo(text, nl=False)
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_written(out, error) from None
    click.echo(f"{count} lines in {out}")


async def _lines(store: Store, run: RunRow) -> list[dict[str, Any]]:
    results = await load_results(store, run.id)
    elapsed = {row.spec.id: row.elapsed_ms for row in await store.runs.episodes(run.id)}
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
        found = [own_figures(clinic, role, case) for role in people_in(run)] if episode.status == "done" else []
        lines.append({**fixed, **{name: round(value, 4) for each in found for name, value in each.items()}})
    return lines
