"""How often simulated people fell out of character.

For each kind, how many lines were asked for again, and how many stayed out of character.
"""

from __future__ import annotations

from collections import Counter

from polyclinic.core.part import HeldToPart, PartCounts
from polyclinic.core.part_again import LinesChosen
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table


def count_parts(results: RunResults) -> PartCounts:
    """The counts of all episodes together."""
    lines, again, stayed = 0, Counter[str](), Counter[str]()
    for episode in results.episodes:
        held = episode.ended_with(HeldToPart)
        if held is not None:
            lines += held.part.lines
            again.update(held.part.again)
            stayed.update(held.part.stayed)
    return PartCounts(lines=lines, again=dict(again), stayed=dict(stayed))


def parts_section(results: RunResults) -> Section | None:
    """The report section on lines that fell out of character; None if no line was checked."""
    counts = count_parts(results)
    lines, again, stayed = counts.lines, Counter(counts.again), Counter(counts.stayed)
    if not lines:
        return None
    left = sum(stayed.values())
    text = (
        f"{lines} lines of simulated people were checked; {sum(again.values())} were asked for again, and {left}"
        f" ({left / lines:.1%}) stayed out of the part: the simulator's fault, counted among its failures."
    )
    chosen = sum(count.lines_chosen for row in results.episodes if (count := row.ended_with(LinesChosen)) is not None)
    if chosen:
        text += (
            f" {chosen} ({chosen / lines:.1%}) were chosen from a list of ready lines, after the model's own words had"
            " fallen out of the part three times."
        )
    rows: list[list[Cell]] = [[kind, again[kind], stayed[kind]] for kind in sorted(again | stayed)]
    table = [Table("By kind", ["kind", "asked again", "stayed out"], rows)] if rows else []
    return Section("Falling out of the part", [Paragraph(text), *table])
