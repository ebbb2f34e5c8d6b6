"""Table cells as plain text, the same in every output."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyclinic.eval.estimate import Estimate
from polyclinic.eval.sections import Cell, Table

_MOST_DECIMALS = 6


def is_numeric(table: Table, column: int) -> bool:
    """Whether a column holds numbers only (and at least one), and so aligns right."""
    cells = [row[column] for row in table.rows]
    numbers = [isinstance(cell, (int, float, Estimate)) and not isinstance(cell, bool) for cell in cells]
    return any(numbers) and all(found or cell is None for found, cell in zip(numbers, cells, strict=True))


def column_digits(table: Table) -> list[int]:
    """How many decimals each column's plain numbers get: none if all of them are whole or large."""
    return [_digits_of([row[i] for row in table.rows], table.digits) for i in range(len(table.columns))]


def _digits_of(cells: Sequence[Cell], digits: int) -> int:
    if all(_whole(cell) for cell in cells):
        return 0
    if any(isinstance(cell, Estimate) for cell in cells):
        return digits
    sizes = [abs(cell) for cell in cells if isinstance(cell, float) and math.isfinite(cell) and cell]
    return decimals(min(sizes), digits) if sizes and min(sizes) >= 100 else digits


def _whole(cell: Cell) -> bool:
    return not isinstance(cell, (float, Estimate)) or (
        isinstance(cell, float) and math.isfinite(cell) and cell == int(cell)
    )


def counted(table: Table) -> tuple[str, list[str]]:
    """The caption and the columns' names, with the number of episodes behind the estimates.

    The number is in the caption if it is the same for all, else in each column.
    """
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


def decimals(value: float, digits: int) -> int:
    """How many decimals a number of this size needs: three digits in total are enough for a reader."""
    return max(0, min(digits, 2 - (len(str(int(abs(value)))) - 1))) if abs(value) >= 1 else digits


def estimate_decimals(found: Estimate, digits: int) -> int:
    """The decimals of a mean and its interval: more if both ends would look the same, which would claim certainty."""
    shown = decimals(found.mean, digits)
    if found.low is None or found.high is None or found.high - found.low < 10**-_MOST_DECIMALS:
        return shown
    while shown < _MOST_DECIMALS and f"{found.low:.{shown}f}" == f"{found.high:.{shown}f}":
        shown += 1
    return shown


def cell_text(cell: Cell, digits: int) -> str:
    """A cell as plain text; None is a dash."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Estimate):
        return cell.text(estimate_decimals(cell, digits))
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        if not math.isfinite(cell):
            return "–"
        return f"{cell:,.{digits}f}"
    return cell
