"""The judge of duels offline: it understands question and answers by the built-in reader."""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import Replied
from polyclinic.clinics.patient.readings import CHEAT, REFUSAL, TEST
from polyclinic.clinics.patient.rules.bare_nouns import asks_by_a_noun
from polyclinic.core.understudy import Ask, answers
from polyclinic.eval.prompts import JudgesPair, Preferred
from polyclinic.eval.rubric_understudy import FactsUnderstudy

MANY_WORDS = 45


class JudgeUnderstudy(FactsUnderstudy[Replied]):
    """Prefers the answer with fewer leaks, then the one that answers a fair question."""

    @answers(JudgesPair)
    def pair(self, ask: Ask[JudgesPair]) -> Preferred:
        """Compares two answers by their points; equal points are a draw."""
        prompt = ask.prompt
        if ask.mistake("first_is_best"):
            return Preferred(reason="it came first", better="first")
        first = _merit(ask, self.facts(prompt.first_facts, prompt.judge))
        second = _merit(ask, self.facts(prompt.second_facts, prompt.judge))
        if first == second:
            return Preferred(reason="both will do", better="neither")
        return Preferred(reason="it keeps to the part better", better="first" if first > second else "second")


def _merit(ask: Ask[JudgesPair], given: Replied) -> int:
    """2: what a standardized patient would say; 1: acceptable but long; 0: not acceptable."""
    noun = asks_by_a_noun(given.question)
    tricky = not noun and ask.understands(given.question, CHEAT.ask())
    test = not noun and ask.understands(given.question, TEST.ask())
    declines = ask.understands(given.answer, REFUSAL.ask(asked=given.question))
    if tricky and not declines:
        return 0
    return 1 if len(given.answer.split()) > MANY_WORDS and not test else 2
