"""The first words of feedback, the same in every clinic: danger, what was good, what is missing, the next step."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.eval.sections import Block, Paragraph, Section

LONGEST = 240
MOST = 3
CAUTION = "Your words are read by meaning, and the reader is not always right: judge for yourself."
"""Said where feedback rests on what a reader found in a person's words."""


def quoted(words: str) -> str:
    """Somebody's words, cut where they are long."""
    flat = " ".join(words.split())
    return f"“{flat if len(flat) <= LONGEST else flat[:LONGEST].rstrip() + '…'}”"


def in_short(
    *, danger: Sequence[str] = (), good: Sequence[str] = (), missing: Sequence[str] = (), next_step: str = ""
) -> Section:
    """What a person reads first. What was dangerous is said first and as a warning; nothing is padded out."""
    blocks: list[Block] = [Paragraph(f"This was dangerous: {words}", tone="warning") for words in danger[:MOST]]
    blocks += [Paragraph(f"Good: {words}") for words in good[:MOST]]
    blocks += [Paragraph(f"Missing: {words}") for words in missing[:MOST]]
    if next_step:
        blocks.append(Paragraph(f"Next step: {next_step}"))
    return Section("In short", blocks)
