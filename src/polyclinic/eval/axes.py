"""What charts have in common: legend, axes, names under them, whiskers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from polyclinic.eval import svg
from polyclinic.eval.charts import ChartValue, middle, span

WIDE, SMALL, NARROW = 680.0, 340.0, 270.0
"""Widths of a chart on a page, on a telephone, and as one of several beside each other."""
_LEGEND_LINE, LINE = 18.0, 14.0
_LONGEST = 220.0
"""The longest slanted name; a longer one is cut."""
_FEW_PLACES = 12


def ends_of(values: Sequence[ChartValue]) -> list[float]:
    """Every value with the ends of its interval: the numbers that a scale must include."""
    found: list[float] = []
    for value in values:
        centre = middle(value)
        found += [] if centre is None else [centre, *(span(value) or ())]
    return found


def legend_of(names: Sequence[str], width: float) -> tuple[list[str], float]:
    """Coloured marks with the names of the series, in as many lines as they need; empty for a single series."""
    if len(names) < 2:
        return [], 4.0
    parts: list[str] = []
    x, y = 8.0, 12.0
    for index, name in enumerate(names):
        label = svg.shorten(name, width - 40)
        needed = svg.width_of(label) + 30
        if x + needed > width and x > 8.0:
            x, y = 8.0, y + _LEGEND_LINE
        parts.append(svg.mark(x + 4, y - 4, index))
        parts.append(svg.text(x + 14, y, label))
        x += needed
    return parts, y + 10


def y_axis(scale: svg.Scale, left: float, right: float, label: str) -> list[str]:
    """Grid lines with their figures, and the label along the axis."""
    step = svg.tick_step(scale.high - scale.low)
    parts = []
    for tick in scale.ticks():
        y = scale(tick)
        parts.append(svg.line(left, y, right, y, "zero" if abs(tick) < step * 1e-9 else "grid"))
        parts.append(svg.text(left - 6, y + 4, svg.tick_text(tick, step), "end", "tick"))
    if label:
        top = min(scale.start, scale.end)
        parts.append(svg.text(12, (top + max(scale.start, scale.end)) / 2, label, "middle", "label", turn=-90))
    return parts


def left_margin(scale: svg.Scale, label: str) -> float:
    """The space that the figures and the label of the y axis need."""
    step = svg.tick_step(scale.high - scale.low)
    widest = max((svg.width_of(svg.tick_text(tick, step)) for tick in scale.ticks()), default=20.0)
    return widest + 12 + (18 if label else 0)


def whisker(x: float, value: ChartValue, scale: svg.Scale) -> list[str]:
    """The interval of a value as a vertical line; empty for a value without an interval."""
    ends = span(value)
    if ends is None:
        return []
    low, high = scale(ends[0]), scale(ends[1])
    return [svg.line(x, low, x, high, "whisker")] + [svg.line(x - 4, y, x + 4, y, "whisker") for y in (low, high)]


def x_names(names: Sequence[str], centres: Sequence[float], room: float, y: float) -> tuple[list[str], float]:
    """Labels under the axis, and their height.

    They are horizontal if they fit (in several lines, or with some left out), else slanted.
    """
    widest = max((svg.width_of(name) for name in names), default=0.0)
    if widest <= max(room, 26.0):
        every = 1 if widest <= room else math.ceil((widest + 4) / max(room + 4, 1.0))
        kept = list(zip(names, centres, strict=True))[::every]
        return [svg.text(x, y + 16, name, "middle") for name, x in kept], 22.0
    if all(svg.width_of(word) <= room for name in names for word in name.split()):
        lines = [svg.folded(name, room) for name in names]
        parts = [
            (x, y + 16 + LINE * at, part)
            for x, name in zip(centres, lines, strict=True)
            for at, part in enumerate(name)
        ]
        return [svg.text(*each, "middle") for each in parts], 8 + LINE * max(map(len, lines))
    every = max(1, math.ceil(13.0 / max(room + 4, 1.0)))
    labels = [(svg.shorten(name, min(_LONGEST, x / 0.83)), x) for name, x in zip(names, centres, strict=True)][::every]
    tall = max(svg.width_of(label) for label, _ in labels) * 0.6 + 22
    return [svg.text(x + 4, y + 14, label, "end", turn=-35) for label, x in labels], tall


def finish(parts: list[str], x_label: str, centre: float, bottom: float) -> tuple[list[str], float]:
    """The chart with the label of its x axis, and its height."""
    if not x_label:
        return parts, bottom + 6
    return [*parts, svg.text(centre, bottom + 14, x_label, "middle", "label")], bottom + 24


def x_axis(scale: svg.Scale, y: float, about: int = 6) -> list[str]:
    """Figures under the chart at round numbers."""
    step = svg.tick_step(scale.high - scale.low, about)
    return [svg.text(scale(tick), y + 16, svg.tick_text(tick, step), "middle", "tick") for tick in scale.ticks(about)]


def x_places(places: Sequence[float], scale: svg.Scale, y: float) -> list[str]:
    """Ticks at the given positions if these are few and their labels fit, else at round numbers."""
    labels = [(scale(place), f"{place:g}") for place in sorted(set(places))]
    roomy = all(svg.width_of(a[1]) + 6 <= b[0] - a[0] for a, b in pairwise(labels))
    if len(labels) > _FEW_PLACES or not roomy:
        return x_axis(scale, y, 5 if scale.end < NARROW else 10)
    return [svg.text(x, y + 16, words, "middle", "tick") for x, words in labels]
