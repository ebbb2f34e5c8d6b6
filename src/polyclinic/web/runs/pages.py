"""What a server keeps in memory about its runs: indexes, running jobs, and the latest reports."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Annotated, Any

from fastapi import Depends, Request

from polyclinic.runner.results import load_results
from polyclinic.store.store import Store
from polyclinic.web.runs.index import Indexes
from polyclinic.web.runs.jobs import Jobs
from polyclinic.web.runs.report import report_to_json

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


def _pages(request: Request) -> RunPages:
    found: RunPages = request.app.state.runs
    return found


Pages = Annotated[RunPages, Depends(_pages)]
