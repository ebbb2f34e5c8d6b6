"""Task effectiveness: the checklist, and how many messages it took."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polyclinic.clinics.duty.judges.norms import not_judged
from polyclinic.clinics.duty.judges.view import lines_of, norms_of
from polyclinic.clinics.duty.readings import NORM, TEACHBACK
from polyclinic.clinics.duty.rules.norms.checker import read_dialogue
from polyclinic.clinics.duty.rules.notes import Spoke
from polyclinic.clinics.duty.rules.tasks.checklists import ChecklistItem, ShiftRead, checked, said_back
from polyclinic.clinics.duty.rules.triggers.levels import stated_level
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score, Transcript
from polyclinic.eval.rules import mark, reading_judge

READ = (NORM.name, TEACHBACK.name)
TSR = Metric("tsr", "share of the task's checklist that was met", rests_on=READ, title="checklist met")
SUCCESS = Metric(
    "success", "whether the whole checklist was met", rests_on=READ, title="whole checklist met", yes_no=True
)
SE = Metric(
    "se",
    "messages until the decision was stated",
    higher_is_better=False,
    high=math.inf,
    title="messages until the decision",
)
DECIDES = ("plan", "explain")


@reading_judge("task", TSR, SUCCESS, SE)
async def task(case: Case[AnyDuty], bench: Bench) -> list[Score]:
    """TSR by checklist, by what the reader finds in each message, and step efficiency. An episode in which nothing was
    decided has no SE.
    """
    scenario, lines = case.scenario, lines_of(case.transcript)
    found = await read_dialogue(bench.reads, norms_of(case.transcript), scenario, lines)
    back = await said_back(bench.reads, scenario, lines)
    broken = tuple(v for v in found.broken if v.role in STAFF)
    scores = fold(checked(ShiftRead(scenario, lines, broken, back, found.unread)))
    decided = decision_step(scenario, case.transcript)
    if decided is not None:
        scores.append(mark("se", decided, reason="messages up to the decision"))
    return scores


def fold(items: Sequence[tuple[ChecklistItem, bool | None]]) -> list[Score]:
    """The share of the items that were met, and whether all were. An item that could not be judged is left out; the
    whole task then counts as done or not only if another item was missed. The evidence names what was missed.
    """
    judged = [met for _, met in items if met is not None]
    missed = [item.text for item, met in items if met is False]
    unjudged = [item.text for item, met in items if met is None]
    reason = "missed: " + "; ".join(missed) if missed else "all items met" if not unjudged else "nothing missed"
    reason = f"{reason}; {not_judged(unjudged)}" if unjudged else reason
    scores = [mark("tsr", sum(judged) / len(judged), reason=reason, evidence=missed)] if judged else []
    if missed or not unjudged:
        scores.append(mark("success", float(not missed), reason=reason))
    return scores


def decision_step(scenario: AnyDuty, transcript: Transcript) -> int | None:
    """The number of the message that states the decision: a triage level, or the plan for the patient."""
    for number, said in enumerate(transcript.said(), 1):
        if scenario.task == "T2":
            if said.speaker == "doctor" and stated_level(said.text) is not None:
                return number
        elif said.to == "patient" and (spoke := said.get(Spoke)) is not None and spoke.stage in DECIDES:
            return number
    return None
