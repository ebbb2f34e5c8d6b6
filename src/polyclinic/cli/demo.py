"""`polyclinic demo`: a small sample of every clinic, offline, in one report."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path
from shlex import quote
from shutil import which

import click

from polyclinic.cli.options import HTML, json_option, print_result, store_option, waits
from polyclinic.core.clinic import Clinic
from polyclinic.core.extras import install_hint
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
@click.option("--html", "html", default=".polyclinic/demo.html", show_default=True, type=HTML)
@store_option
@json_option
@waits
async def command(wanted: tuple[str, ...], html: str, store: str, as_json: bool) -> int:
    """Run a small sample of every clinic offline and write one HTML report.

    All roles are played by understudies: rule-based baselines that need no key and no network.
    """
    names = wanted or tuple(clinic_modules())
    reports: list[RunReport] = []
    runs: dict[str, str] = {}
    failed = 0
    async with open_store(store or ".polyclinic/demo.db") as opened:
        for name in names:
            clinic = load_clinic(name)
            began = time.monotonic()
            click.echo(click.style(f"{clinic.title} ({name})", bold=True), err=True)
            learned = await _learn(opened, clinic)
            reports += learned
            values = {
                "clinic": name,
                "variants": clinic.demo_variants or (clinic.first_variant,),
                "scenarios": clinic.demo_scenarios,
                **clinic.demo_settings,
                **({"libraries": {"all": LEARNED.format(name)}} if learned else {}),
            }
            outcome = await run(opened, make_config(values), progress=Ticker(sys.stderr))
            failed += outcome.failed
            runs[name] = outcome.run
            made = await make_report(opened, outcome.run, transcripts=1)
            reports.append(replace(made, unfolded=clinic.demo_shows))
            click.echo(f"  {clinic.summary} ({time.monotonic() - began:.1f} s)", err=True)
        where = without_password(opened.url)
    sample = "every clinic" if set(names) == set(clinic_modules()) else ", ".join(names)
    path = write_html(reports, Path(html), f"{TITLE} {sample}").resolve()
    print_result(
        as_json,
        {"report": str(path), "runs": runs, "failed": failed, "store": where},
        f"\nReport: {path}",
        *_first(),
        f"Read a transcript: polyclinic show {runs[names[-1]]} --store {where}",
        f"Open it in the browser: polyclinic web --store {where}",
    )
    return 1 if failed else 0


def _first() -> list[str]:
    """What has to be done before the commands that are named next: `make demo` neither changes the path nor installs
    what the browser needs.
    """
    lines = []
    activate = Path(sys.prefix, "bin", "activate")
    if which("polyclinic") is None and activate.is_file():
        lines.append(f"First, for the commands below: source {quote(relpath(activate))}")
    if find_spec("fastapi") is None:
        lines.append(f"First, for the browser: {install_hint('web')}")
    return lines


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
    return [
        replace(made, title=f"{clinic.title}: learning from {clinic.demo_learns} cases", unfolded=clinic.demo_shows)
    ]
