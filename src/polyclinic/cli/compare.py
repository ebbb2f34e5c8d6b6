"""`polyclinic compare`: two variants, or two runs, on the same scenarios."""

from __future__ import annotations

from dataclasses import asdict

import click

from polyclinic.cli.options import json_option, print_json, scoring_option, store_option, table, waits
from polyclinic.errors import ConfigError
from polyclinic.eval.compare import Arm, Comparison, compare
from polyclinic.eval.estimate import decimals
from polyclinic.eval.overview import p_text, same_rules
from polyclinic.eval.results import RunResults
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store


@click.command(name="compare", short_help="Compare two variants, or two runs, on the same scenarios.")
@click.argument("left")
@click.argument("right")
@click.option("--metric", "metrics", multiple=True, help="Only this metric; may be repeated.")
@scoring_option
@store_option
@json_option
@waits
async def command(left: str, right: str, metrics: tuple[str, ...], scoring: str, store: str, as_json: bool) -> int:
    """Compare two variants, or two runs, on the same scenarios.

    LEFT and RIGHT are RUN/VARIANT, or RUN when it has one variant only: `polyclinic compare last/plain last/tool`.
    Differences are right minus left, paired by scenario, with intervals; p-values are corrected over the metrics
    (Holm).
    """
    async with open_store(store, must_exist=True) as opened:
        loaded = [await load_results(opened, text.partition("/")[0], scoring) for text in (left, right)]
    clinics = [results.clinic for results in loaded]
    if clinics[0] != clinics[1]:
        raise ConfigError(
            f"{left} is a run of {clinics[0]}, {right} of {clinics[1]}: only runs of one clinic can be compared"
        )
    arms = [_arm(text, results) for text, results in zip((left, right), loaded, strict=True)]
    found = compare(arms[0], arms[1], list(metrics) or None)
    tested = not all(same_rules(arm.results) for arm in arms)
    if as_json:
        no_tests = {} if tested else {"p_value": None, "p_holm": None}
        print_json([{**asdict(item), **no_tests} for item in found])
    else:
        columns = ["metric", left, right, "difference", "95 %", *(["p (Holm)"] if tested else []), "n"]
        click.echo(table([_row(item, tested) for item in found], columns))
        if not tested:
            click.echo("No p-values: judges and actors are played by the same rules, so a test would prove nothing.")
    return 0


def _arm(text: str, results: RunResults) -> Arm:
    run, _, variant = text.partition("/")
    names = results.variant_names()
    if not names:
        raise ConfigError(f"{text}: no episode has ended yet; continue with: polyclinic resume {results.run}")
    if not variant and len(names) != 1:
        raise ConfigError(f"{text}: name a variant: {', '.join(f'{run}/{name}' for name in names)}")
    return Arm(results, variant or names[0])


def _row(item: Comparison, tested: bool) -> list[str]:
    span = "–" if item.low is None or item.high is None else f"{item.low:+.3f} to {item.high:+.3f}"
    means = [f"{mean:.{decimals(mean)}f}" for mean in (item.left_mean, item.right_mean)]
    numbers = [*means, f"{item.difference:+.3f}", span]
    return [item.metric, *numbers, *([p_text(item.p_holm)] if tested else []), str(item.pairs)]
