"""The specialist offline: objects to what it takes for false, and explains general terms from a glossary.

Mistake: ``nonsense`` (gives an unreadable reply).
"""

from __future__ import annotations

import re

from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, FactVerdict
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge, ChecksFacts
from polyclinic.clinics.rounds.understudies.textbook import glossary, read_of, terms_in
from polyclinic.core.understudy import Ask, Understudy, answers

_PARTICULAR = re.compile(
    r"\b(this patient|our patient|this case|the patient's|should we|what should|which option|the diagnosis here|"
    r"next step)\b",
    re.IGNORECASE,
)


class SpecialistUnderstudy(Understudy):
    """Knows the case it checks, and a glossary for general questions."""

    @answers(ChecksFacts)
    def checks(self, ask: Ask[ChecksFacts]) -> FactVerdict | str:
        """Refuses what it takes for false in this case."""
        if ask.mistake("nonsense"):
            return "well, who knows"
        prompt = ask.prompt
        if not ask.understands(prompt.statement, read_of(prompt.sheet, prompt.key).false()):
            return FactVerdict(reason="", verdict="correct")
        right = " ".join(f"{pitfall.right}." for pitfall in prompt.key.pitfalls)
        return FactVerdict(reason=f"something here is false. {right}", verdict="wrong")

    @answers(AnswersKnowledge)
    def explains(self, ask: Ask[AnswersKnowledge]) -> ExpertAnswer:
        """The glossary entry; empty for questions about a particular patient."""
        question = ask.prompt.question
        terms = terms_in(question)
        if _PARTICULAR.search(question) or not terms:
            return ExpertAnswer(explanation="", general=False)
        return ExpertAnswer(explanation=glossary()[terms[0]], general=True)
