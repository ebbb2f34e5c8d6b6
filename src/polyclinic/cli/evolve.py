"""`polyclinic evolve`: run a campaign that learns, and save what it learned."""

from __future__ import annotations

from functools import partial

import click

from polyclinic.cli.options import json_option, pairs, print_json, store_option, terminal_progress, wait
from polyclinic.core.clinic import Clinic
from polyclinic.errors import ConfigError
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.libraries import NONE
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import default_store
from polyclinic.text.layout import number_of


@click.command(name="evolve", short_help="Let a clinic learn from case to case, and save what it learned.")
@click.argument("clinic")
@click.option(
    "--cases", type=click.IntRange(min=1), default=20, show_default=True, help="How many cases to learn from."
)
@click.option("--name", default="", help="The name to save the libraries under.  [default: the clinic's name]")
@click.option("--variant", default="", metavar="V", help="[default: the clinic's own]")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--cast", default="all=understudy", show_default=True, metavar="ROLE=MODEL,…")
@click.option(
    "--library", "libraries", multiple=True, metavar="[NAME=]SOURCE", help="Start from a saved library, run or file."
)
@click.option("--set", "options", multiple=True, metavar="NAME=VALUE", help="A setting of the clinic; may be repeated.")
@click.option("--concurrency", type=int, default=16, show_default=True)
@store_option
@json_option
def command(
    clinic: str,
    cases: int,
    name: str,
    variant: str,
    seed: int,
    cast: str,
    libraries: tuple[str, ...],
    options: tuple[str, ...],
    concurrency: int,
    store: str,
    as_json: bool,
) -> int:
    """Let a clinic learn from case to case, and save what it learned.

    Use it in later runs with --library NAME. Inspect it with `polyclinic library`.
    """
    found = load_clinic(clinic)
    if not found.libraries:
        raise ConfigError(f"{clinic} has no library, so it cannot learn")
    config = make_config(
        {
            "clinic": clinic,
            "variants": (variant or found.evolve_variant or found.first_variant,),
            "scenarios": f"{found.evolve_selector}:{cases}",
            "seed": seed,
            "cast": cast,
            "libraries": pairs(libraries, "--library", nameless=True) or {"all": NONE},
            "options": pairs(options, "--set"),
            "concurrency": concurrency,
            "store": store,
            "keep_as": name or clinic,
        }
    )
    return wait(_evolve(found, config, as_json))


async def _evolve(clinic: Clinic, config: RunConfig, as_json: bool) -> int:
    from polyclinic.runner.drive import drive, resume_line

    tell, name, store = partial(click.echo, err=True), config.keep_as, config.store or default_store()

    def begun(run: str) -> None:
        tell(f"run {run}; if it is killed, continue with: {resume_line(run, store)}")

    outcome = await drive(config, terminal_progress(False), begun, tell)
    if as_json:
        counts = {library: outcome.learned.get(f"{name}.{library}", 0) for library in clinic.libraries}
        print_json({"run": outcome.run, "saved": list(outcome.learned), "operations": counts})
    elif outcome.learned:
        for full, count in outcome.learned.items():
            click.echo(f"{full}: {number_of(count, 'operation')}")
        click.echo(f"use it: {resume_line(name, store, f'run {clinic.name} --library')}")
        click.echo(f"inspect it: {resume_line(f'{name}.{clinic.libraries[0]}', store, 'library list')}")
    return outcome.exit_code
