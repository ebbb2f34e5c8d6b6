"""Table cells as plain text, the same in every output."""

from __future__ import annotations

import math

from polyclinic.eval.estimate import Estimate
from polyclinic.eval.sections import Cell, Table


def is_numeric(table: Table, column: int) -> bool:
    """Whether a column holds numbers only (and at least one), and so aligns right."""
    cells = [row[column] for row in table.rows]
    numbers = [isinstance(cell, (int, float, Estimate)) and not isinstance(cell, bool) for cell in cells]
    return any(numbers) and all(found or cell is None for found, cell in zip(numbers, cells, strict=True))


def column_digits(table: Table) -> list[int]:
    """How many decimals each column's plain numbers get: none where all of them are whole."""
    return [0 if all(_whole(row[i]) for row in table.rows) else table.digits for i in range(len(table.columns))]


def _whole(cell: Cell) -> bool:
    return not isinstance(cell, (float, Estimate)) or (
        isinstance(cell, float) and math.isfinite(cell) and cell == int(cell)
    )


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
        return f"{cell:,.{digits}f}"
    return cell
