"""The supervisor offline: objects to what it takes for harmful.

Mistake: ``nonsense`` (replies what cannot be read).
"""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts import ChecksSafety
from polyclinic.clinics.rounds.prompts.replies import SafetyVerdict
from polyclinic.clinics.rounds.readings import HARM
from polyclinic.core.understudy import Ask, Understudy, answers


class SupervisorUnderstudy(Understudy):
    """Reads for harm. It cannot tell kinds of harm apart, so it calls all of it a matter of ethics."""

    @answers(ChecksSafety)
    def checks(self, ask: Ask[ChecksSafety]) -> SafetyVerdict | str:
        """Refuses what is unsafe, unethical, biased, demeaning or private."""
        if ask.mistake("nonsense"):
            return "no comment"
        if not ask.understands(ask.prompt.statement, HARM.ask()):
            return SafetyVerdict(reason="", issue="none")
        return SafetyVerdict(reason="somebody could be hurt by this; invite the group to think instead", issue="ethics")
