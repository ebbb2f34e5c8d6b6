"""How consistent the judges are: do repeated samples of one episode, and several judges of one metric, agree?"""

from __future__ import annotations

import numpy as np

from polyclinic.core.seed import array_stream
from polyclinic.eval.agreement import krippendorff_alpha
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.metrics import judge_table
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table

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
        alpha = None if found.value is None else Estimate(found.value, found.low, found.high, found.units)
        rows.append([metric, table.shape[1], spread, alpha, found.units, found.note])
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
