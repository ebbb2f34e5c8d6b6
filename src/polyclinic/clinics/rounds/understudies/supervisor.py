"""The supervisor offline: objects to what it takes for harmful.

Mistake: ``nonsense`` (gives an unreadable reply).
"""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts.replies import SafetyVerdict
from polyclinic.clinics.rounds.prompts.reviewers import ChecksSafety
from polyclinic.clinics.rounds.readings import HARM
from polyclinic.core.understudy import Ask, Understudy, answers


class SupervisorUnderstudy(Understudy):
    """Reads for harm. It cannot distinguish kinds of harm, so it always reports a matter of ethics."""

    @answers(ChecksSafety)
    def checks(self, ask: Ask[ChecksSafety]) -> SafetyVerdict | str:
        """Refuses what is unsafe, unethical, biased or demeaning, or breaks privacy."""
        if ask.mistake("nonsense"):
            return "no comment"
        if not ask.understands(ask.prompt.statement, HARM.ask()):
            return SafetyVerdict(reason="", issue="none")
        return SafetyVerdict(reason="somebody could be hurt by this; invite the group to think instead", issue="ethics")
