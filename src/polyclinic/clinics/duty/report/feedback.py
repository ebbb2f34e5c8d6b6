"""Feedback for a person who played a member of staff: what went well, what broke a rule, on which words, and what next.

Short on purpose, and made of what the shift itself recorded: the reader's findings stand in the transcript.
"""

from __future__ import annotations

from polyclinic.clinics.duty.judges.view import norms_of
from polyclinic.clinics.duty.scenario import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Scored, Violated
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

MOST = 4


def feedback(case: Case[AnyDuty]) -> list[Section]:
    """The gravest breaches of one played shift, each once, with the next step; then what the checklist missed."""
    norms = {norm.id: norm for norm in norms_of(case.transcript)}
    seen: dict[tuple[str, str], Violated] = {}
    for event in sorted(case.transcript.of(Violated), key=lambda event: -event.severity):
        if event.rule in norms and event.by in STAFF:
            seen.setdefault((event.rule, event.by), event)
    spoken = sum(said.speaker in STAFF for said in case.transcript.said())
    rows: list[list[Cell]] = [
        [event.by, event.words, norms[event.rule].then, norms[event.rule].remind]
        for event in list(seen.values())[:MOST]
    ]
    well = f"{spoken} messages were said by the staff, and {len(seen)} kinds of breach were found in them."
    body: list[Block] = [
        Paragraph("No rule was broken." if not rows else well),
        *([Table("What to look at", ["who", "words", "the rule asks that", "next time"], rows)] if rows else []),
        *_missed(case),
    ]
    return [Section("Your shift", body)]


def _missed(case: Case[AnyDuty]) -> list[Paragraph]:
    """What the task's checklist did not find, where the shift was judged."""
    reasons = [event.score.reason for event in case.transcript.of(Scored) if event.score.metric == "tsr"]
    return [Paragraph(f"The task: {reasons[-1]}.")] if reasons else []
