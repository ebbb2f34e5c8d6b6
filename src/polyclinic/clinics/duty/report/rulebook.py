"""The norms that bind everybody on duty, as a page shows them."""

from __future__ import annotations

from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, inventory
from polyclinic.eval.sections import Cell, Paragraph, Section, Table


def rulebook() -> list[Section]:
    """Every norm of the clinic, the gravest first."""
    norms = sorted(inventory(), key=lambda norm: (-norm.severity, norm.id))
    rows: list[list[Cell]] = [
        [norm.id, norm.statement(), ", ".join(norm.roles), ", ".join(norm.tasks), norm.severity, norm.check]
        for norm in norms
    ]
    grave = sum(norm.severity >= HIGH_SEVERITY for norm in norms)
    told = (
        f"{len(norms)} norms, {grave} of them grave (severity {HIGH_SEVERITY} and 5). `--set norms=FILE` adds your own."
    )
    columns = ["norm", "what it says", "roles", "tasks", "severity", "checked by"]
    return [Section("Norms", [Paragraph(told), Table("Norms of the house", columns, rows, digits=1)])]
