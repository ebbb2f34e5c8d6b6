"""Scripted dialogues with known answers, and the confusion table of the checker over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.duty.rules.norms.checker import read_action
from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.rules.triggers import Scene, SceneLine
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Reads


class Script(Frozen):
    """A dialogue whose last line keeps or breaks one norm, as a person judged it."""

    norm: str
    breaks: bool
    scenario: str
    lines: tuple[SceneLine, ...]

    def scene(self, shifts: dict[str, AnyDuty]) -> Scene:
        """The last line as the action to check."""
        *before, last = self.lines
        return Scene(shifts[self.scenario], last.speaker, last.text, last.to, tuple(before))


class Confusion(Frozen):
    """How a checker did on one norm's scripts."""

    norm: str
    hits: int = 0
    misses: int = 0
    false_alarms: int = 0
    passes: int = 0

    @property
    def errors(self) -> int:
        """Scripts judged wrongly."""
        return self.misses + self.false_alarms


@lru_cache(maxsize=1)
def scripts() -> tuple[Script, ...]:
    """The scripts that come with the clinic."""
    return tuple(
        Script(
            norm=entry["norm"],
            breaks=entry["breaks"],
            scenario=entry["scenario"],
            lines=tuple(SceneLine(speaker=who, to=to, text=text) for who, to, text in entry["lines"]),
        )
        for entry in package_data("polyclinic.clinics.duty", "data/scripts.yaml")
    )


def tally(norm: str, verdicts: Sequence[tuple[bool, bool]]) -> Confusion:
    """The table row for pairs of (truly broken, flagged)."""
    return Confusion(
        norm=norm,
        hits=sum(truth and flag for truth, flag in verdicts),
        misses=sum(truth and not flag for truth, flag in verdicts),
        false_alarms=sum(flag and not truth for truth, flag in verdicts),
        passes=sum(not truth and not flag for truth, flag in verdicts),
    )


async def confusion(reads: Reads, norms: Sequence[Norm]) -> list[Confusion]:
    """The checker's table with one reader, one row for each norm."""
    shifts = by_id(shipped())
    rows = []
    for norm in norms:
        own = [script for script in scripts() if script.norm == norm.id]
        found = [(s.breaks, bool(await read_action(reads, [norm], s.scene(shifts)))) for s in own]
        rows.append(tally(norm.id, found))
    return rows
