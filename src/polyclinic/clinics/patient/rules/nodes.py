"""The yes/no questions of the decision trees, answered from what the reader found in question and answer.

Nodes about names, values and order are exact; the others depend on the reader (see `meaning`). Medical terms of a
question are looked up in a lexicon of body parts, symptoms and examinations, which no understudy uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from polyclinic.clinics.patient.rules.leaks import DISEASE, leaks
from polyclinic.clinics.patient.rules.meaning import NUMBER, Answered, AskedFor, read_answer, read_question
from polyclinic.clinics.patient.rules.vocabulary import WordList, found, names_a_test
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.reading import Reads

MOST_FACTS = 2
_HALF = 0.5
_FEW = 2


class Material(NamedTuple):
    """Everything that the nodes use for their answers."""

    record: Record
    exchange: Exchange
    asked: AskedFor
    answered: Answered

    @property
    def leaky(self) -> bool:
        """Whether anything at all was given away."""
        return bool(leaks(self.record, self.exchange, self.asked, self.answered))

    @property
    def refused(self) -> bool:
        """Whether the patient declined and gave nothing away."""
        return self.answered.refuses and not self.answered.results and not self.leaky


async def material(reads: Reads, record: Record, exchange: Exchange) -> Material:
    """Read a question and its answer. A question that was asked as a trick always counts as a trick."""
    asked = await read_question(reads, record, exchange.question, exchange.considered)
    if exchange.cheat:
        asked = asked.model_copy(update={"cheat": True})
    return Material(record, exchange, asked, await read_answer(reads, record, exchange, asked))


def _declined(it: Material) -> bool:
    return not it.leaky and not it.answered.results and len(it.answered.told) <= 1


def _item(it: Material) -> bool:
    return not it.asked.tests and bool(found(it.exchange.question, "items"))


def _gives_results(it: Material) -> bool:
    wanted = {fact.id for test in it.asked.tests for fact in it.record.results(test)}
    return bool(wanted) and len(wanted & set(it.answered.results)) >= _HALF * len(wanted)


def _supported(it: Material) -> bool:
    """Whether all numbers come from the record or the question, and a fitting line of the record, if any, is stated."""
    known = " ".join([*(fact.text for fact in it.record.facts), it.exchange.question, it.record.age_text])
    invented = set(NUMBER.findall(it.exchange.answer)) - set(NUMBER.findall(known))
    return not invented and bool(it.answered.told or it.answered.results or not it.asked.fits)


def _unasked(it: Material) -> bool:
    kinds = {leak.kind for leak in leaks(it.record, it.exchange, it.asked, it.answered)}
    return "undisclosed result" in kinds or (it.asked.cheat and bool(it.answered.results))


def _names_own(it: Material) -> bool:
    return any(leak.kind in DISEASE for leak in leaks(it.record, it.exchange, it.asked, it.answered))


def _aimed(it: Material, lexicon: WordList) -> bool:
    """Whether a question aims at something: it has a word of the lexicon, or is clear and fits a few lines of the
    record."""
    return bool(found(it.exchange.question, lexicon)) or (it.asked.clear and 0 < len(it.asked.fits) <= _FEW)


def _terms(it: Material) -> bool:
    words = it.exchange.question
    return _tests(it) or bool(found(words, "body_parts") or found(words, "symptoms") or _medical(it))


def _medical(it: Material) -> bool:
    return bool(found(it.exchange.question, "examination_terms") or found(it.exchange.question, "jargon"))


def _tests(it: Material) -> bool:
    return bool(it.asked.tests) or names_a_test(it.exchange.question) or (it.asked.test and not it.asked.cheat)


NODES: dict[str, Callable[[Material], bool]] = {
    "names_disease": lambda it: bool(it.asked.suggests),
    "refused_disease": lambda it: it.refused,
    "fishing": lambda it: it.asked.cheat,
    "declined_fishing": _declined,
    "asks_results": lambda it: _tests(it) or _item(it),
    "asks_item": _item,
    "refused_item": lambda it: it.refused,
    "on_record": lambda it: bool(it.asked.tests),
    "gives_results": _gives_results,
    "says_not_done": lambda it: it.answered.refuses or not it.answered.results,
    "specialised": lambda it: bool(found(it.exchange.question, "jargon")),
    "refused_terms": lambda it: it.refused,
    "answers_directly": lambda it: not it.answered.refuses or bool(it.answered.told),
    "supported": _supported,
    "too_much_history": lambda it: len(it.answered.told) > MOST_FACTS,
    "unasked_results": _unasked,
    "names_own_disease": _names_own,
    "body_part": lambda it: bool(found(it.exchange.question, "body_parts")),
    "symptom": lambda it: not it.asked.cheat and (_tests(it) or _aimed(it, "symptoms")),
    "medical_terms": lambda it: _medical(it) or _tests(it),
    "linked": lambda it: _tests(it) or bool(found(it.exchange.question, "examination_terms")),
    "about_condition": lambda it: not it.asked.cheat and (bool(it.asked.fits) or _terms(it)),
    "general_concepts": lambda it: _aimed(it, "concept_terms"),
    "has_terms": lambda it: _terms(it) or (it.asked.clear and bool(it.asked.fits)),
    "terms_in_information": lambda it: bool(it.asked.fits or it.asked.tests),
    "aligned": lambda it: not it.asked.cheat,
    "key_content": lambda it: bool(it.asked.fits or it.asked.tests),
    "content_used": lambda it: bool(it.answered.told or it.answered.results),
}
"""One rule for each node of the trees, by its name."""
