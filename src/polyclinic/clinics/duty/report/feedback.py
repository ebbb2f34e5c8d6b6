"""Feedback for a person who played a member of staff: what was broken, on which words, and what the
checklist missed.
"""

from __future__ import annotations

from polyclinic.clinics.duty.judges.view import lines_of, norms_of
from polyclinic.clinics.duty.rules.norms.checker import check_dialogue
from polyclinic.clinics.duty.rules.tasks.checklists import checked
from polyclinic.clinics.duty.scenario import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.eval.sections import Cell, Paragraph, Section, Table


def feedback(case: Case[AnyDuty]) -> list[Section]:
    """Norms and checklist of one played shift."""
    scenario, lines, norms = case.scenario, lines_of(case.transcript), norms_of(case.transcript)
    reminders = {norm.id: norm.remind for norm in norms}
    broken = [verdict for verdict in check_dialogue(norms, scenario, lines) if verdict.role in STAFF]
    rows: list[list[Cell]] = [[v.role, v.norm, v.severity, v.words, reminders[v.norm]] for v in broken]
    table = Table("Norms that were broken", ["role", "norm", "severity", "words", "next time"], rows)
    items: list[list[Cell]] = [[item.text, met] for item, met in checked(scenario, lines)]
    return [
        Section("Responsibilities", [table if rows else Paragraph("No norm was broken.")]),
        Section("Checklist", [Table("What a good shift does", ["item", "met"], items)]),
    ]
