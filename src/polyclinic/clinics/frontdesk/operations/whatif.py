"""What if: the same patients under many settings, with intervals, and the cheapest setting that keeps the limits.

Every setting sees the same trials, so the difference between two settings does not come from different patients. A
setting keeps a limit when the upper end of its interval is within the limit. Patients who are turned away have no
waiting time, so their share always has a limit too: without it, the setting that books fewest would seem best.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from statistics import fmean

from pydantic import ValidationError

from polyclinic.clinics.frontdesk.operations.demand import draw_requests
from polyclinic.clinics.frontdesk.operations.engine import simulate
from polyclinic.clinics.frontdesk.operations.setting import ASSUMED, SOURCES, Setting
from polyclinic.core.plain_faults import plain_fault
from polyclinic.core.seed import stream
from polyclinic.core.value import Value
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.eval.charts import Lines
from polyclinic.eval.estimate import Estimate, mean_with_interval
from polyclinic.eval.evaluation import DialQuestion, Evaluation
from polyclinic.eval.sections import Block, Cell, Figure, Paragraph, Section, Table

FIGURES = {
    "wait_days": "calendar days from the call to the appointment, of those who get one",
    "wait_days_p90": "the same, for a patient who waits longer than nine in ten patients",
    "urgent_days": "calendar days from the call to the appointment, for urgent patients",
    "clinic_wait": "minutes in the waiting room, with an appointment",
    "walk_in_wait": "minutes in the waiting room, without an appointment",
    "desk_wait": "minutes until a clerk answers",
    "overtime": "minutes of overtime of a session",
    "utilisation": "share of a session in which somebody is seen (above 1: overtime)",
    "no_shows": "share of visits to which nobody came",
    "turned_away": "share of callers for whom nothing was free within the horizon, also after the hospital cancelled",
    "rebooked": "share of callers whose session the hospital cancelled",
    "seen_a_week": "patients seen a week",
    "cost_a_week": "cost of clinics and desk a week",
}
SHOWN = (
    "wait_days",
    "turned_away",
    "urgent_days",
    "clinic_wait",
    "desk_wait",
    "overtime",
    "utilisation",
    "cost_a_week",
)
DRAWN = ("wait_days", "turned_away", "clinic_wait", "utilisation")
TURNED_AWAY = 0.05
"""The limit of the share turned away, if none is given. It is a choice, not a finding."""
CIRCUMSTANCES = (
    "demand", "urgent", "walk_ins", "no_show", "cancel", "hospital_cancel", "wants_physician", "wants_date", "call",
    "consultation",
)  # fmt: skip
"""Dials that the hospital cannot choose."""
MOST = 400
DIALS = {name: str(field.description) for name, field in Setting.model_fields.items()}


class SettingFigures(Value):
    """One setting and its figures."""

    dials: dict[str, float]
    figures: dict[str, Estimate]


class WhatIfFigures(Value):
    """Every setting that was tried, and, if limits were given, the cheapest setting that keeps them."""

    settings: tuple[SettingFigures, ...]
    hold: dict[str, float]
    cheapest: dict[str, float] | None
    trials: int
    sources: dict[str, str]


def whatif(asked: DialQuestion) -> Evaluation[WhatIfFigures]:
    """Run all settings on the same patients."""
    for name in (*asked.vary, *asked.fixed):
        if name not in DIALS:
            raise UnknownName("dial", name, DIALS)
    for name in asked.hold:
        if name not in FIGURES:
            raise UnknownName("figure to hold", name, FIGURES)
    grid = list(itertools.product(*asked.vary.values()))
    if len(grid) > MOST:
        raise ConfigError(f"{len(grid)} settings are more than {MOST}: vary fewer values")
    base = setting_of(asked.fixed)
    settings = [(point, setting_of({**asked.fixed, **dict(zip(asked.vary, point, strict=True))})) for point in grid]
    found: list[list[dict[str, float]]] = [[] for _ in settings]
    for trial in range(asked.trials):
        for place, (_, setting) in enumerate(settings):
            # The same seed for all settings of a trial: settings with the same demand have the same patients.
            requests = draw_requests(setting, stream("frontdesk", "whatif", asked.seed, trial))
            sick = stream("frontdesk", "whatif sessions", asked.seed, trial)
            found[place].append(simulate(setting, requests, sick))
    rows = [
        SettingFigures(
            dials=dict(zip(asked.vary, point, strict=True)),
            figures={name: mean_with_interval([t[name] for t in trials]) for name in FIGURES},
        )
        for (point, _), trials in zip(settings, found, strict=True)
    ]
    return _answer(asked, base, rows)


def setting_of(values: Mapping[str, float]) -> Setting:
    """Make a setting from the values of its dials. The error for an impossible value names the dial."""
    try:
        return Setting.model_validate(dict(values))
    except ValidationError as error:
        fault = error.errors()[0]
        name = ".".join(map(str, fault["loc"]))
        raise ConfigError(f"{name + ': ' if name else ''}{plain_fault(fault)}") from None


def holds(row: SettingFigures, limits: Mapping[str, float]) -> bool:
    """Whether a setting keeps every limit, also at the upper end of its interval."""
    return all((row.figures[name].high or row.figures[name].mean) <= limit for name, limit in limits.items())


def cheapest(rows: Sequence[SettingFigures], limits: Mapping[str, float]) -> tuple[dict[str, float], float] | None:
    """The choice of lowest mean cost that keeps every limit under all circumstances that were tried.

    None if no choice does. The share of patients who stay away is a circumstance, because nobody can choose it. The
    number of physicians is a choice.
    """
    choices: dict[tuple[tuple[str, float], ...], list[SettingFigures]] = {}
    for row in rows:
        chosen = tuple((name, value) for name, value in row.dials.items() if name not in CIRCUMSTANCES)
        choices.setdefault(chosen, []).append(row)
    keeping = {
        chosen: fmean(row.figures["cost_a_week"].mean for row in found)
        for chosen, found in choices.items()
        if all(holds(row, limits) for row in found)
    }
    best = min(keeping, key=keeping.__getitem__, default=None)
    return None if best is None else (dict(best), keeping[best])


def _answer(asked: DialQuestion, base: Setting, rows: Sequence[SettingFigures]) -> Evaluation[WhatIfFigures]:
    hold = {**asked.hold, "turned_away": asked.hold.get("turned_away", TURNED_AWAY)} if asked.hold else {}
    best = cheapest(rows, hold)
    limits = " and ".join(f"{name} ≤ {limit:g}" for name, limit in hold.items())
    if not hold:
        told = "No limit was given. Add one, such as --hold wait_days=5, to find the cheapest setting that keeps it."
    elif best is None:
        told = f"No setting keeps {limits}: try a wider range of values."
    else:
        given = [name for name in asked.vary if name in CIRCUMSTANCES]
        under = f", under every {' and '.join(given)} that was tried" if given else ""
        told = f"The cheapest setting that keeps {limits}{under}: {_words(best[0])}, at {best[1]:,.0f} a week."
    if "turned_away" in hold and "turned_away" not in asked.hold:
        share = f"{100 * TURNED_AWAY:g} %"
        told += f" That at most {share} are turned away is a default: change it with --hold turned_away=LIMIT."
    body: list[Block] = [
        Paragraph(told),
        Paragraph(
            f"{len(rows)} settings, {asked.trials} trials each on the same patients, {base.weeks} weeks measured "
            f"after {base.warm_up} weeks that fill the book. Intervals: 95 %, over trials.",
            tone="note",
        ),
        *_assumed(asked),
        *_curves(asked, rows),
        _table(asked, rows, hold),
    ]
    sources = sources_of(asked)
    fixed = [[name, getattr(base, name), DIALS[name], source] for name, source in sources.items()]
    columns = ["dial", "value", "meaning", "where the value is from"]
    more = Section("What stayed the same", [Table("Dials that were not varied", columns, fixed)])
    figures = WhatIfFigures(
        settings=tuple(rows),
        hold=hold,
        cheapest=best[0] if best is not None and hold else None,
        trials=asked.trials,
        sources=sources,
    )
    return Evaluation(figures, [Section("What if", body), more])


def sources_of(asked: DialQuestion) -> dict[str, str]:
    """Where the value of each dial that was not varied comes from."""
    return {
        name: asked.given_by.get(name) or ("given" if name in asked.fixed else SOURCES.get(name, ASSUMED))
        for name in DIALS
        if name not in asked.vary
    }


def _assumed(asked: DialQuestion) -> list[Block]:
    """A sentence that names the values that are assumed, not measured."""
    names = [name for name, source in sources_of(asked).items() if source == ASSUMED]
    if not names:
        return []
    told = (
        f"Assumed, not measured: {', '.join(names)}. The results are simulated. Before you plan care with them, "
        "replace these values by the figures of your own department (--figures FILE or --set DIAL=VALUE)."
    )
    return [Paragraph(told, tone="note")]


def _words(dials: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in dials.items())


def _curves(asked: DialQuestion, rows: Sequence[SettingFigures]) -> list[Block]:
    """One picture for each of the main numbers.

    The first dial is on the x axis; each combination of the others is a line.
    """
    if not asked.vary:
        return []
    first, *others = asked.vary
    x = list(asked.vary[first])
    figures: list[Block] = []
    for name in DRAWN:
        series: dict[str, list[Estimate | None]] = {}
        for row in rows:
            label = _words({other: row.dials[other] for other in others}) or FIGURES[name]
            line = series.setdefault(label, [None] * len(x))
            line[x.index(row.dials[first])] = row.figures[name]
        chart = Lines(x, series, x_label=DIALS[first], y_label=name.replace("_", " "), low=0)
        figures.append(Figure(f"{name.replace('_', ' ').capitalize()}: {FIGURES[name]}", chart))
    return figures


def _table(asked: DialQuestion, rows: Sequence[SettingFigures], hold: Mapping[str, float]) -> Table:
    lines: list[list[Cell]] = []
    for row in rows:
        cells: list[Cell] = [f"{value:g}" for value in row.dials.values()]
        cells += [row.figures[name] for name in SHOWN]
        cells.append("yes" if hold and holds(row, hold) else "no" if hold else "-")
        lines.append(cells)
    note = "; ".join(f"{name.replace('_', ' ')}: {FIGURES[name]}" for name in SHOWN)
    columns = [*asked.vary, *(name.replace("_", " ") for name in SHOWN), "holds"]
    return Table("All settings", columns, lines, note=f"{note}.")
