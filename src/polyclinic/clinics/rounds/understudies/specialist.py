"""The specialist offline: objects to what it takes for false, and explains general terms from a glossary.

Mistake: ``nonsense`` (gives an unreadable reply).
"""

from __future__ import annotations

import re

from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, FactVerdict
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge, ChecksFacts
from polyclinic.clinics.rounds.scenario.case import Pitfall
from polyclinic.clinics.rounds.understudies.textbook import glossary, read_of, sounds_false, terms_in
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.reading.words import content
from polyclinic.text.sentences import is_question

_PARTICULAR = re.compile(
    r"\b(this patient|our patient|this case|the patient's|should we|what should|which option|the diagnosis here|"
    r"next step)\b",
    re.IGNORECASE,
)
_NOT_IN_THE_BOOK = "My book has nothing on that."
_SHARED = 2
"""How many words a draft must share with a mistake to be about the same subject. Of false lines by training authors,
58% share as many with a mistake of their own case, and 6% with one of another case.
"""


def _is_about(statement: str, mistake: Pitfall) -> bool:
    return len(content(statement) & content(f"{mistake.wrong}. {mistake.right}")) >= _SHARED


class SpecialistUnderstudy(Understudy):
    """Knows the case it checks, and a glossary for general questions."""

    @answers(ChecksFacts)
    def checks(self, ask: Ask[ChecksFacts]) -> FactVerdict | str:
        """Refuses what it takes for false in this case."""
        if ask.mistake("nonsense"):
            return "well, who knows"
        prompt = ask.prompt
        if not sounds_false(ask, prompt.statement, read_of(prompt.sheet, prompt.key)):
            return FactVerdict(reason="", verdict="correct")
        right = " ".join(f"{each.right}." for each in prompt.key.pitfalls if _is_about(prompt.statement, each))
        reason = (
            f"something here is false. {right}" if right else "I do not find this in the facts of this case; check it"
        )
        return FactVerdict(reason=reason, verdict="wrong")

    @answers(AnswersKnowledge)
    def explains(self, ask: Ask[AnswersKnowledge]) -> ExpertAnswer:
        """The glossary entry; empty for questions about a particular patient and for what does not ask."""
        question = ask.prompt.question
        terms = terms_in(question)
        if _PARTICULAR.search(question) or not (terms or is_question(question)):
            return ExpertAnswer(explanation="", general=False)
        return ExpertAnswer(explanation=glossary()[terms[0]] if terms else _NOT_IN_THE_BOOK, general=True)
