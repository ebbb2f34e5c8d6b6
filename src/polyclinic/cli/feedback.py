"""What a person reads in the terminal after a session: the feedback in short, or all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Paragraph, Section, Table
from polyclinic.eval.terminal import section_text

MOST_LINES = 36
"""About a screen and a half."""
MOST_PARAGRAPHS = 2
MOST_ROWS = 3
MORE = "… and {} more"


def in_brief(sections: Sequence[Section]) -> list[Section]:
    """The first section whole: danger, good, missing, next step. Of each later one its first sentences and short tables
    or, if it has no sentence, the first rows of what it has. Sections that do not fit a screen and a half are left out.
    """
    kept = list(sections[:1])
    lines = MOST_LINES - sum(map(_height, kept))
    for section in sections[1:]:
        short = replace(section, body=_first(section.body))
        if _height(short) <= lines:
            kept.append(short)
            lines -= _height(short)
    return kept


def in_own_words(section: Section, own: Callable[[str], str]) -> Section:
    """The section with our own words in the person's language. What people said stands in dialogues, which stay."""
    return replace(section, title=own(section.title), body=[_in_own(block, own) for block in section.body])


def _in_own(block: Block, own: Callable[[str], str]) -> Block:
    if isinstance(block, Paragraph):
        return replace(block, text=own(block.text))
    if isinstance(block, Details):
        return replace(block, summary=own(block.summary), body=[_in_own(inner, own) for inner in block.body])
    if not isinstance(block, Table):
        return replace(block, caption=own(block.caption)) if isinstance(block, Dialogue) else block
    rows = [[_cell(cell, own) for cell in row] for row in block.rows]
    heads = [own(name) for name in block.columns]
    return replace(block, caption=own(block.caption), columns=heads, rows=rows, note=own(block.note))


def _cell(cell: Cell, own: Callable[[str], str]) -> Cell:
    if isinstance(cell, bool):
        return own("yes" if cell else "no")
    return own(cell) if isinstance(cell, str) else cell


def _height(section: Section) -> int:
    """The lines of a section in a terminal, with the empty line after it."""
    return section_text(section).count("\n") + 2


def _first(blocks: Sequence[Block]) -> list[Block]:
    told = [block for block in blocks if isinstance(block, Paragraph)]
    if not told:
        return [_cut(block) for block in blocks[:1]]
    later, left = told[MOST_PARAGRAPHS:], len(told) - MOST_PARAGRAPHS
    short = [block for block in blocks if _is_short(block) and not any(block is each for each in later)]
    return [*short, *([Paragraph(MORE.format(left))] if left > 0 else [])]


def _is_short(block: Block) -> bool:
    return isinstance(block, Paragraph) or (isinstance(block, Table) and len(block.rows) <= MOST_ROWS)


def _cut(block: Block) -> Block:
    if isinstance(block, Dialogue):
        return replace(block, lines=block.lines[:MOST_ROWS])
    if not isinstance(block, Table) or len(block.rows) <= MOST_ROWS:
        return block
    return replace(block, rows=block.rows[:MOST_ROWS], note=MORE.format(len(block.rows) - MOST_ROWS))
