"""How a shift ended, for the person who played in it: who broke rules, and how many."""

from __future__ import annotations

from collections import Counter

from polyclinic.clinics.duty.judges.norms import not_judged
from polyclinic.clinics.duty.report.feedback import own_breaches
from polyclinic.clinics.duty.rules.notes import NormsUnread
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated


def ending(case: Case[AnyDuty], role: str) -> str:
    """The person's own breaches come first, counted as in their figures. A rule that a colleague broke twice counts
    once.
    """
    own = len(own_breaches(case, role))
    broken = {
        (event.by, event.rule) for event in case.transcript.of(Violated) if event.by in STAFF and event.by != role
    }
    others = ", ".join(f"{count} by the {who}" for who, count in sorted(Counter(who for who, _ in broken).items()))
    unread = case.transcript.last_note(NormsUnread)
    if own:
        return f"rules broken: {own} by you" + (f", {others}" if others else "")
    if others:
        return f"you broke no rule; your colleagues did: {others}" if role in STAFF else f"rules broken: {others}"
    return "no broken rule was found" + (f"; {not_judged(unread.norms)}" if unread is not None else "")
