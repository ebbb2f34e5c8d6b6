"""One pass over a run's transcripts: everything the report's pictures are made from, as plain rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyclinic.clinics.duty.evolve.reports import IdentityReport
from polyclinic.clinics.duty.rules.notes import CommitmentBroken, EditProposed, IdentityShown, PromptShown
from polyclinic.clinics.duty.scenario.schema import TASKS, Duty, Role, Task
from polyclinic.core.transcript import Violated
from polyclinic.eval.results import EpisodeRow, RunResults


@dataclass(frozen=True)
class ShiftRow:
    """One finished episode: its number in the campaign, and what the report needs from it."""

    row: EpisodeRow
    written: str
    task: Task
    number: int
    broken: tuple[Violated, ...]
    heard: dict[Role, dict[str, float]]
    distance: dict[Role, float]
    drift: dict[Role, bool]
    anchor: dict[Role, dict[str, float]]
    prompts: dict[Role, str]
    edits: tuple[EditProposed, ...]
    commitments_broken: int


@dataclass
class Collected:
    """All shifts of a run, with the variants and tasks it has."""

    shifts: list[ShiftRow] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)

    @property
    def tasks(self) -> list[Task]:
        """The tasks that were run."""
        return [task for task in TASKS if any(shift.task == task for shift in self.shifts)]

    def of(self, variant: str, task: Task | None = None) -> list[ShiftRow]:
        """The shifts of one variant, in one task or in all."""
        return [s for s in self.shifts if s.row.variant == variant and task in (None, s.task)]


def collect(results: RunResults) -> Collected:
    """Read every finished episode once."""
    found = Collected(variants=results.variant_names())
    for row in results.episodes:
        scenario = results.scenarios.get(row.scenario)
        if row.status == "done" and isinstance(scenario, Duty) and row.has_transcript:
            found.shifts.append(_read(row, scenario))
    return found


def _read(row: EpisodeRow, scenario: Duty) -> ShiftRow:
    transcript = row.transcript
    reports = [note.report for note in transcript.notes(IdentityReport)]
    prompts = transcript.notes(PromptShown)
    return ShiftRow(
        row=row,
        written=scenario.written(),
        task=scenario.task,
        number=prompts[0].shift if prompts else row.position + 1,
        broken=tuple(transcript.of(Violated)),
        heard={report.role: report.heard for report in reports},
        distance={report.role: report.drift.distance for report in reports},
        drift={report.role: report.drift.drift for report in reports},
        anchor={note.role: note.anchor for note in transcript.notes(IdentityShown)},
        prompts={note.role: note.text for note in prompts},
        edits=tuple(transcript.notes(EditProposed)),
        commitments_broken=len(transcript.notes(CommitmentBroken)),
    )
