"""Report blocks as HTML. Text is escaped here and nowhere else; no block can bring markup of its own."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from polyclinic.eval.cells import cell_text, column_digits, is_numeric
from polyclinic.eval.chart_text import chart_table, chart_words
from polyclinic.eval.drawing import draw
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Diff, Figure, Grid, Line, Paragraph, Table

_TABLE_UNDER_FIGURE = 200
_MANY_COLUMNS = 6
_SHORT = 24


def render_blocks(blocks: Iterable[Block]) -> str:
    """The blocks in order."""
    return "\n".join(render_block(block) for block in blocks)


def render_block(block: Block) -> str:
    """One block."""
    match block:
        case Paragraph():
            klass = "" if block.tone == "plain" else f' class="{block.tone}"'
            parts = [part for part in block.text.split("\n\n") if part.strip()]
            return "\n".join(f"<p{klass}>{escape(part.strip())}</p>" for part in parts)
        case Table():
            return _table(block)
        case Figure():
            return _figure(block)
        case Grid():
            return f'<div class="grid">{"".join(_figure(figure, narrow=True) for figure in block.figures)}</div>'
        case Dialogue():
            caption = f"<p class=caption>{escape(block.caption)}</p>" if block.caption else ""
            return f"{caption}<ol class=talk>{''.join(_turn(line) for line in block.lines)}</ol>"
        case Diff():
            return _diff(block)
        case Details():
            state = " open" if block.open else ""
            return (
                f"<details{state}><summary>{escape(block.summary)}</summary>"
                f'<div class="inside">{render_blocks(block.body)}</div></details>'
            )


def _table(table: Table) -> str:
    numeric = [is_numeric(table, i) for i in range(len(table.columns))]
    digits = column_digits(table)
    head = "".join(
        f"<th scope=col{' class=n' if numeric[i] else ''}>{escape(name)}</th>" for i, name in enumerate(table.columns)
    )
    body = "".join(f"<tr>{_row(row, numeric, digits)}</tr>" for row in table.rows)
    note = f"<p class=note>{escape(table.note)}</p>" if table.note else ""
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    wide = " class=wide" if len(table.columns) > _MANY_COLUMNS else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.caption or "table")}"><table{wide}>'
        f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def _row(row: Iterable[Cell], numeric: list[bool], digits: list[int]) -> str:
    cells = []
    for index, cell in enumerate(row):
        if index == 0 and not numeric[0]:
            words = _cell(cell, digits[0])
            cells.append(f"<th scope=row{' class=whole' if len(words) <= _SHORT else ''}>{words}</th>")
        else:
            cells.append(f"<td{' class=n' if numeric[index] else ''}>{_cell(cell, digits[index])}</td>")
    return "".join(cells)


def _cell(cell: Cell, digits: int) -> str:
    if isinstance(cell, Estimate):
        if cell.low is None or cell.high is None:
            return f"{cell.mean:.{digits}f}"
        ends = f"{cell.low:.{digits}f} to {cell.high:.{digits}f}"
        return f'<span title="n = {cell.n}">{cell.mean:.{digits}f} <small>{ends}</small></span>'
    return escape(cell_text(cell, digits))


def _figure(figure: Figure, narrow: bool = False) -> str:
    words = figure.alt or chart_words(figure.chart)
    picture = draw(figure.chart, figure.caption, words, narrow)
    table = chart_table(figure.chart, figure.caption)
    numbers = ""
    if not narrow and len(table.rows) * len(table.columns) <= _TABLE_UNDER_FIGURE:
        numbers = f"<details class=data><summary>Numbers</summary>{_table(table)}</details>"
    return f"<figure><figcaption>{escape(figure.caption)}</figcaption>{picture}{numbers}</figure>"


def _turn(line: Line) -> str:
    klass = "" if line.tone == "plain" else f" class={line.tone}"
    aside = (
        f"<details class=aside><summary>more</summary><pre>{escape(line.aside)}</pre></details>" if line.aside else ""
    )
    return f"<li{klass}><b>{escape(line.speaker)}</b><span>{escape(line.text)}</span>{aside}</li>"


def _diff(diff: Diff) -> str:
    caption = f"<p class=caption>{escape(diff.caption)}</p>" if diff.caption else ""
    rows = []
    for row in diff.lines():
        tag = {"+": "ins", "-": "del"}.get(row[0], "span")
        rows.append(f"<{tag}>{escape(row)}</{tag}>")
    return f"{caption}<pre class=diff>{''.join(rows) or 'No change.'}</pre>"
