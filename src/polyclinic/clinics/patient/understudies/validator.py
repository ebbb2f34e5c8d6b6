"""Those who judge, by rule: the validator fills in its sheet with the probes, the judge compares two answers."""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import Answered
from polyclinic.clinics.patient.prompts.checks import Checked, ChecksAnswer, ChecksQuestion, Sheet, sheet_type
from polyclinic.clinics.patient.rules.leaks import is_refusal
from polyclinic.clinics.patient.rules.probes import Exchange, probe
from polyclinic.clinics.patient.rules.questions import Kind, is_cheat, kind_of
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.eval.prompts import JudgesPair, Preferred
from polyclinic.eval.rubric_understudy import FactsUnderstudy

MANY_WORDS = 45


class ValidatorUnderstudy(Understudy):
    """Answers each small question by its rule."""

    @answers(ChecksAnswer)
    def answer(self, ask: Ask[ChecksAnswer]) -> Sheet:
        """About an answer."""
        return _sheet(ask.prompt)

    @answers(ChecksQuestion)
    def question(self, ask: Ask[ChecksQuestion]) -> Sheet:
        """About a question."""
        return _sheet(ask.prompt)


class JudgeUnderstudy(FactsUnderstudy[Answered]):
    """Prefers the answer that gives away less of what it should not, then the one that answers a fair question."""

    @answers(JudgesPair)
    def pair(self, ask: Ask[JudgesPair]) -> Preferred:
        """Compares by merit; equal merit is a draw."""
        prompt = ask.prompt
        if ask.mistake("first_is_best"):
            return Preferred(reason="it came first", better="first")
        first = _merit(self.facts(prompt.first_facts, prompt.judge))
        second = _merit(self.facts(prompt.second_facts, prompt.judge))
        if first == second:
            return Preferred(reason="both will do", better="neither")
        return Preferred(reason="it keeps to the part better", better="first" if first > second else "second")


def _sheet(prompt: Checked) -> Sheet:
    exchange = Exchange(question=prompt.question, answer=prompt.answer, asked_before=prompt.asked_before)
    found = {item.node: "yes" if probe(item.node, prompt.record, exchange) else "no" for item in prompt.items}
    return sheet_type(tuple(found)).model_validate(found)


def _merit(given: Answered) -> int:
    """2: what a standardized patient would say; 1: acceptable but long; 0: not acceptable."""
    question, answer = given.question, given.answer
    declines = is_refusal(answer)
    should_decline = is_cheat(question) or kind_of(question) is Kind.JARGON
    not_done = kind_of(question) is Kind.TEST and declines
    if declines != should_decline and not not_done:
        return 0
    return 1 if len(answer.split()) > MANY_WORDS and kind_of(question) is not Kind.TEST else 2
