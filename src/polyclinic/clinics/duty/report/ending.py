"""How a shift ended, for the person who played in it: who broke rules, and how many."""

from __future__ import annotations

from collections import Counter

from polyclinic.clinics.duty.report.feedback import performance
from polyclinic.clinics.duty.scenario import STAFF, AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Violated


def ending(case: Case[AnyDuty], role: str) -> str:
    """The person's own breaches come first, counted as in their figures. A rule that a colleague broke twice counts
    once.
    """
    own = int(performance(case, role)["own_breaches"])
    broken = {
        (event.by, event.rule) for event in case.transcript.of(Violated) if event.by in STAFF and event.by != role
    }
    others = ", ".join(f"{count} by the {who}" for who, count in sorted(Counter(who for who, _ in broken).items()))
    if own:
        return f"rules broken: {own} by you" + (f", {others}" if others else "")
    return f"you broke no rule; your colleagues did: {others}" if others else "no rule was broken"
