"""Task effectiveness: the checklist, and how many messages it took."""

from __future__ import annotations

import math

from polyclinic.clinics.duty.judges.view import lines_of
from polyclinic.clinics.duty.rules.tasks.checklists import checked
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.clinics.duty.rules.triggers.talk import steps
from polyclinic.clinics.duty.rules.triggers.urgency import stated_level
from polyclinic.clinics.duty.scenario import AnyDuty
from polyclinic.core.judge import Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import mark, rule_judge

TSR = Metric("tsr", "share of the task's checklist that was met")
SUCCESS = Metric("success", "whether the whole checklist was met")
SE = Metric("se", "messages until the decision was told", higher_is_better=False, high=math.inf)


@rule_judge("task", TSR, SUCCESS, SE)
def task(case: Case[AnyDuty]) -> list[Score]:
    """TSR by checklist and step efficiency. An episode in which nothing was decided has no SE."""
    scenario, lines = case.scenario, lines_of(case.transcript)
    items = checked(scenario, lines)
    missed = [item.text for item, met in items if not met]
    reason = "missed: " + "; ".join(missed) if missed else "all items met"
    scores = [
        mark("tsr", sum(met for _, met in items) / len(items), reason=reason),
        mark("success", float(not missed), reason=reason),
    ]
    decided = decision_step(scenario, lines)
    if decided is not None:
        scores.append(mark("se", decided, reason="messages up to the decision"))
    return scores


def decision_step(scenario: AnyDuty, lines: tuple[Line, ...]) -> int | None:
    """The number of the message that tells the decision: a triage level, or the steps to the patient."""
    for number, line in enumerate(lines, 1):
        if scenario.task_id == "T2" and line.speaker == "doctor" and stated_level(line.text) is not None:
            return number
        if scenario.task_id != "T2" and line.to == "patient" and len(steps(line.text)) >= 2:
            return number
    return None
