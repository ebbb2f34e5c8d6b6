"""The specialist offline: knows the pitfalls of a case, and a glossary.

Mistakes: ``miss`` (overlooks a false statement), ``nonsense`` (replies what cannot be read).
"""

from __future__ import annotations

import re

from polyclinic.clinics.rounds.prompts import AnswersKnowledge, ChecksFacts
from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, FactVerdict
from polyclinic.clinics.rounds.rules.teaching import said_falsely
from polyclinic.clinics.rounds.understudies.textbook import glossary, terms_in
from polyclinic.clinics.rounds.understudies.tutor import as_case
from polyclinic.core.understudy import Ask, Understudy, answers

_PARTICULAR = re.compile(
    r"\b(this patient|our patient|this case|the patient's|should we|what should|which option|the diagnosis here|"
    r"next step)\b",
    re.IGNORECASE,
)


class SpecialistUnderstudy(Understudy):
    """Knows the pitfalls of the case it checks, and a glossary for general questions."""

    @answers(ChecksFacts)
    def checks(self, ask: Ask[ChecksFacts]) -> FactVerdict | str:
        """Refuses what the case lists as often said wrongly."""
        if ask.mistake("nonsense"):
            return "well, who knows"
        found = said_falsely(as_case(ask.prompt.sheet, ask.prompt.key), ask.prompt.statement)
        if not found or ask.mistake("miss"):
            return FactVerdict(is_correct=True, feedback="")
        return FactVerdict(is_correct=False, feedback=" ".join(f"{pitfall.right}." for pitfall in found))

    @answers(AnswersKnowledge)
    def explains(self, ask: Ask[AnswersKnowledge]) -> ExpertAnswer:
        """A glossary entry; nothing for questions about a particular patient."""
        question = ask.prompt.question
        terms = terms_in(question)
        if _PARTICULAR.search(question) or not terms:
            return ExpertAnswer(answer_provided=False, explanation="")
        return ExpertAnswer(answer_provided=True, explanation=glossary()[terms[0]])
