"""A run's whole report, ready to be shown as HTML, in a terminal or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from polyclinic.core.part_again import HeldToPart, LinesChosen, PartCounts
from polyclinic.core.seed import array_stream
from polyclinic.eval import overview
from polyclinic.eval.agreement import krippendorff_alpha
from polyclinic.eval.compare import Comparison, compare_variants
from polyclinic.eval.found import found_section
from polyclinic.eval.metrics import judge_table
from polyclinic.eval.replies import replies_to_plain, reply_section
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table, sections_to_plain
from polyclinic.eval.summary import Summary, summarise
from polyclinic.eval.validity import grounds, valid_only, validity_section
from polyclinic.eval.variance import VarianceSplit, metric_variance
from polyclinic.text.layout import number_of


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
    counted = [count for row in results.episodes if (count := row.ended_with(LinesChosen)) is not None]
    chosen = sum(count.lines_chosen for count in counted)
    ready = sum((Counter(count.chosen_for) for count in counted), Counter[str]())
    if chosen:
        text += (
            f" {chosen} ({chosen / lines:.1%}) were chosen from a list of ready lines, after the model's own words had"
            " fallen out of the part three times."
        )
    rows: list[list[Cell]] = [[kind, again[kind], ready[kind], stayed[kind]] for kind in sorted(again | ready | stayed)]
    columns = ["kind", "asked again", "ready line", "stayed out"]
    table = [Table("By kind", columns, rows, n=number_of(lines, "line"))] if rows else []
    return Section("Falling out of the part", [Paragraph(text), *table])


_MOST_EPISODES = 300
_RESAMPLES = 300


def consistency_section(results: RunResults) -> Section | None:
    """Spread and agreement for each metric that was scored more than once; None if there is no such metric."""
    rows: list[list[Cell]] = []
    for metric in results.metric_names():
        _, table = judge_table(results, metric)
        if table.shape[1] < 2:
            continue
        repeated = table[(~np.isnan(table)).sum(axis=1) > 1]
        if len(repeated) == 0:
            continue
        spread = float(np.mean(np.nanstd(repeated, axis=1, ddof=1)))
        if len(repeated) > _MOST_EPISODES:
            picks = array_stream("steadiness", metric).choice(len(repeated), _MOST_EPISODES, replace=False)
            repeated = repeated[np.sort(picks)]
        found = krippendorff_alpha(repeated, "interval", resamples=_RESAMPLES)
        rows.append([metric, table.shape[1], spread, found.shown(), found.units, found.note])
    if not rows:
        return None
    columns = ["metric", "readings", "spread", "alpha", "episodes", "note"]
    note = (
        "Spread: the mean standard deviation of the readings within an episode. Alpha (Krippendorff, interval): 1 when "
        "all readings agree, 0 when they agree no more than by chance."
    )
    return Section(
        "How consistent the judges are", [Table("Repeated readings", columns, rows), Paragraph(note, tone="note")]
    )


@dataclass(frozen=True)
class RunReport:
    """Everything a report shows. `sections` are the clinic's own; the others are made from the results. `headline` are
    the metrics that the report begins with. On a page of several reports, all but the first screen is folded, except
    for the sections that `unfolded` names.
    """

    title: str
    results: RunResults
    summary: Summary
    comparisons: dict[str, list[Comparison]]
    variances: dict[str, dict[str, VarianceSplit]]
    sections: tuple[Section, ...] = ()
    transcripts_per_variant: int = 2
    headline: tuple[str, ...] = ()
    unfolded: tuple[str, ...] = ()

    @cached_property
    def all_sections(self) -> list[Section]:
        """The report in reading order: results, the clinic's own part, then comparisons, failures and transcripts."""
        found = [
            found_section(self.results, self.summary, self.headline),
            overview.results_section(self.results, self.summary),
            validity_section(self.results),
            *self.sections,
            overview.comparison_section(self.results, self.comparisons, p_values=not overview.same_rules(self.results)),
            overview.variance_section(self.results, self.variances),
            consistency_section(valid_only(self.results)),
            overview.failure_section(self.results),
            parts_section(self.results),
            reply_section(self.results),
            overview.usage_section(self.results, self.summary),
            overview.transcript_section(self.results, self.transcripts_per_variant),
        ]
        return [section for section in found if section is not None]

    def understudied(self) -> list[str]:
        """The roles that understudies played."""
        return [member.role for member in self.results.cast if member.kind == "understudy"]


def build_report(
    results: RunResults,
    sections: Iterable[Section] = (),
    *,
    title: str = "",
    baseline: str = "",
    transcripts_per_variant: int = 2,
    headline: Sequence[str] = (),
) -> RunReport:
    """Compute a run's report. `sections` come from the clinic's ``report(results)``."""
    variances: dict[str, dict[str, VarianceSplit]] = {}
    shown = valid_only(results)
    for variant in shown.variant_names():
        splits = {metric: metric_variance(shown, variant, metric) for metric in shown.metric_names()}
        variances[variant] = {metric: split for metric, split in splits.items() if split is not None}
    return RunReport(
        title=title or results.clinic,
        results=results,
        summary=summarise(results),
        comparisons=compare_variants(results, baseline),
        variances=variances,
        sections=tuple(sections),
        transcripts_per_variant=transcripts_per_variant,
        headline=tuple(headline),
    )


def report_in_brief(report: RunReport) -> dict[str, Any]:
    """The short report as JSON data: the summary, what each metric rests on and whether it is valid for this cast, how
    well people stayed in character, and how replies were read.
    """
    return {
        **report.summary.to_plain(),
        "rests_on": {name: asdict(ground) for name, ground in grounds(report.results).items()},
        "parts": asdict(count_parts(report.results)),
        "replies": replies_to_plain(report.results),
    }


def report_to_plain(report: RunReport) -> dict[str, Any]:
    """The report as JSON data: the short report's stable keys first, then the content of the other sections."""
    return {
        **report_in_brief(report),
        "understudies": report.understudied(),
        "notice": overview.NOT_CLINICAL,
        "episodes": {"total": len(report.results.episodes), "failed": report.results.failed},
        "comparisons": {name: [asdict(item) for item in found] for name, found in report.comparisons.items()},
        "variance": {
            variant: {metric: {**asdict(split), "shares": split.shares()} for metric, split in metrics.items()}
            for variant, metrics in report.variances.items()
        },
        "sections": sections_to_plain(report.sections),
    }
