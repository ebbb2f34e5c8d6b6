"""Report blocks as HTML. Text is escaped here and nowhere else; no block can contain markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from html import escape

from polyclinic.eval.axes import NARROW, SMALL, WIDE
from polyclinic.eval.cells import cell_text, column_digits, counted, counted_figure, is_numeric
from polyclinic.eval.chart_text import chart_table, chart_words
from polyclinic.eval.drawing import draw, fits_telephone
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Diff, Figure, Grid, Line, Paragraph, Picture, Table

_MOST_POINTS = 200
_MANY_COLUMNS = 6
_SHORT = 24
_STROKE = re.compile(r"(?<=[a-z])/(?=[a-z])")
_COUNT = re.compile(r"\(n = [^)]{,40}\)")


def render_blocks(blocks: Iterable[Block], episodes: str = "") -> str:
    """The blocks in order. `episodes` is the place on the page that tables of metrics link to."""
    return "\n".join(render_block(block, episodes) for block in blocks)


def render_block(block: Block, episodes: str = "") -> str:
    """One block."""
    match block:
        case Paragraph():
            klass = "" if block.tone == "plain" else f' class="{block.tone}"'
            parts = [part for part in block.text.split("\n\n") if part.strip()]
            return "\n".join(f"<p{klass}>{escape(part.strip())}</p>" for part in parts)
        case Table():
            return _table(block, episodes)
        case Picture():
            return _picture(block)
        case Figure():
            return _figure(block, episodes)
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
                f'<div class="inside">{render_blocks(block.body, episodes)}</div></details>'
            )


def _picture(picture: Picture) -> str:
    source = f"data:{escape(picture.media_type)};base64,{escape(picture.data)}"
    caption = escape(picture.caption)
    return f'<figure class=photo><img src="{source}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


def _table(table: Table, episodes: str = "") -> str:
    numeric = [is_numeric(table, i) for i in range(len(table.columns))]
    digits = column_digits(table)
    title, names = counted(table)
    head = "".join(
        f"<th scope=col{' class=n' if numeric[i] else ''}>{_title(name)}</th>" for i, name in enumerate(names)
    )
    body = "".join(f"<tr>{_row(row, numeric, digits)}</tr>" for row in table.rows)
    note = f"<p class=note>{escape(table.note)}</p>" if table.note else ""
    measured = "n = " in " ".join([title, *names])
    link = f' <a href="#{episodes}">episodes</a>' if episodes and measured else ""
    caption = f"<caption>{_title(title)}{link}</caption>" if title else ""
    wide = " class=wide" if len(table.columns) > _MANY_COLUMNS else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title or "table")}"><table{wide}>'
        f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def _title(text: str) -> str:
    """A title as HTML. A short n stays on one line; a line may end after the stroke of "blood/cancer"."""
    return _COUNT.sub(r"<span class=count>\g<0></span>", _STROKE.sub("/<wbr>", escape(text)))


def _row(row: Iterable[Cell], numeric: list[bool], digits: list[int]) -> str:
    cells = []
    for index, cell in enumerate(row):
        if index == 0 and not numeric[0]:
            name, _, about = str(cell).partition("\n") if isinstance(cell, str) else (cell, "", "")
            words = _STROKE.sub("/<wbr>", _cell(name, digits[0])) + (f"<small>{escape(about)}</small>" if about else "")
            whole = len(words) <= _SHORT and "<wbr>" not in words
            cells.append(f"<th scope=row{' class=whole' if whole else ''}>{words}</th>")
        else:
            cells.append(f"<td{' class=n' if numeric[index] else ''}>{_cell(cell, digits[index])}</td>")
    return "".join(cells)


def _cell(cell: Cell, digits: int) -> str:
    if isinstance(cell, Estimate):
        mean, *ends = cell.parts(digits)
        interval = f" <small>{' to '.join(ends)}</small>" if ends else ""
        return f'<span title="n = {cell.n}">{mean}{interval}</span>'
    return escape(cell_text(cell, digits))


def _figure(figure: Figure, episodes: str = "", narrow: bool = False) -> str:
    words = figure.alt or chart_words(figure.chart)
    picture = draw(figure.chart, figure.caption, words, NARROW if narrow else WIDE)
    numbers, title = "", counted_figure(figure)
    table = chart_table(figure.chart, title if figure.n else figure.caption)
    if not narrow and (figure.chart.kind != "scatter" or len(table.rows) <= _MOST_POINTS):
        numbers = f"<details class=data><summary>Numbers</summary>{_table(table, episodes)}</details>"
    if not narrow:
        # A small screen gets a chart drawn for it, or one that keeps its size and scrolls sideways.
        small = draw(figure.chart, figure.caption, words, SMALL) if fits_telephone(figure.chart) else ""
        klass = "scroll chart large" if small else "scroll chart"
        picture = f'<div class="{klass}" tabindex="0" role="region" aria-label="{escape(title)}">{picture}</div>'
        picture += f"<div class=small>{small}</div>" if small else ""
    return f"<figure><figcaption>{_title(title)}</figcaption>{picture}{numbers}</figure>"


def small_picture(figure: Figure) -> str:
    """The picture, small, with n below it instead of its caption."""
    picture = draw(figure.chart, figure.caption, figure.alt or chart_words(figure.chart), NARROW)
    return f"{picture}<p class=note>{escape(counted_figure(replace(figure, caption='')).strip(' ()'))}</p>"


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
