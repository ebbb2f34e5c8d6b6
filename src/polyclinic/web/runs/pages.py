"""What a server keeps in memory about its runs: indexes, running jobs, and the latest reports.

A report has a headline, metrics with intervals, and sections.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import Depends

from polyclinic.eval.found import FOUND
from polyclinic.eval.overview import TRANSCRIPTS
from polyclinic.eval.report import RunReport
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import sections_to_plain
from polyclinic.eval.validity import grounds
from polyclinic.runner.reports import report_of
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.web.of_request import kept
from polyclinic.web.runs.index import Indexes
from polyclinic.web.runs.jobs import Jobs


def report_to_json(results: RunResults, whole: bool) -> bytes:
    """Headline, metrics, and the report's sections. The clinic's own sections need transcripts."""
    made: RunReport = report_of(results, transcripts=0, own_sections=whole)
    ground = grounds(results)
    sections = [section for section in made.all_sections if section.title != TRANSCRIPTS]
    first = next((section for section in sections if section.title == FOUND), None)
    metrics = []
    for name in results.metric_names():
        metric = results.metric(name)
        finite = metric.high - metric.low < 100
        metrics.append(
            {
                "name": name,
                "about": metric.about,
                "up": metric.higher_is_better,
                "low": metric.low if finite else None,
                "high": metric.high if finite else None,
                "rests_on": ground[name].about,
                "valid": ground[name].valid,
                "values": {
                    variant: found[name].to_plain() for variant, found in made.summary.variants.items() if name in found
                },
            }
        )
    body = {
        "headline": sections_to_plain([first])[0]["body"] if first else [],
        "variants": [{"name": n, "about": results.variant_about.get(n, "")} for n in results.variant_names()],
        "metrics": metrics,
        "cast": [asdict(member) for member in results.cast],
        "failures": made.summary.failures,
        "usage": made.summary.to_plain()["usage"],
        "sections": sections_to_plain([section for section in sections if section.title not in (FOUND, "Results")]),
        "config": {
            name: value
            for name, value in results.config.items()
            if name != "store" and value not in ("", None, [], {}, ())  # earlier versions stored the address in a run
        },
    }
    return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


WITH_TRANSCRIPTS = 2_000
"""A run with more episodes is summarised from its scores only."""
MOST_REPORTS = 8


class RunPages:
    """Everything about runs that this server keeps in memory."""

    def __init__(self, store: Store) -> None:
        self.store, self.indexes, self.jobs = store, Indexes(store), Jobs(store)
        self._reports: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    async def report(self, run: str) -> bytes:
        """A run's page as JSON, computed once for each state of the run."""
        count = await self.store.runs.counts(run)
        key = (run, *sorted(count.items()))
        if key not in self._reports:
            whole = sum(count.values()) <= WITH_TRANSCRIPTS
            results = await load_results(self.store, run, transcripts=whole)
            self._reports[key] = await asyncio.to_thread(report_to_json, results, whole)
            while len(self._reports) > MOST_REPORTS:
                self._reports.popitem(last=False)
        return self._reports[key]


Pages = Annotated[RunPages, Depends(kept("runs"))]
