"""A run's whole report, ready to be shown as HTML, in a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from polyclinic.eval import overview
from polyclinic.eval.compare import Comparison, compare_variants
from polyclinic.eval.consistency import consistency_section
from polyclinic.eval.found import found_section
from polyclinic.eval.parts import count_parts, parts_section
from polyclinic.eval.replies import replies_to_plain, reply_section
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Section, sections_to_plain
from polyclinic.eval.summary import Summary, summarise
from polyclinic.eval.validity import grounds
from polyclinic.eval.variance import VarianceSplit, metric_variance


@dataclass(frozen=True)
class RunReport:
    """Everything a report shows. `sections` are the clinic's own; the others are made from the results. `headline` are
    the metrics that the report begins with.
    """

    title: str
    results: RunResults
    summary: Summary
    comparisons: dict[str, list[Comparison]]
    variances: dict[str, dict[str, VarianceSplit]]
    sections: tuple[Section, ...] = ()
    transcripts_per_variant: int = 2
    headline: tuple[str, ...] = ()

    @cached_property
    def all_sections(self) -> list[Section]:
        """The report in reading order: results, the clinic's own part, then comparisons, failures and transcripts."""
        found = [
            found_section(self.results, self.summary, self.headline),
            overview.results_section(self.results, self.summary),
            *self.sections,
            overview.comparison_section(self.results, self.comparisons, p_values=not overview.same_rules(self.results)),
            overview.variance_section(self.variances),
            consistency_section(self.results),
            overview.failure_section(self.results),
            parts_section(self.results),
            reply_section(self.results),
            overview.usage_section(self.summary),
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
    for variant in results.variant_names():
        splits = {metric: metric_variance(results, variant, metric) for metric in results.metric_names()}
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
    """The short report as JSON data: the summary, how well people stayed in character, and how replies were read."""
    return {
        **report.summary.to_plain(),
        "parts": asdict(count_parts(report.results)),
        "replies": replies_to_plain(report.results),
    }


def report_to_plain(report: RunReport) -> dict[str, Any]:
    """The report as JSON data: the short report's stable keys first, then the content of the other sections."""
    return {
        **report_in_brief(report),
        "understudies": report.understudied(),
        "rests_on": {name: asdict(ground) for name, ground in grounds(report.results).items()},
        "notice": overview.NOT_CLINICAL,
        "episodes": {
            "total": len(report.results.episodes),
            "failed": sum(episode.status == "failed" for episode in report.results.episodes),
        },
        "comparisons": {name: [asdict(item) for item in found] for name, found in report.comparisons.items()},
        "variance": {
            variant: {metric: {**asdict(split), "shares": split.shares()} for metric, split in metrics.items()}
            for variant, metrics in report.variances.items()
        },
        "sections": sections_to_plain(report.sections),
    }
