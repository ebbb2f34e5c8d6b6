"""The figures that a person gets at the end of a session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.clinics.demo import clinic
from polyclinic.clinics.demo.judges import SAFE
from polyclinic.core.judge import Judge, Metric
from polyclinic.eval.rules import RuleJudge
from polyclinic.runner.results import figure_lines

SHARE = Metric("share", "whether it was right, as a share")


@pytest.mark.parametrize(
    ("metric", "value", "line"),
    [
        (SAFE, 1.0, "whether no draft stayed over the limit: yes"),
        (SAFE, 0.0, "whether no draft stayed over the limit: no"),
        (SAFE, 0.5, "whether no draft stayed over the limit: 0.500"),
        (SHARE, 1.0, "whether it was right, as a share: 1"),
    ],
)
def test_only_a_metric_of_yes_or_no_is_told_as_yes_or_no(metric: Metric, value: float, line: str) -> None:
    judge: Judge = RuleJudge("one", (metric,), lambda case: [])
    measured = replace(clinic, judges=lambda: (judge,))
    assert list(figure_lines(measured, {metric.name: value})) == [f"  {line}"]
