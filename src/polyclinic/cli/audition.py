"""`polyclinic audition`: for which roles a model is fit, and what a run with it would cost."""

from __future__ import annotations

import re
from pathlib import Path

import click

from polyclinic.cli.options import HTML, FiniteRange, json_option, print_json, wait
from polyclinic.runner.registry import clinic_modules


@click.command(name="audition", short_help="Test a model in every role on small scenes before you pay for a run.")
@click.argument("model")
@click.option("--clinic", "clinics", multiple=True, metavar="CLINIC", help="Only this clinic; may be repeated.")
@click.option(
    "--scenes", type=click.IntRange(1, 100), default=12, show_default=True, help="Scenes for each role, at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides which scenarios the scenes come from.")
@click.option(
    "--concurrency", type=click.IntRange(1, 1000), default=8, show_default=True, help="Scenes played at the same time."
)
@click.option(
    "--max-cost-usd",
    type=FiniteRange(0, min_open=True),
    default=None,
    help="Stop before a clinic's audition costs more than this.",
)
@click.option("--max-seconds", type=FiniteRange(0, min_open=True), default=None, help="Stop after this many seconds.")
@click.option("--local-only", is_flag=True, help="Refuse a model that is not on this machine.")
@click.option(
    "--out",
    type=HTML,
    default="",
    metavar="FILE",
    help="The page with the transcripts behind every figure. [default: .polyclinic/audition-MODEL.html]",
)
@json_option
def command(
    model: str,
    clinics: tuple[str, ...],
    scenes: int,
    seed: int,
    concurrency: int,
    max_cost_usd: float | None,
    max_seconds: float | None,
    local_only: bool,
    out: str,
    as_json: bool,
) -> int:
    """Test a model in every role on small scenes before you pay for a run.

    MODEL is written as in a cast: openai:gpt-5-mini, http://127.0.0.1:8080/v1:qwen3, local, understudy. Each scene is a
    real request to a role, taken from an episode that understudies play. Exit code 1: the model is not fit for some
    role.
    """
    from polyclinic.eval.html import render_sections
    from polyclinic.eval.terminal import table_text
    from polyclinic.runner.audition.audition import audition
    from polyclinic.runner.audition.fitness import audition_sections, cost_table, fitness_table

    found = wait(
        audition(
            model,
            clinics or tuple(clinic_modules()),
            scenes=scenes,
            seed=seed,
            concurrency=concurrency,
            max_cost_usd=max_cost_usd,
            max_seconds=max_seconds,
            local_only=local_only,
        )
    )
    path = Path(out or f".polyclinic/audition-{re.sub(r'[^A-Za-z0-9.]+', '-', model).strip('-')}.html")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_sections(f"Audition of {model}", audition_sections(found)), encoding="utf-8")
    if as_json:
        print_json({"model": model, "page": str(path), "roles": [role.as_json() for role in found]})
    else:
        tables = [table_text(table, 160, named_by=2) for table in (fitness_table(found), cost_table(found))]
        click.echo("{}\n\n{}\n".format(*tables))
        click.echo(f"Transcripts behind every figure: {path}")
    return 1 if any(role.fit == "not fit" for role in found) else 0
