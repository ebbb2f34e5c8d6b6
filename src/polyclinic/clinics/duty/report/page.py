"""This clinic's own part of a report."""

from __future__ import annotations

from polyclinic.clinics.duty.report.collect import collect
from polyclinic.clinics.duty.report.pictures import drift_plots, failure_signatures, learning_curves, prompt_histories
from polyclinic.clinics.duty.report.tables import paper_tables, unread_norms
from polyclinic.clinics.duty.rules.norms.norm import HIGH_SEVERITY, inventory
from polyclinic.clinics.duty.scenario.schema import STAFF
from polyclinic.eval.overview import model_of_learning
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table


def report(results: RunResults) -> list[Section]:
    """The paper's tables, learning curves, drift, prompt histories, failure signatures."""
    data = collect(results)
    return [
        paper_tables(data),
        *unread_norms(data),
        learning_curves(data, model_of_learning(results, STAFF, "learning")),
        drift_plots(data),
        prompt_histories(data),
        failure_signatures(data),
    ]


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
