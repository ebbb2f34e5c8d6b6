"""Charts drawn as inline SVG: bars with whiskers, lines with bands, heat maps, dot plots, scatter plots."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyclinic.eval import svg
from polyclinic.eval.axes import (
    LINE,
    WIDE,
    ends_of,
    finish,
    left_margin,
    legend_of,
    whisker,
    x_axis,
    x_names,
    x_places,
    y_axis,
)
from polyclinic.eval.chart_text import shown
from polyclinic.eval.charts import Bars, Chart, ChartValue, Dots, HeatMap, Lines, Scatter, middle, span

_MOST_SMALL_COLUMNS, _MOST_SMALL_BARS = 6, 12
_HEIGHT = 260.0


def fits_telephone(chart: Chart) -> bool:
    """Whether the chart can be read at the width of a telephone. Other charts scroll sideways there."""
    match chart:
        case HeatMap():
            return len(chart.columns) <= _MOST_SMALL_COLUMNS
        case Bars():
            return len(chart.groups) * (1 if chart.stacked else len(chart.series)) <= _MOST_SMALL_BARS
        case _:
            return True


def draw(chart: Chart, title: str, description: str, width: float = WIDE) -> str:
    """The chart as one ``<svg>`` element, with a title and a description."""
    match chart:
        case Bars():
            body, height = _bars(chart, width)
        case Lines():
            body, height = _lines(chart, width)
        case HeatMap():
            body, height = _heatmap(chart, width)
        case Dots():
            body, height = _dots(chart, width)
        case Scatter():
            body, height = _scatter(chart, width)
    return svg.wrap(width, height, title, description, body)


def _bars(chart: Bars, width: float) -> tuple[list[str], float]:
    names = list(chart.series)
    legend, top = legend_of(names, width)
    if chart.stacked:
        columns = [[middle(values[i]) or 0.0 for values in chart.series.values()] for i in range(len(chart.groups))]
        reach = [sum(column) for column in columns]
    else:
        reach = [end for values in chart.series.values() for end in ends_of(values)]
    low = min([0.0, *reach]) if chart.low is None else chart.low
    scale = svg.scale_for([0.0, *reach] if low <= 0 else reach, top + _HEIGHT, top + 8, low, chart.high)
    left = left_margin(scale, chart.y_label)
    slot = (width - left - 8) / max(1, len(chart.groups))
    centres = [left + slot * (index + 0.5) for index in range(len(chart.groups))]
    parts = legend + y_axis(scale, left, width - 8, chart.y_label)
    per = 1 if chart.stacked else max(1, len(names))
    thick = min(44.0, slot * 0.78 / per)
    for place, centre in enumerate(centres):
        below = 0.0
        for index, name in enumerate(names):
            value = chart.series[name][place]
            size = middle(value)
            if size is None:
                continue
            x = centre - thick * per / 2 + (0 if chart.stacked else index * thick)
            start, end = (below, below + size) if chart.stacked else (max(scale.low, min(0.0, scale.high)), size)
            below = end if chart.stacked else below
            y1, y2 = sorted((scale(start), scale(end)))
            tip = f"{name}{', ' if name else ''}{chart.groups[place]}: {shown(value)}"
            parts.append(svg.rect(x + 1, y1, thick - 2, y2 - y1, f"fill s{index % svg.SERIES_COLOURS}", tip))
            if not chart.stacked:
                parts += whisker(x + thick / 2, value, scale)
    labels, tall = x_names(chart.groups, centres, slot - 6, top + _HEIGHT)
    return finish(parts + labels, chart.x_label, (left + width) / 2, top + _HEIGHT + tall)


def _runs(points: Sequence[tuple[float, ChartValue]]) -> list[list[tuple[float, float, ChartValue]]]:
    """The points as segments of a line, each point as (x, centre, value). A missing value ends a segment."""
    runs: list[list[tuple[float, float, ChartValue]]] = [[]]
    for x, value in points:
        centre = middle(value)
        if centre is None:
            runs.append([])
        else:
            runs[-1].append((x, centre, value))
    return [run for run in runs if run]


def _lines(chart: Lines, width: float) -> tuple[list[str], float]:
    legend, top = legend_of(list(chart.series), width)
    reach = [end for values in chart.series.values() for end in ends_of(values)]
    y = svg.scale_for(reach, top + _HEIGHT, top + 8, chart.low, chart.high)
    left = left_margin(y, chart.y_label)
    x = svg.scale_for(chart.x, left + 10, width - 16, min(chart.x, default=0.0), max(chart.x, default=1.0))
    parts = legend + y_axis(y, left, width - 8, chart.y_label) + x_places(chart.x, x, top + _HEIGHT)
    for index, (name, values) in enumerate(chart.series.items()):
        klass = f"s{index % svg.SERIES_COLOURS}"
        for run in _runs(list(zip(chart.x, values, strict=True))):
            band = [(at, ends) for at, ends in ((at, span(value)) for at, _, value in run) if ends is not None]
            if len(band) > 1:
                edge = [(x(at), y(high)) for at, (_, high) in band] + [(x(at), y(low)) for at, (low, _) in band[::-1]]
                parts.append(svg.path(edge, f"band {klass}", closed=True))
            if len(run) > 1:
                parts.append(svg.path([(x(at), y(centre)) for at, centre, _ in run], f"line {klass} d{index % 4}"))
            for at, centre, value in run:
                tip = f"{name}{', ' if name else ''}{at:g}: {shown(value)}"
                parts.append(svg.mark(x(at), y(centre), index, tip, size=3.0 if len(chart.x) > 25 else 4.0))
    return finish(parts, chart.x_label, (left + width) / 2, top + _HEIGHT + 20)


def _heatmap(chart: HeatMap, width: float) -> tuple[list[str], float]:
    names = min(200.0, width * 0.4, max((svg.width_of(name) for name in chart.rows), default=0.0) + 12)
    left = names + (26 if chart.y_label else 0)
    cell = min(72.0, (width - left - 8) / max(1, len(chart.columns)))
    folded = [svg.folded(name, names - 11) for name in chart.rows]
    tall = max(min(34.0, max(16.0, cell * 0.6)), 2 + LINE * max(map(len, folded), default=1))
    found = [value for value in (middle(cell) for row in chart.values for cell in row) if value is not None]
    low = chart.low if chart.low is not None else min(found, default=0.0)
    high = chart.high if chart.high is not None else max(found, default=1.0)
    parts: list[str] = []
    for r, (name, row) in enumerate(zip(chart.rows, chart.values, strict=True)):
        y = 4 + r * tall
        first = y + tall / 2 + 4 - LINE * (len(folded[r]) - 1) / 2
        parts += [svg.text(left - 6, first + LINE * at, part, "end") for at, part in enumerate(folded[r])]
        for c, value in enumerate(map(middle, row)):
            x = left + c * cell
            if value is None:
                parts.append(svg.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "none"))
                continue
            share = (value - low) / (high - low) if high > low else 0.5
            label = f"{value:.{chart.digits}f}"
            shade = f"fill-opacity:{0.06 + 0.94 * min(1.0, max(0.0, share)):.2f}"
            parts.append(
                svg.rect(x + 0.5, y + 0.5, cell - 1, tall - 1, "heat", f"{name}, {chart.columns[c]}: {label}", shade)
            )
            if svg.width_of(label, 11) <= cell - 4:
                ink = "cell" if share < 0.55 else "cell mid" if share < 0.79 else "cell full"
                parts.append(svg.text(x + cell / 2, y + tall / 2 + 4, label, "middle", ink))
    bottom = 4 + len(chart.rows) * tall
    centres = [left + (index + 0.5) * cell for index in range(len(chart.columns))]
    labels, below = x_names(chart.columns, centres, cell - 4, bottom)
    if chart.y_label:
        parts.append(svg.text(12, bottom / 2, chart.y_label, "middle", "label", turn=-90))
    return finish(parts + labels, chart.x_label, left + cell * len(chart.columns) / 2, bottom + below)


def _dots(chart: Dots, width: float) -> tuple[list[str], float]:
    legend, top = legend_of(list(chart.series), width)
    reach = [end for values in chart.series.values() for end in ends_of(values)]
    reach += [] if chart.reference is None else [chart.reference]
    longest = max((svg.width_of(name) for name in chart.rows), default=0.0) + 14
    over = longest > width * 0.4  # long names are placed above their rows, so that none is cut
    left = 8.0 if over else longest
    x = svg.scale_for(reach, left + 8, width - 16, chart.low, chart.high)
    names = [svg.folded(name, width - left - 8) for name in chart.rows] if over else []
    named = 4.0 + LINE * max(map(len, names)) if names else 0.0
    tall = 22.0 + 11.0 * (len(chart.series) - 1) + named
    bottom = top + 4 + tall * len(chart.rows)
    about = 4 if width < WIDE else 6
    step = svg.tick_step(x.high - x.low, about)
    parts = legend + [svg.line(x(tick), top, x(tick), bottom, "grid") for tick in x.ticks(about)]
    parts += [svg.text(x(tick), bottom + 16, svg.tick_text(tick, step), "middle", "tick") for tick in x.ticks(about)]
    if chart.reference is not None:
        parts.append(svg.line(x(chart.reference), top, x(chart.reference), bottom, "reference"))
    for row, name in enumerate(chart.rows):
        y = top + 2 + named / 2 + tall * (row + 0.5)
        if over:
            first = top + tall * row + named - 4 - LINE * (len(names[row]) - 1)
            parts += [svg.text(left, first + LINE * at, part) for at, part in enumerate(names[row])]
        else:
            parts.append(svg.text(left - 2, y + 4, name, "end"))
        for index, (series, values) in enumerate(chart.series.items()):
            value, at = values[row], y + 11.0 * (index - (len(chart.series) - 1) / 2)
            centre = middle(value)
            if centre is None:
                continue
            ends = span(value)
            if ends is not None:
                parts.append(svg.line(x(ends[0]), at, x(ends[1]), at, f"span s{index % svg.SERIES_COLOURS}"))
            parts.append(svg.mark(x(centre), at, index, f"{series}{', ' if series else ''}{name}: {shown(value)}"))
    return finish(parts, chart.x_label, (left + width) / 2, bottom + 20)


def _scatter(chart: Scatter, width: float) -> tuple[list[str], float]:
    legend, top = legend_of(list(chart.series), width)
    series = {name: [p for p in values if all(map(math.isfinite, p))] for name, values in chart.series.items()}
    points = [point for values in series.values() for point in values]
    y = svg.scale_for([b for _, b in points], top + _HEIGHT, top + 8)
    left = left_margin(y, chart.y_label)
    x = svg.scale_for([a for a, _ in points], left + 10, width - 16)
    if chart.diagonal:
        both = [value for point in points for value in point]
        y, x = svg.scale_for(both, y.start, y.end), svg.scale_for(both, x.start, x.end)
    parts = legend + y_axis(y, left, width - 8, chart.y_label) + x_axis(x, top + _HEIGHT)
    if chart.diagonal:
        parts.append(svg.line(x(x.low), y(x.low), x(x.high), y(x.high), "reference"))
    for index, (name, values) in enumerate(series.items()):
        parts += [svg.mark(x(a), y(b), index, f"{name}{': ' if name else ''}{a:g}, {b:g}", 3.5) for a, b in values]
    return finish(parts, chart.x_label, (left + width) / 2, top + _HEIGHT + 20)
