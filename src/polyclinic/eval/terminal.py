"""Reports as plain text: aligned tables of limited width, no dependency, no colour codes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from polyclinic.eval.cells import cell_text, column_digits, counted, counted_figure, is_numeric
from polyclinic.eval.chart_text import chart_table, chart_words
from polyclinic.eval.charts import Scatter
from polyclinic.eval.overview import NOT_CLINICAL, UNDERSTUDIES, cast_table
from polyclinic.eval.report import RunReport
from polyclinic.eval.sections import Block, Details, Dialogue, Diff, Figure, Grid, Paragraph, Picture, Section, Table
from polyclinic.text.layout import columns_of, filled, number_of, terminal_width

WIDTH = 100
_WIDEST_COLUMN = 60
_MOST_ROWS = 60


def render_terminal(report: RunReport, width: int = 0, whole: bool = False) -> str:
    """The report as text, as wide as the terminal. Folded parts show their summary line only, unless `whole`."""
    width = width or terminal_width(WIDTH)
    results = report.results
    head = [
        f"{report.title}: run {report.summary.run}",
        NOT_CLINICAL,
        f"{number_of(len(results.episodes), 'episode')}, {results.failed:,} failed",
    ]
    parts = ["\n".join(filled(line, width) for line in head)]
    if results.cast:
        parts.append(table_text(cast_table(results), width))
    if report.understudied():
        parts.append(filled(f"Played by understudies: {', '.join(report.understudied())}. {UNDERSTUDIES}", width))
    parts += [section_text(section, width, whole) for section in report.all_sections]
    return "\n\n".join(parts) + "\n"


def section_text(section: Section, width: int = 0, whole: bool = False) -> str:
    """One section under its underlined title, as wide as the terminal."""
    width = width or terminal_width(WIDTH)
    body = [text for text in (block_text(block, width, whole) for block in section.body) if text]
    return "\n\n".join([f"{section.title}\n{'=' * columns_of(section.title)}", *body])


def block_text(block: Block, width: int = WIDTH, whole: bool = False) -> str:
    """One block as text; a figure is shown as its numbers."""
    match block:
        case Paragraph():
            prefix = "! " if block.tone == "warning" else ""
            return "\n\n".join(
                filled(prefix + part.strip(), width) for part in block.text.split("\n\n") if part.strip()
            )
        case Table():
            return table_text(block, width)
        case Picture():
            return filled(f"(picture: {block.caption})", width)
        case Figure() if isinstance(block.chart, Scatter):
            return filled(f"{counted_figure(block)}. {block.alt or chart_words(block.chart)}", width)
        case Figure():
            return table_text(chart_table(block.chart, counted_figure(block) if block.n else block.caption), width)
        case Grid():
            return "" if not whole else "\n\n".join(block_text(figure, width, whole) for figure in block.figures)
        case Dialogue():
            turns = [filled(f"{line.speaker}: {line.text}", width, "    ") for line in block.lines]
            return "\n".join(([block.caption] if block.caption else []) + turns)
        case Diff():
            return "\n".join(([block.caption] if block.caption else []) + (block.lines() or ["No change."]))
        case Details():
            if not whole:
                return filled(f"[+] {block.summary}", width, "    ")
            inside = "\n\n".join(block_text(item, width - 2, whole) for item in block.body)
            return f"{filled(f'[-] {block.summary}', width, '    ')}\n{textwrap.indent(inside, '  ')}"


def table_text(table: Table, width: int = WIDTH, named_by: int = 1) -> str:
    """The table, aligned; long cells are wrapped and never cut.

    If the table is wider than `width`, its columns are split into several blocks that repeat the first column, or the
    first `named_by` columns if these together name a row.
    """
    digits = column_digits(table)
    widest = _WIDEST_COLUMN if width >= WIDTH else (width - 2) // 2
    rows = [
        [wrapped(_named(cell_text(cell, digits[i]), i), widest) for i, cell in enumerate(row)]
        for row in table.rows[:_MOST_ROWS]
    ]
    title, names = counted(table)
    right = [is_numeric(table, i) for i in range(len(table.columns))]
    sizes = [
        max(columns_of(line) for line in [name, *(line for row in rows for line in row[i])])
        for i, name in enumerate(names)
    ]
    blocks = [_aligned(names, rows, sizes, right, keep) for keep in _fitting(sizes, width, named_by)]
    more = [f"({len(table.rows) - _MOST_ROWS} more rows)"] if len(table.rows) > _MOST_ROWS else []
    note = [filled(table.note, width)] if table.note else []
    return "\n".join([*([filled(title, width)] if title else []), "\n\n".join(blocks), *more, *note])


def _named(text: str, column: int) -> str:
    """A row's name without its description, which a page shows under the name."""
    return text.partition("\n")[0] if column == 0 else text


def wrapped(text: str, columns: int = _WIDEST_COLUMN) -> list[str]:
    """Wrap a text at spaces into lines of at most `columns` columns. A word that is longer than a line is divided."""
    lines = [""]
    for word in text.split():
        whole = f"{lines[-1]} {word}".strip()
        if columns_of(whole) <= columns:
            lines[-1] = whole
            continue
        first, *more = _pieces(word, columns)
        lines = [*lines, first, *more] if lines[-1] else [first, *more]
    return lines


def _pieces(word: str, columns: int) -> list[str]:
    pieces = [""]
    for char in word:
        if columns_of(pieces[-1] + char) > columns:
            pieces.append("")
        pieces[-1] += char
    return pieces


def _fitting(sizes: Sequence[int], width: int, named_by: int) -> Iterable[list[int]]:
    """Groups of columns that fit, each beginning with the columns that name a row."""
    group = list(range(named_by))
    for index in range(named_by, len(sizes)):
        if sum(sizes[i] + 2 for i in [*group, index]) - 2 > width and len(group) > named_by:
            yield group
            group = list(range(named_by))
        group.append(index)
    yield group


def _aligned(
    names: Sequence[str],
    rows: Sequence[Sequence[Sequence[str]]],
    sizes: Sequence[int],
    right: Sequence[bool],
    keep: Sequence[int],
) -> str:
    def line(cells: Sequence[str]) -> str:
        padded = []
        for index in keep:
            gap = " " * (sizes[index] - columns_of(cells[index]))
            padded.append(gap + cells[index] if right[index] else cells[index] + gap)
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * sizes[index] for index in keep)
    height = [max(len(row[index]) for index in keep) for row in rows]
    lines = [
        line([cell[at] if at < len(cell) else "" for cell in row])
        for row, lines_of_row in zip(rows, height, strict=True)
        for at in range(lines_of_row)
    ]
    return "\n".join([line(names), rule, *lines])
