"""What an audit showed, question by question: how far people agree with each other, and the judge with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyclinic.errors import UserError
from polyclinic.eval.agreement import Agreement, cohen_kappa, icc, krippendorff_alpha, spearman
from polyclinic.eval.audit import AuditKey, Rating
from polyclinic.eval.charts import Scatter
from polyclinic.eval.criteria import Criterion
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import Floats, difference_bounds, estimate
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Cell, Figure, Paragraph, Section, Table


@dataclass(frozen=True)
class QuestionAudit:
    """One question: agreement among people, agreement of the judge with their mean, and how far the judge is above it
    on average.

    `pairs` are (people's mean, judge) for each item that both rated.
    """

    question: Criterion
    raters: tuple[str, ...]
    rated: int
    people: tuple[Agreement, ...]
    judge: tuple[Agreement, ...]
    bias: Estimate | None
    pairs: tuple[tuple[float, float], ...]


def audit(results: RunResults, key: AuditKey, ratings: Sequence[Rating]) -> list[QuestionAudit]:
    """Agreement for every question of the packet. The judge's number is the episode's value of its metric."""
    if results.run != key.run:
        raise UserError(f"the key belongs to run {key.run}, not to {results.run}")
    raters = tuple(sorted({rating.rater for rating in ratings}))
    values = {episode.id: episode for episode in results.episodes}
    gone = [code for code, episode in key.items.items() if episode not in values]
    if gone:
        raise UserError(f"run {results.run} does not hold the episode of item {gone[0]}: give the whole run")
    found = []
    for question in key.questions:
        given = {(r.item, r.rater): float(r.value) for r in ratings if r.question == question.id}
        items = [code for code in key.items if any((code, rater) in given for rater in raters)]
        table = np.array([[given.get((code, rater), np.nan) for rater in raters] for code in items])
        judged = [values[key.items[code]].value(question.metric_name) for code in items]
        found.append(_question(question, raters, table.reshape(len(items), len(raters)), judged))
    return found


def _question(
    question: Criterion, raters: tuple[str, ...], table: Floats, judged: Sequence[float | None]
) -> QuestionAudit:
    people: list[Agreement] = []
    if len(raters) > 1:
        people = [krippendorff_alpha(table, "ordinal"), icc(table, "2,1")]
        if len(raters) == 2:
            scale = list(range(question.low, question.high + 1))
            people.append(cohen_kappa(table[:, 0], table[:, 1], "quadratic", categories=scale))
    both = [index for index, value in enumerate(judged) if value is not None]
    means = [float(np.nanmean(table[index])) for index in both]
    ours = [value for value in judged if value is not None]
    judge: list[Agreement] = []
    if both:
        judge = [spearman(means, ours), icc(np.column_stack([means, ours]), "2,1")]
    return QuestionAudit(
        question=question,
        raters=raters,
        rated=len(table),
        people=tuple(people),
        judge=tuple(judge),
        bias=estimate(
            [b - a for a, b in zip(means, ours, strict=True)], bounds=difference_bounds(question.low, question.high)
        ),
        pairs=tuple(zip(means, ours, strict=True)),
    )


def people_by_variant(results: RunResults, key: AuditKey, ratings: Sequence[Rating]) -> Table | None:
    """The ratings that people gave each variant, question by question: the table of a human evaluation."""
    variants = {episode.id: (episode.variant, episode.scenario) for episode in results.episodes}
    scales = {question.id: (float(question.low), float(question.high)) for question in key.questions}
    sheets: dict[tuple[str, str], dict[str, float]] = {}
    for rating in ratings:
        sheets.setdefault((rating.item, rating.rater), {})[rating.question] = float(rating.value)
    if len(scales) > 1 and len(set(scales.values())) == 1:
        for sheet in sheets.values():
            if sheet.keys() == scales.keys():
                sheet["average"] = sum(sheet.values()) / len(sheet)
        scales["average"] = next(iter(scales.values()))
    rows: list[list[Cell]] = []
    for name in results.variant_names():
        cells: list[Cell] = [name]
        for question, bounds in scales.items():
            given = [
                (sheet[question], variants[key.items[item]][1])
                for (item, _), sheet in sheets.items()
                if question in sheet and variants[key.items[item]][0] == name
            ]
            cells.append(estimate([v for v, _ in given], clusters=[s for _, s in given], bounds=bounds))
        rows.append(cells)
    if not any(cell is not None for row in rows for cell in row[1:]):
        return None
    return Table("What people gave each variant, means over ratings", ["variant", *scales], rows)


def audit_sections(audits: Sequence[QuestionAudit], people: Table | None = None) -> list[Section]:
    """The audit as report sections: people's ratings, a table of coefficients, and judge against people as pictures."""
    rows: list[list[Cell]] = []
    notes: list[str] = []
    for found in audits:
        for between, agreements in (("people", found.people), ("judge and people", found.judge)):
            rows += [[found.question.id, between, a.name, a.shown(), a.units] for a in agreements]
            notes += [f"{found.question.id}, {between}, {a.name}: {a.note}." for a in agreements if a.note]
        if found.bias is not None:
            rows.append([found.question.id, "judge minus people", "mean", found.bias, found.bias.n])
    raters = audits[0].raters if audits else ()
    body: list[Block] = [
        Paragraph(f"{len(raters)} raters, blind to run, variant and model: {', '.join(raters)}."),
        *([people] if people is not None else []),
        Table(
            "Agreement with 95 % intervals",
            ["question", "between", "coefficient", "value", "items"],
            rows,
            note=" ".join(notes),
        ),
    ]
    for found in audits:
        if found.pairs:
            chart = Scatter({"": list(found.pairs)}, "people (mean)", "judge", diagonal=True)
            body.append(Figure(f"{found.question.id}: judge against people", chart))
    return [Section("Human audit", body)]
