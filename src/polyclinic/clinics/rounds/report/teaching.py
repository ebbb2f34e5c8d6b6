"""Marks for teaching, side by side: tutors and variants (table 2), and students of different models (table 9, figure
2).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.eval.charts import ChartValue, Dots
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.papers import as_in_paper
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Figure, Grid, Section, Table

METHOD_AND_PLAIN = ("full", "plain-tutor")
"""What table 2 of the paper compares at least, where no tutors of different models are compared."""
TEACHING = ("ets", "msm", "mps")
Marks = dict[tuple[str, str], list[Estimate | None]]


def _average(results: RunResults, variant: str) -> Estimate | None:
    """The mean of the three marks of each session that has all of them."""
    found = [(row, [row.value(metric) for metric in TEACHING]) for row in results.of(variant)]
    whole = [(row, [mark for mark in marks if mark is not None]) for row, marks in found if None not in marks]
    clusters = [results.written(row) for row, _ in whole]
    return estimate([fmean(marks) for _, marks in whole], clusters=clusters, bounds=(1.0, 10.0))


def teaching_row(results: RunResults, variant: str) -> list[Estimate | None]:
    """ETS, MSM, MPS and their average."""
    return [*(metric_estimate(results, variant, metric) for metric in TEACHING), _average(results, variant)]


def tutors(runs: Sequence[RunResults]) -> Section | None:
    """Table 2: tutors and variants against ETS, MSM and MPS. Give several runs, one for each tutor model, to compare
    them.
    """
    rows: list[list[Cell]] = []
    for results in runs:
        rows += [[_tutor_of(results), name, *teaching_row(results, name)] for name in results.variant_names()]
    rows = [row for row in rows if row[-1] is not None]
    if not rows:
        return None
    note = (
        "Scales 1 to 10; intervals are 95 %. Table 4 of the paper has marks by people: polyclinic audit packet makes "
        "the sheets, polyclinic audit read makes the table."
    )
    names = {name for results in runs for name in results.variant_names()}
    compares = () if len({_tutor_of(results) for results in runs}) > 1 else METHOD_AND_PLAIN
    caption = as_in_paper("Teaching by tutor and variant", "table 2 of the paper", compares, names)
    table = Table(caption, ("tutor", "variant", "ETS", "MSM", "MPS", "average"), rows, note)
    return Section("Teaching quality", [table])


def _tutor_of(results: RunResults) -> str:
    return next((member.model for member in results.cast if member.role == "tutor"), "unknown")


def student_models(runs: Sequence[RunResults]) -> Section | None:
    """Table 9 and its picture, figure 2: the same tutors with different students. None if all students are alike.

    One run has several student models if its variants seat them (``full-seat-1``). Several runs are joined; if their
    tutors differ, the rows name them.
    """
    several = len({_tutor_of(results) for results in runs}) > 1
    found: Marks = {}
    for results in runs:
        for name in results.variant_names():
            row, method = teaching_row(results, name), VARIANTS[name].tutoring if name in VARIANTS else name
            if row[-1] is not None:
                tutor = f"{_tutor_of(results)}, {method}" if several else method
                found[_students_of(results, name), tutor] = row
    if len({students for students, _ in found}) < 2:
        return None
    rows: list[list[Cell]] = [[*who, *marks] for who, marks in found.items()]
    columns = ("students played by", "tutor", "ETS", "MSM", "MPS", "average")
    table = Table("Teaching by student model (table 9 of the paper)", columns, rows)
    return Section("Student models", [table, Grid([_by_students(metric, found) for metric in TEACHING])])


def _students_of(results: RunResults, name: str) -> str:
    """Who plays the students of a variant."""
    variant, cast = VARIANTS.get(name), {member.role: member.model for member in results.cast}
    seats = range(1, (variant.students if variant else 0) + 1)
    played = [variant.played_by] if variant and variant.played_by else seats
    models = list(dict.fromkeys(cast.get(f"student-{seat}", cast.get("student", "unknown")) for seat in played))
    return f"mixture of {len(models)} models" if len(models) > 1 else "".join(models)


def _by_students(metric: str, found: Marks) -> Figure:
    """One mark of every tutor with every group of students."""
    groups = list(dict.fromkeys(students for students, _ in found))
    series: dict[str, list[ChartValue]] = {}
    for tutor in dict.fromkeys(tutor for _, tutor in found):
        marks = [found.get((students, tutor)) for students in groups]
        series[tutor] = [each[TEACHING.index(metric)] if each else None for each in marks]
    name = metric.upper()
    chart = Dots(groups, series, x_label=name, low=1, high=10)
    return Figure(f"{name} by student model (figure 2 of the paper)", chart)
