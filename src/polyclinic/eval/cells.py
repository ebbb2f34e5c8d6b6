"""Table cells as plain text, the same in every output."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyclinic.eval.charts import HeatMap, Scatter
from polyclinic.eval.estimate import Estimate, decimals, rounded
from polyclinic.eval.sections import Cell, Figure, Table


def is_numeric(table: Table, column: int) -> bool:
    """Whether a column holds numbers only (and at least one), and so aligns right."""
    cells = [row[column] for row in table.rows]
    numbers = [isinstance(cell, (int, float, Estimate)) and not isinstance(cell, bool) for cell in cells]
    return any(numbers) and all(found or cell is None for found, cell in zip(numbers, cells, strict=True))


def column_digits(table: Table) -> list[int]:
    """How many decimals each column's plain numbers get: none if all of them are whole."""
    columns = range(len(table.columns))
    return [0 if all(_whole(row[i]) for row in table.rows) else table.digits for i in columns]


def _whole(cell: Cell) -> bool:
    return not isinstance(cell, (float, Estimate)) or (
        isinstance(cell, float) and math.isfinite(cell) and cell == int(cell)
    )


def counted(table: Table) -> tuple[str, list[str]]:
    """The caption and the columns' names, with what the figures were counted from.

    The number of episodes is in the caption if it is the same for all estimates, else in each column.
    """
    if table.n:
        return f"{table.caption} (n = {table.n})", list(table.columns)
    counts = [_counts([row[index] for row in table.rows]) for index in range(len(table.columns))]
    every = sorted({n for each in counts for n in each})
    if len(every) == 1:
        return f"{table.caption} (n = {every[0]})".strip(), list(table.columns)
    names = zip(table.columns, counts, strict=True)
    return table.caption, [f"{name} (n = {_range(found)})" if found else name for name, found in names]


def _counts(cells: Sequence[Cell]) -> list[int]:
    return sorted({cell.n for cell in cells if isinstance(cell, Estimate)})


def _range(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def counted_figure(figure: Figure) -> str:
    """The caption of a picture, with the number of episodes, or of what else it was made from."""
    chart, told = figure.chart, figure.n
    if isinstance(chart, Scatter):
        told = told or str(sum(map(len, chart.series.values())))
    elif not told and not isinstance(chart, HeatMap):
        counts = _counts([value for values in chart.series.values() for value in values])
        told = _range(counts) if counts else ""
    return f"{figure.caption} (n = {told})" if told and "n = " not in figure.caption else figure.caption


def cell_text(cell: Cell, digits: int) -> str:
    """A cell as plain text; None is a dash."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Estimate):
        return cell.text(digits)
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        if not math.isfinite(cell):
            return "–"
        return rounded(cell, decimals(cell, digits))
    return cell
