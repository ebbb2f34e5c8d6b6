"""Charts drawn as inline SVG: bars with whiskers, lines with bands, heat maps, dot plots, scatter plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from polyclinic.eval import svg
from polyclinic.eval.chart_text import shown
from polyclinic.eval.charts import Bars, Chart, Dots, HeatMap, Lines, Scatter, Value, middle, span

WIDE, SMALL, NARROW = 680.0, 340.0, 270.0
"""A page, a telephone, and one of several pictures beside each other."""
_MOST_SMALL_COLUMNS, _MOST_SMALL_BARS = 6, 12
_HEIGHT = 260.0
_LEGEND_LINE, _LINE = 18.0, 14.0
_LONGEST = 220.0
"""Of a slanted name; one that is longer is cut."""
_FEW_PLACES = 12


def fits_telephone(chart: Chart) -> bool:
    """Whether the chart can be read at the width of a telephone; one that cannot scrolls sideways there."""
    match chart:
        case HeatMap():
            return len(chart.columns) <= _MOST_SMALL_COLUMNS
        case Bars():
            return len(chart.groups) * (1 if chart.stacked else len(chart.series)) <= _MOST_SMALL_BARS
        case _:
            return True


def draw(chart: Chart, title: str, description: str, width: float = WIDE) -> str:
    """The chart as one ``<svg>`` element, named and described."""
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


def _ends(values: Sequence[Value]) -> list[float]:
    found: list[float] = []
    for value in values:
        centre = middle(value)
        found += [] if centre is None else [centre, *(span(value) or ())]
    return found


def _legend(names: Sequence[str], width: float) -> tuple[list[str], float]:
    """Coloured marks with the series' names, in as many lines as they need; nothing for a single unnamed series."""
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


def _y_axis(scale: svg.Scale, left: float, right: float, label: str) -> list[str]:
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


def _left_margin(scale: svg.Scale, label: str) -> float:
    step = svg.tick_step(scale.high - scale.low)
    widest = max((svg.width_of(svg.tick_text(tick, step)) for tick in scale.ticks()), default=20.0)
    return widest + 12 + (18 if label else 0)


def _whisker(x: float, value: Value, scale: svg.Scale) -> list[str]:
    ends = span(value)
    if ends is None:
        return []
    low, high = scale(ends[0]), scale(ends[1])
    return [svg.line(x, low, x, high, "whisker")] + [svg.line(x - 4, y, x + 4, y, "whisker") for y in (low, high)]


def _x_names(names: Sequence[str], centres: Sequence[float], room: float, y: float) -> tuple[list[str], float]:
    """Labels under the axis and the height they take: level where they fit, in lines or thinned out, else slanted."""
    widest = max((svg.width_of(name) for name in names), default=0.0)
    if widest <= max(room, 26.0):
        every = 1 if widest <= room else math.ceil((widest + 4) / max(room + 4, 1.0))
        kept = list(zip(names, centres, strict=True))[::every]
        return [svg.text(x, y + 16, name, "middle") for name, x in kept], 22.0
    if all(svg.width_of(word) <= room for name in names for word in name.split()):
        lines = [svg.folded(name, room) for name in names]
        parts = [
            (x, y + 16 + _LINE * at, part)
            for x, name in zip(centres, lines, strict=True)
            for at, part in enumerate(name)
        ]
        return [svg.text(*each, "middle") for each in parts], 8 + _LINE * max(map(len, lines))
    every = max(1, math.ceil(13.0 / max(room + 4, 1.0)))
    labels = [(svg.shorten(name, min(_LONGEST, x / 0.83)), x) for name, x in zip(names, centres, strict=True)][::every]
    tall = max(svg.width_of(label) for label, _ in labels) * 0.6 + 22
    return [svg.text(x + 4, y + 14, label, "end", turn=-35) for label, x in labels], tall


def _bars(chart: Bars, width: float) -> tuple[list[str], float]:
    names = list(chart.series)
    legend, top = _legend(names, width)
    if chart.stacked:
        columns = [[middle(values[i]) or 0.0 for values in chart.series.values()] for i in range(len(chart.groups))]
        reach = [sum(column) for column in columns]
    else:
        reach = [end for values in chart.series.values() for end in _ends(values)]
    low = min([0.0, *reach]) if chart.low is None else chart.low
    scale = svg.scale_for([0.0, *reach] if low <= 0 else reach, top + _HEIGHT, top + 8, low, chart.high)
    left = _left_margin(scale, chart.y_label)
    slot = (width - left - 8) / max(1, len(chart.groups))
    centres = [left + slot * (index + 0.5) for index in range(len(chart.groups))]
    parts = legend + _y_axis(scale, left, width - 8, chart.y_label)
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
                parts += _whisker(x + thick / 2, value, scale)
    labels, tall = _x_names(chart.groups, centres, slot - 6, top + _HEIGHT)
    return _finish(parts + labels, chart.x_label, (left + width) / 2, top + _HEIGHT + tall)


def _finish(parts: list[str], x_label: str, centre: float, bottom: float) -> tuple[list[str], float]:
    if not x_label:
        return parts, bottom + 6
    return [*parts, svg.text(centre, bottom + 14, x_label, "middle", "label")], bottom + 24


def _x_axis(scale: svg.Scale, y: float, about: int = 6) -> list[str]:
    step = svg.tick_step(scale.high - scale.low, about)
    return [svg.text(scale(tick), y + 16, svg.tick_text(tick, step), "middle", "tick") for tick in scale.ticks(about)]


def _x_places(places: Sequence[float], scale: svg.Scale, y: float) -> list[str]:
    """Ticks at the places themselves where they are few and have room, else at round numbers."""
    labels = [(scale(place), f"{place:g}") for place in sorted(set(places))]
    roomy = all(svg.width_of(a[1]) + 6 <= b[0] - a[0] for a, b in pairwise(labels))
    if len(labels) > _FEW_PLACES or not roomy:
        return _x_axis(scale, y, 5 if scale.end < NARROW else 10)
    return [svg.text(x, y + 16, words, "middle", "tick") for x, words in labels]


def _runs(points: Sequence[tuple[float, Value]]) -> list[list[tuple[float, float, Value]]]:
    """(x, centre, value) without gaps, cut where a value is missing."""
    runs: list[list[tuple[float, float, Value]]] = [[]]
    for x, value in points:
        centre = middle(value)
        if centre is None:
            runs.append([])
        else:
            runs[-1].append((x, centre, value))
    return [run for run in runs if run]


def _lines(chart: Lines, width: float) -> tuple[list[str], float]:
    legend, top = _legend(list(chart.series), width)
    reach = [end for values in chart.series.values() for end in _ends(values)]
    y = svg.scale_for(reach, top + _HEIGHT, top + 8, chart.low, chart.high)
    left = _left_margin(y, chart.y_label)
    x = svg.scale_for(chart.x, left + 10, width - 16, min(chart.x, default=0.0), max(chart.x, default=1.0))
    parts = legend + _y_axis(y, left, width - 8, chart.y_label) + _x_places(chart.x, x, top + _HEIGHT)
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
    return _finish(parts, chart.x_label, (left + width) / 2, top + _HEIGHT + 20)


def _heatmap(chart: HeatMap, width: float) -> tuple[list[str], float]:
    names = min(200.0, width * 0.4, max((svg.width_of(name) for name in chart.rows), default=0.0) + 12)
    left = names + (26 if chart.y_label else 0)
    cell = min(72.0, (width - left - 8) / max(1, len(chart.columns)))
    folded = [svg.folded(name, names - 11) for name in chart.rows]
    tall = max(min(34.0, max(16.0, cell * 0.6)), 2 + _LINE * max(map(len, folded), default=1))
    found = [value for value in (middle(cell) for row in chart.values for cell in row) if value is not None]
    low = chart.low if chart.low is not None else min(found, default=0.0)
    high = chart.high if chart.high is not None else max(found, default=1.0)
    parts: list[str] = []
    for r, (name, row) in enumerate(zip(chart.rows, chart.values, strict=True)):
        y = 4 + r * tall
        first = y + tall / 2 + 4 - _LINE * (len(folded[r]) - 1) / 2
        parts += [svg.text(left - 6, first + _LINE * at, part, "end") for at, part in enumerate(folded[r])]
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
    labels, below = _x_names(chart.columns, centres, cell - 4, bottom)
    if chart.y_label:
        parts.append(svg.text(12, bottom / 2, chart.y_label, "middle", "label", turn=-90))
    return _finish(parts + labels, chart.x_label, left + cell * len(chart.columns) / 2, bottom + below)


def _dots(chart: Dots, width: float) -> tuple[list[str], float]:
    legend, top = _legend(list(chart.series), width)
    reach = [end for values in chart.series.values() for end in _ends(values)]
    reach += [] if chart.reference is None else [chart.reference]
    longest = max((svg.width_of(name) for name in chart.rows), default=0.0) + 14
    over = longest > width * 0.4  # long names stand over their rows, so that none is cut
    left = 8.0 if over else longest
    x = svg.scale_for(reach, left + 8, width - 16, chart.low, chart.high)
    names = [svg.folded(name, width - left - 8) for name in chart.rows] if over else []
    named = 4.0 + _LINE * max(map(len, names)) if names else 0.0
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
            first = top + tall * row + named - 4 - _LINE * (len(names[row]) - 1)
            parts += [svg.text(left, first + _LINE * at, part) for at, part in enumerate(names[row])]
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
    return _finish(parts, chart.x_label, (left + width) / 2, bottom + 20)


def _scatter(chart: Scatter, width: float) -> tuple[list[str], float]:
    legend, top = _legend(list(chart.series), width)
    series = {name: [p for p in values if all(map(math.isfinite, p))] for name, values in chart.series.items()}
    points = [point for values in series.values() for point in values]
    y = svg.scale_for([b for _, b in points], top + _HEIGHT, top + 8)
    left = _left_margin(y, chart.y_label)
    x = svg.scale_for([a for a, _ in points], left + 10, width - 16)
    if chart.diagonal:
        both = [value for point in points for value in point]
        y, x = svg.scale_for(both, y.start, y.end), svg.scale_for(both, x.start, x.end)
    parts = legend + _y_axis(y, left, width - 8, chart.y_label) + _x_axis(x, top + _HEIGHT)
    if chart.diagonal:
        parts.append(svg.line(x(x.low), y(x.low), x(x.high), y(x.high), "reference"))
    for index, (name, values) in enumerate(series.items()):
        parts += [svg.mark(x(a), y(b), index, f"{name}{': ' if name else ''}{a:g}, {b:g}", 3.5) for a, b in values]
    return _finish(parts, chart.x_label, (left + width) / 2, top + _HEIGHT + 20)
