"""Driving a run from a terminal: progress, a clean stop, and the command that goes on."""

from __future__ import annotations

import asyncio
import shlex
import sys

import click

from polyclinic.cli.options import print_json
from polyclinic.core.records import RecordsUnreachable
from polyclinic.errors import ConfigError
from polyclinic.models.cast import parse_cast
from polyclinic.runner.api import RunOutcome, carry_on, outcome_of, start_run
from polyclinic.runner.config import RunConfig
from polyclinic.runner.progress import Progress, Silent, Ticker
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import Store, default_store, open_store


def terminal_progress(as_json: bool) -> Progress:
    """Progress goes to standard error, so that standard output stays clean."""
    return Silent() if as_json and not sys.stderr.isatty() else Ticker(sys.stderr)


async def drive(config: RunConfig, *, as_json: bool) -> int:
    """Start a run and carry it through."""
    refuse_people(config)
    async with open_store(config.store) as store:
        run = await start_run(store, config)
        used = (await store.runs.get(run)).config["libraries"]
        if not as_json:
            click.echo(run)
        if used and not config.libraries:
            names = ", ".join(used.values())
            click.echo(f"with what was learned before: {names} (--library none starts empty)", err=True)
        elif not used and (unlearned := await _unlearned(store, run)):
            click.echo(unlearned, err=True)
        return await _carry(store, run, config.concurrency, as_json)


async def _unlearned(store: Store, run: str) -> str:
    """A word to whoever runs a variant that lives on what was learned before anything was."""
    row = await store.runs.get(run)
    clinic, episodes = load_clinic(row.clinic), await store.runs.episodes(run)
    lives = [episode for episode in episodes if clinic.libraries and episode.spec.variant == clinic.evolve_variant]
    if not lives or any(episode.spec.campaign for episode in lives):
        return ""
    return (
        f"nothing has been learned yet: {clinic.evolve_variant} starts with an empty library; "
        f"fill it first with: polyclinic evolve {row.clinic}"
    )


def refuse_people(config: RunConfig) -> None:
    """A run has nobody at the desk; better said before anything is written down."""
    for spec in parse_cast(config.cast):
        if spec.kind == "human":
            raise ConfigError(
                f"cast {spec.role}=human: nobody is there to answer; use 'polyclinic play' or the browser"
            )


async def carry(
    url: str, run: str, concurrency: int | None, as_json: bool, overrides: dict[str, object] | None = None
) -> int:
    """Carry a run on until it ends, a limit stops it, or the user does."""
    async with open_store(url) as store:
        return await _carry(store, (await store.runs.get(run)).id, concurrency, as_json, overrides)


async def _carry(
    store: Store, run: str, concurrency: int | None, as_json: bool, overrides: dict[str, object] | None = None
) -> int:
    try:
        outcome = await carry_on(
            store, run, progress=terminal_progress(as_json), concurrency=concurrency, overrides=overrides
        )
    except asyncio.CancelledError:
        outcome = await outcome_of(store, run)
        line = resume_line(run, store.url)
        click.echo(f"\nstopped; {outcome.done} done, {outcome.left} left. Go on with: {line}", err=True)
        raise
    except RecordsUnreachable as gone:
        outcome = await outcome_of(store, run)
        if as_json:
            tell(outcome, store.url, as_json)
        left = f"{outcome.done} done, {outcome.left} left"
        mend = f"When it answers again, go on with: {resume_line(run, store.url)}"
        click.echo(f"stopped: {gone}; {left}. {mend}", err=True)
        return 1
    tell(outcome, store.url, as_json)
    return outcome.exit_code


def resume_line(run: str, url: str) -> str:
    """The command that goes on with a run."""
    return f"polyclinic resume {run}" + ("" if url == default_store() else f" --store {shlex.quote(url)}")


def tell(outcome: RunOutcome, url: str, as_json: bool) -> None:
    """Say how it ended."""
    if as_json:
        limit = outcome.limit.limit if outcome.limit else None
        print_json(
            {"run": outcome.run, "done": outcome.done, "failed": outcome.failed, "left": outcome.left, "limit": limit}
        )
        return
    if outcome.unpriced:
        names = ", ".join(outcome.unpriced)
        click.echo(
            f"no price is known for {names}: its cost counts as 0 (POLYCLINIC_PRICES takes a price list)", err=True
        )
    if outcome.limit is not None:
        click.echo(
            f"stopped: {outcome.limit}. Go on with: {resume_line(outcome.run, url)} --max-… (a higher limit)", err=True
        )
    if outcome.failed:
        click.echo(f"{outcome.failed} failed; try them again with: {resume_line(outcome.run, url)}", err=True)
    if outcome.judge_failures:
        mend = f"polyclinic judge {outcome.run}"
        click.echo(
            f"{outcome.judge_failures} judgements could not be made and score nobody; again with: {mend}", err=True
        )
    if not outcome.left:
        click.echo(f"report: polyclinic report {outcome.run}", err=True)
