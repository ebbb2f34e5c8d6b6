"""`polyclinic demo`: a small sample of every clinic, offline, in one report."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from polyclinic.cli.options import json_option, print_json, store_option, wait
from polyclinic.core.clinic import Clinic
from polyclinic.eval.report import RunReport
from polyclinic.runner.api import run
from polyclinic.runner.execute.progress import Ticker
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.libraries import NONE
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.runner.reports import make_report, write_html
from polyclinic.store.connections import without_password
from polyclinic.store.store import Store, open_store

TITLE = "Polyclinic: a small sample of"
LEARNED = "demo-{}"


@click.command(name="demo", short_help="Run a small sample of every clinic offline and write one HTML report.")
@click.option("--clinic", "wanted", multiple=True, metavar="NAME", help="Only this clinic; may be repeated.")
@click.option("--html", "html", default=".polyclinic/demo.html", show_default=True, type=click.Path(dir_okay=False))
@store_option
@json_option
def command(wanted: tuple[str, ...], html: str, store: str, as_json: bool) -> int:
    """Run a small sample of every clinic offline and write one HTML report.

    All roles are played by understudies: rule-based baselines that need no key and no network.
    """
    return wait(_demo(wanted or tuple(clinic_modules()), Path(html), store, as_json))


async def _demo(names: tuple[str, ...], html: Path, url: str, as_json: bool) -> int:
    reports: list[RunReport] = []
    runs: dict[str, str] = {}
    failed = 0
    async with open_store(url or ".polyclinic/demo.db") as store:
        for name in names:
            clinic = load_clinic(name)
            began = time.monotonic()
            click.echo(click.style(f"{clinic.title} ({name})", bold=True), err=True)
            learned = await _learn(store, clinic)
            reports += learned
            values = {
                "clinic": name,
                "variants": clinic.demo_variants or (clinic.first_variant,),
                "scenarios": clinic.demo_scenarios,
                **clinic.demo_settings,
                **({"libraries": {"all": LEARNED.format(name)}} if learned else {}),
            }
            outcome = await run(store, make_config(values), progress=Ticker(sys.stderr))
            failed += outcome.failed
            runs[name] = outcome.run
            reports.append(await make_report(store, outcome.run, transcripts=1))
            click.echo(f"  {clinic.summary} ({time.monotonic() - began:.1f} s)", err=True)
        where = without_password(store.url)
    sample = "every clinic" if set(names) == set(clinic_modules()) else ", ".join(names)
    path = write_html(reports, html, f"{TITLE} {sample}").resolve()
    if as_json:
        print_json({"report": str(path), "runs": runs, "failed": failed, "store": where})
    else:
        click.echo(f"\nReport: {path}")
        click.echo(f"Read a transcript: polyclinic show {runs[names[-1]]} --store {where}")
        click.echo(f"Open it in the browser: polyclinic web --store {where}")
    return 1 if failed else 0


async def _learn(store: Store, clinic: Clinic) -> list[RunReport]:
    """Let a clinic learn before its demo run, and return a report on the learning.

    Returns an empty list for a clinic that does not learn beforehand.
    """
    if not clinic.demo_learns:
        return []
    values = {
        "clinic": clinic.name,
        "variants": (clinic.evolve_variant,),
        "scenarios": f"{clinic.evolve_selector}:{clinic.demo_learns}",
        "libraries": {"all": NONE},
        "keep_as": LEARNED.format(clinic.name),
    }
    outcome = await run(store, make_config(values), progress=Ticker(sys.stderr))
    made = await make_report(store, outcome.run, transcripts=1)
    return [replace(made, title=f"{clinic.title}: learning from {clinic.demo_learns} cases")]
