"""What a person reads in the terminal after a session: the feedback in short, or all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polyclinic.eval.sections import Block, Dialogue, Paragraph, Section, Table

MOST_PARAGRAPHS = 2
MOST_ROWS = 3
MORE = "… and {} more"


def in_brief(sections: Sequence[Section]) -> list[Section]:
    """The first section whole: danger, good, missing, next step. Of each later one its first sentences or, if it has
    none, the first rows of what it has.
    """
    return [*sections[:1], *(replace(section, body=_first(section.body)) for section in sections[1:])]


def _first(blocks: Sequence[Block]) -> list[Block]:
    told: list[Block] = [block for block in blocks if isinstance(block, Paragraph)]
    if told:
        left = len(told) - MOST_PARAGRAPHS
        return [*told[:MOST_PARAGRAPHS], *([Paragraph(MORE.format(left))] if left > 0 else [])]
    return [_cut(block) for block in blocks[:1]]


def _cut(block: Block) -> Block:
    if isinstance(block, Dialogue):
        return replace(block, lines=block.lines[:MOST_ROWS])
    if not isinstance(block, Table) or len(block.rows) <= MOST_ROWS:
        return block
    return replace(block, rows=block.rows[:MOST_ROWS], note=MORE.format(len(block.rows) - MOST_ROWS))
