"""`polyclinic clinics`: list the clinics."""

from __future__ import annotations

from typing import Any

import click

from polyclinic.cli.language import own_words
from polyclinic.cli.options import json_option, print_json
from polyclinic.core.clinic import Clinic
from polyclinic.runner.registry import clinic_modules, load_clinic


@click.command(name="clinics", short_help="List the clinics, their roles, variants and judges.")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> int:
    """List the clinics, their roles, variants and judges.

    With NAME, shows one clinic in full.
    """
    found = [load_clinic(name)] if name else [load_clinic(each) for each in clinic_modules()]
    if as_json:
        print_json([describe(clinic) for clinic in found])
    elif name:
        click.echo(_full(found[0]))
    else:
        for clinic in found:
            click.echo(f"{click.style(clinic.name, bold=True)}: {own_words(clinic.summary)}")
            click.echo(f"  {own_words('variants')}: {', '.join(clinic.variants)}")
    return 0


def describe(clinic: Clinic) -> dict[str, Any]:
    """A clinic as plain data."""
    return {
        "name": clinic.name,
        "title": clinic.title,
        "summary": clinic.summary,
        "paper": clinic.paper,
        "roles": {role.name: {"side": role.side, "about": role.about} for role in clinic.roles},
        "variants": {name: variant.about for name, variant in clinic.variants.items()},
        "default_variant": clinic.first_variant,
        "judges": {judge.name: [metric.name for metric in judge.metrics] for judge in clinic.judges()},
        "mistakes": {mistake.name: mistake.about for mistake in clinic.mistakes},
        "libraries": list(clinic.libraries),
    }


def _full(clinic: Clinic) -> str:
    plain = describe(clinic)
    paper = f"{own_words('paper')}: {own_words(clinic.paper)}"
    lines = [f"{own_words(clinic.title)} ({clinic.name})", own_words(clinic.summary), paper]
    for heading in ("roles", "variants", "judges", "mistakes"):
        lines.append(f"\n{own_words(heading)}:")
        for name, about in plain[heading].items():
            if isinstance(about, dict):
                about = f"{own_words(about['about'])} ({own_words(about['side'])})"
            elif isinstance(about, list):
                about = ", ".join(about)
            else:
                about = own_words(about)
            mark = f" [{own_words('default')}]" if heading == "variants" and name == plain["default_variant"] else ""
            lines.append(f"  {name}: {about}{mark}")
    if clinic.libraries:
        lines.append(f"\n{own_words('libraries')}: {', '.join(clinic.libraries)}")
    return "\n".join(lines)
