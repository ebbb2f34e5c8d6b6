"""`polyclinic compare`: two variants, or two runs, on the same scenarios."""

from __future__ import annotations

from dataclasses import asdict

import click

from polyclinic.cli.language import own_words
from polyclinic.cli.options import json_option, print_json, scoring_option, store_option, table, waits
from polyclinic.core.judge import Metric
from polyclinic.errors import ConfigError
from polyclinic.eval.compare import Arm, Comparison, compare
from polyclinic.eval.estimate import decimals
from polyclinic.eval.overview import NO_P_VALUES, p_text, same_rules
from polyclinic.eval.results import RunResults
from polyclinic.eval.validity import left_out, why_left_out
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store
from polyclinic.text.layout import columns_of, filled, terminal_width

WIDEST = 80


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
    if (arms[0].results.run, arms[0].variant) == (arms[1].results.run, arms[1].variant):
        raise ConfigError(f"{left} and {right} are the same variant of the same run: name two different ones")
    found = compare(arms[0], arms[1], list(metrics) or None)
    tested = not all(same_rules(arm.results) for arm in arms)
    if as_json:
        no_tests = {} if tested else {"p_value": None, "p_holm": None}
        print_json([{**asdict(item), **no_tests} for item in found])
    else:
        click.echo(f"LEFT: {left}\nRIGHT: {right}")
        columns = ["metric", "LEFT", "RIGHT", "difference", "95 %", *(["p (Holm)"] if tested else []), "n"]
        numbers = [_numbers(item, tested) for item in found]
        others = table([["", *row] for row in numbers], ["", *columns[1:]])
        room = terminal_width(WIDEST) - max(map(columns_of, others.splitlines()))
        names = [filled(_called(arms[0].results.metric(item.metric)), room) for item in found]
        click.echo(table([[name, *row] for name, row in zip(names, numbers, strict=True)], columns))
        out = dict.fromkeys(name for arm in arms for name in left_out(arm.results))
        if out:
            labels = [own_words(arms[0].results.metric(name).label) for name in out]
            click.echo(filled(own_words(why_left_out(labels)), terminal_width(WIDEST)))
        if not tested:
            click.echo(filled(own_words(NO_P_VALUES), terminal_width(WIDEST)))
    return 0


def _arm(text: str, results: RunResults) -> Arm:
    run, _, variant = text.partition("/")
    names = results.variant_names()
    if not names:
        raise ConfigError(f"{text}: no episode has ended yet; continue with: polyclinic resume {results.run}")
    if not variant and len(names) != 1:
        raise ConfigError(f"{text}: name a variant: {', '.join(f'{run}/{name}' for name in names)}")
    return Arm(results, variant or names[0])


def _called(metric: Metric) -> str:
    """The metric's label; in another language, with the name that `--metric` takes behind it."""
    words = own_words(metric.name)
    return metric.label if words == metric.name else f"{words} ({metric.name})"


def _numbers(item: Comparison, tested: bool) -> list[str]:
    span = "–" if item.low is None or item.high is None else f"{item.low:+.3f} to {item.high:+.3f}"
    means = [f"{mean:.{decimals(mean)}f}" for mean in (item.left_mean, item.right_mean)]
    return [*means, f"{item.difference:+.3f}", span, *([p_text(item.p_holm)] if tested else []), str(item.pairs)]
