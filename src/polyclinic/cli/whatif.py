"""`polyclinic whatif`: the same patients under many settings of a clinic that can be run as an operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import TypeVar

import click

from polyclinic.cli.options import HTML, json_option, print_result
from polyclinic.core.files import bad_file, parse_toml, read_text
from polyclinic.errors import ConfigError
from polyclinic.eval.evaluation import DialQuestion
from polyclinic.eval.html import render_sections
from polyclinic.eval.terminal import section_text
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.text.layout import number_of

_LONGEST = 200
T = TypeVar("T")


@click.command(name="whatif", short_help="Compare settings of an operation on the same patients, with intervals.")
@click.argument("clinic")
@click.option(
    "--vary",
    multiple=True,
    metavar="DIAL=VALUES",
    help="Values to try: 2..6, 0..10..5 (with a step) or 0.05,0.15; may be repeated.",
)
@click.option(
    "--set", "fixed", multiple=True, metavar="DIAL=VALUE", help="A dial that keeps one value; may be repeated."
)
@click.option(
    "--figures",
    type=click.Path(dir_okay=False),
    default=None,
    help="A TOML file with your own figures, such as demand = 45.",
)
@click.option(
    "--hold", multiple=True, metavar="FIGURE=LIMIT", help="A limit that must not be exceeded, such as wait_days=5."
)
@click.option("--trials", type=click.IntRange(1, 1000), default=20, show_default=True, help="Trials of each setting.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same result.")
@click.option("--html", type=HTML, default=None, help="Also write the answer as one HTML file.")
@json_option
def command(
    clinic: str,
    vary: tuple[str, ...],
    fixed: tuple[str, ...],
    figures: str | None,
    hold: tuple[str, ...],
    trials: int,
    seed: int,
    html: str | None,
    as_json: bool,
) -> int:
    """Compare settings of an operation on the same patients, with intervals, and find the cheapest one within a limit.

    \b
    polyclinic whatif frontdesk --vary physicians=2..6 --vary overbooking=0..2 --hold wait_days=3
    """
    found = load_clinic(clinic)
    if found.whatif is None:
        able = ", ".join(name for name in clinic_modules() if load_clinic(name).whatif is not None)
        raise ConfigError(f"{clinic} has no what-if: it does not simulate its operation; these clinics do: {able}")
    varied, told = _dials(vary, _values), _dials(fixed, _number)
    measured = {name: value for name, value in _figures(figures).items() if name not in varied}
    asked = DialQuestion(
        vary=varied,
        fixed={**measured, **told},
        given_by={**dict.fromkeys(measured, f"your file {figures}"), **dict.fromkeys(told, "given with --set")},
        hold=_dials(hold, _number),
        trials=trials,
        seed=seed,
    )
    if not asked.vary:
        raise ConfigError("nothing varies: give --vary DIAL=VALUES, such as --vary physicians=2..6")
    if not as_json:
        settings = prod(len(values) for values in varied.values())
        click.echo(f"simulating {number_of(settings, 'setting')}, {number_of(trials, 'trial')} of each", err=True)
    answer = found.whatif(asked)
    if html is not None:
        Path(html).write_text(render_sections(f"{found.title}: what if", answer.sections), encoding="utf-8")
    print_result(
        as_json,
        {"clinic": clinic, **answer.to_plain()},
        "\n\n".join(section_text(section) for section in answer.sections),
    )
    return 0


def _figures(file: str | None) -> dict[str, float]:
    """Dials and their values from a file.

    For a dial that the command line varies or sets, the file's value is not used.
    """
    if file is None:
        return {}
    table = parse_toml(read_text(file, fix="give a TOML file with lines such as demand = 45"), file)
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise bad_file(file, "not a number", field=name, fix="write a dial and its value, such as demand = 45")
    return {name: float(value) for name, value in table.items()}


def _dials(given: Sequence[str], read: Callable[[str, str], T]) -> dict[str, T]:
    """The value for each name. A duplicate name is refused, because one value would silently replace the other."""
    dials: dict[str, T] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not name or not equals:
            raise ConfigError(f"'{text}': write NAME=VALUE")
        if name in dials:
            raise ConfigError(f"{name} was given twice")
        dials[name] = read(name, value.strip())
    return dials


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ConfigError(f"{name}={text}: not a number") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise ConfigError(f"{name}={text}: not a finite number")
    return value


def _values(name: str, text: str) -> tuple[float, ...]:
    """The values that a text such as ``2..6``, ``0..10..5`` or ``0.05,0.15`` means."""
    if ".." not in text:
        values = [_number(name, part.strip()) for part in text.split(",")]
    else:
        parts = [_number(name, part) for part in text.split("..")]
        if len(parts) not in (2, 3):
            raise ConfigError(f"{name}={text}: write FIRST..LAST or FIRST..LAST..STEP")
        first, last, step = parts[0], parts[1], parts[2] if len(parts) == 3 else 1.0
        if step <= 0 or last < first or (last - first) / step > _LONGEST:
            raise ConfigError(f"{name}={text}: the values must rise, in at most {_LONGEST} steps")
        values = [first + step * number for number in range(int((last - first) / step + 1e-9) + 1)]
    return tuple(dict.fromkeys(round(value, 9) for value in values))
