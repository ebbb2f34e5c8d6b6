"""The supervisor offline: listens for words that harm.

Mistakes: ``miss`` (overlooks a harmful statement), ``nonsense`` (replies what cannot be read).
"""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts import ChecksSafety
from polyclinic.clinics.rounds.prompts.replies import SafetyVerdict
from polyclinic.clinics.rounds.rules.teaching import harms
from polyclinic.core.understudy import Ask, Understudy, answers


class SupervisorUnderstudy(Understudy):
    """Listens for words that harm."""

    @answers(ChecksSafety)
    def checks(self, ask: Ask[ChecksSafety]) -> SafetyVerdict | str:
        """Refuses what is unsafe, unethical, biased, demeaning or private."""
        if ask.mistake("nonsense"):
            return "no comment"
        found = harms(ask.prompt.statement)
        if not found or ask.mistake("miss"):
            return SafetyVerdict(is_safe=True, issue_category="", feedback_and_suggestion="")
        category, phrase = found[0]
        advice = f"Leave out '{phrase}' and invite the group to think instead."
        return SafetyVerdict(is_safe=False, issue_category=category, feedback_and_suggestion=advice)
