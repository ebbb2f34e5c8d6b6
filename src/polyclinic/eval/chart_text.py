"""Charts in words and as tables: for terminals, for screen readers, and for those who want the numbers."""

from __future__ import annotations

from polyclinic.eval.charts import Chart, ChartValue, HeatMap, Lines, Scatter, middle
from polyclinic.eval.estimate import Estimate, number_text
from polyclinic.eval.sections import Cell, Table


def shown(value: ChartValue, digits: int = 3) -> str:
    """A value in words, with its interval and n if it has them."""
    if value is None:
        return "not measured"
    if isinstance(value, Estimate):
        return f"{value.text(digits)}, n = {value.n}"
    return number_text(value, digits)


def chart_table(chart: Chart, caption: str = "") -> Table:
    """The chart's numbers as a table."""
    if isinstance(chart, HeatMap):
        rows: list[list[Cell]] = [[name, *row] for name, row in zip(chart.rows, chart.values, strict=True)]
        return Table(caption, [chart.y_label or "", *chart.columns], rows, digits=chart.digits)
    if isinstance(chart, Scatter):
        points: list[list[Cell]] = [[name, x, y] for name, values in chart.series.items() for x, y in values]
        return Table(caption, ["series", chart.x_label or "x", chart.y_label or "y"], points)
    places: list[Cell]
    if isinstance(chart, Lines):
        places, label = list(chart.x), chart.x_label or "x"
    else:
        places, label = list(chart.groups if chart.kind == "bars" else chart.rows), chart.x_label or ""
    series = list(chart.series.items())
    body: list[list[Cell]] = [[place, *(values[i] for _, values in series)] for i, place in enumerate(places)]
    return Table(caption, [label if chart.kind != "dots" else "", *(name or "value" for name, _ in series)], body)


def chart_words(chart: Chart) -> str:
    """What the chart shows, in a sentence or two: its kind, its extent, and its lowest and highest value."""
    table = chart_table(chart)
    kind = {
        "bars": "Bar chart",
        "lines": "Line chart",
        "heatmap": "Heat map",
        "dots": "Dot plot",
        "scatter": "Scatter plot",
    }[chart.kind]
    if isinstance(chart, Scatter):
        return f"{kind} of {chart.x_label or 'x'} against {chart.y_label or 'y'}, {len(table.rows)} points."
    cells: list[tuple[float, str]] = []
    for row in table.rows:
        for column, cell in zip(table.columns[1:], row[1:], strict=True):
            value = middle(cell) if isinstance(cell, (Estimate, float, int)) else None
            if value is not None:
                place = f"{row[0]:g}" if isinstance(row[0], float) else str(row[0])
                cells.append((value, f"{place}, {column}" if len(table.columns) > 2 else place))
    extent = f"{len(table.rows)} rows by {len(table.columns) - 1} columns"
    if not cells:
        return f"{kind}, {extent}, without values."
    low, high = min(cells), max(cells)
    return f"{kind}, {extent}. Lowest {number_text(low[0])} ({low[1]}), highest {number_text(high[0])} ({high[1]})."
