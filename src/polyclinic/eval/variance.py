"""Where a metric's variance comes from: the scenario, the trial, or the judge's own sampling.

Nested random effects (samples within trials within scenarios) by the ANOVA method for unbalanced data (Searle,
Casella & McCulloch, *Variance Components*, 1992, ch. 5): expected sums of squares are solved from the bottom up.
Estimates may be negative when a component is near zero. Shares and plans count these as zero; the raw values are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from polyclinic.eval.metrics import sample_values
from polyclinic.eval.results import RunResults

VarianceRow = tuple[Hashable, Hashable, float]


@dataclass(frozen=True)
class VarianceSplit:
    """The components. None means that the run cannot separate this component: one scenario, one trial each, or one
    sample each.

    A component that cannot be separated is contained in the one above it.
    """

    scenario: float | None
    trial: float | None
    judge: float | None
    scenarios: int
    trials: int
    samples: int

    def shares(self) -> dict[str, float | None]:
        """Each component's part of their sum, from 0 to 1."""
        parts = {"scenario": self.scenario, "trial": self.trial, "judge": self.judge}
        total = sum(max(0.0, part) for part in parts.values() if part is not None)
        scale = total if total > 0 else 1.0
        return {name: None if part is None else max(0.0, part) / scale for name, part in parts.items()}

    def standard_error(self, scenarios: int, trials: int = 1, samples: int = 1) -> float:
        """The standard error that the mean would have with these numbers of scenarios, trials and judge samples."""
        if min(scenarios, trials, samples) < 1:
            raise ValueError("a plan must have at least one scenario, one trial and one sample")
        parts = [
            max(0.0, self.scenario or 0.0) / scenarios,
            max(0.0, self.trial or 0.0) / (scenarios * trials),
            max(0.0, self.judge or 0.0) / (scenarios * trials * samples),
        ]
        return float(np.sqrt(sum(parts)))


def split_variance(rows: Iterable[VarianceRow]) -> VarianceSplit | None:
    """Components from (scenario, trial, value) rows, one row for each judge sample; None without rows."""
    cells: dict[Hashable, dict[Hashable, list[float]]] = {}
    for outer, inner, value in rows:
        cells.setdefault(outer, {}).setdefault(inner, []).append(value)
    if not cells:
        return None
    trials = [np.asarray(values, dtype=np.float64) for group in cells.values() for values in group.values()]
    owner = np.array([index for index, group in enumerate(cells.values()) for _ in group], dtype=np.intp)
    sizes = np.array([len(values) for values in trials], dtype=np.float64)
    sums = np.array([values.sum() for values in trials])
    n_scenarios, n_trials, n_rows = len(cells), len(trials), float(sizes.sum())
    mass, totals = np.bincount(owner, weights=sizes), np.bincount(owner, weights=sums)
    centre = sums.sum() / n_rows
    flat = np.concatenate(trials)
    ss_judge = float(((flat - np.repeat(sums / sizes, sizes.astype(np.intp))) ** 2).sum())
    ss_trial = float((sizes * (sums / sizes - (totals / mass)[owner]) ** 2).sum())
    ss_scenario = float((mass * (totals / mass - centre) ** 2).sum())
    df_judge, df_trial, df_scenario = n_rows - n_trials, n_trials - n_scenarios, n_scenarios - 1

    judge = ss_judge / df_judge if df_judge > 0 else None
    nested = float(((sizes**2) / mass[owner]).sum())
    trial: float | None = None
    if df_trial > 0:
        trial = (ss_trial - df_trial * (judge or 0.0)) / (n_rows - nested)
    scenario: float | None = None
    if df_scenario > 0:
        outer_trial, outer_scenario = float((sizes**2).sum()) / n_rows, float((mass**2).sum()) / n_rows
        known = df_scenario * (judge or 0.0) + (nested - outer_trial) * (trial or 0.0)
        scenario = (ss_scenario - known) / (n_rows - outer_scenario)
    return VarianceSplit(scenario, trial, judge, n_scenarios, n_trials, int(n_rows))


def metric_variance(results: RunResults, variant: str, metric: str) -> VarianceSplit | None:
    """The components of one variant's metric. A judge sample is one score that one judge gave one episode."""
    return split_variance(
        (episode.scenario, (episode.trial, episode.id), value)
        for episode in results.of(variant)
        for value in sample_values(episode, metric).values()
    )
