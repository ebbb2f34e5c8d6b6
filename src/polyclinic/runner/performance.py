"""How well a person played: their own figures, not those of the other players."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case, Metric
from polyclinic.core.model import role_of
from polyclinic.core.transcript import Scored
from polyclinic.eval.sections import Section

MOST = 8
"""How many figures are shown at the end of a session; all of them are in `polyclinic grades`."""


def own_figures(clinic: Clinic, role: str, case: Case) -> dict[str, float]:
    """The figures of one role: those that the clinic computes, then the metrics that it names for the role.

    Several scores of one metric become their mean. A score about somebody else is left out.
    """
    found = dict(clinic.performance(case, role)) if clinic.performance is not None else {}
    scores = [event.score for event in case.transcript.of(Scored)]
    for metric in clinic.role(role).metrics:
        mine = [score for score in scores if score.metric == metric and score.subject in ("", role, role_of(role))]
        weight = sum(score.weight for score in mine)
        if mine and weight:
            found.setdefault(metric, sum(score.value * score.weight for score in mine) / weight)
    return found


def own_feedback(clinic: Clinic, part: str, case: Case, language: str) -> list[Section]:
    """The clinic's feedback for a person who played this part; empty if the clinic gives none."""
    if clinic.feedback is None or not clinic.role(part).for_people:
        return []
    return list(clinic.feedback(case, part, language))


def figure_lines(clinic: Clinic, figures: Mapping[str, float]) -> Iterator[str]:
    """A few figures as text: what each means, and its value on its scale."""
    known = {metric.name: metric for judge in clinic.judges() for metric in judge.metrics}
    for name, value in list(figures.items())[:MOST]:
        metric = known.get(name)
        words = metric.about.rstrip(".?") if metric else ""
        yield f"  {words or name.replace('_', ' ')}: {_value(value, words, metric)}"


def _value(value: float, words: str, metric: Metric | None) -> str:
    if words.startswith("whether ") and value in (0.0, 1.0):
        return "yes" if value else "no"
    scale = f" of {metric.high:g}" if metric and 1 < metric.high < math.inf else ""
    return f"{value:.3g}{scale}"
