"""This clinic's own part of a report."""

from __future__ import annotations

from polyclinic.clinics.duty.report.collect import collect
from polyclinic.clinics.duty.report.pictures import drift_plots, failure_signatures, learning_curves, prompt_histories
from polyclinic.clinics.duty.report.tables import paper_tables, unread_norms
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Section


def report(results: RunResults) -> list[Section]:
    """The paper's tables, learning curves, drift, prompt histories, failure signatures."""
    data = collect(results)
    return [
        paper_tables(data),
        *unread_norms(data),
        learning_curves(data),
        drift_plots(data),
        prompt_histories(data),
        failure_signatures(data),
    ]
