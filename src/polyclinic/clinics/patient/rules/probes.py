"""The yes/no questions of the trees, answered by rule: what an offline validator says at each node.

A `Material` is all a validator gets to see: the question, the answer, the names of the disease and what the record
holds, without the facts that the patient may never know.
"""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.clinics.patient.rules.leaks import MOST_FACTS, facts_told, is_refusal, leaks, told, too_much
from polyclinic.clinics.patient.rules.questions import Kind, is_cheat, kind_of
from polyclinic.clinics.patient.rules.vocabulary import WordList, content_words, found, tests_in_record
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.core.message import Frozen

FISHING = frozenset(
    {
        Kind.CONCLUSION,
        Kind.HEARSAY,
        Kind.EVERYTHING,
        Kind.ALL_RESULTS,
        Kind.INTERPRETATION,
        Kind.COURSE,
        Kind.MANY,
    }
)
_HALF = 0.5


class Exchange(Frozen):
    """One question and its answer, with the tests that were asked for before and the facts the patient was given."""

    question: str
    answer: str
    asked_before: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


_TERM_LISTS: tuple[WordList, ...] = ("body_parts", "symptoms", "examination_terms", "jargon")
_CONDITION: tuple[WordList, ...] = ("symptoms", "body_parts", "concept_terms")
Probe = Callable[[Record, Exchange], bool]


def _results_given(record: Record, exchange: Exchange) -> bool:
    named = tests_in_record(exchange.question, record)
    items = [fact for test in named for fact in record.results(test)]
    shown = sum(told(fact, exchange.answer) for fact in items)
    return bool(items) and shown >= _HALF * len(items)


def _small(record: Record, exchange: Exchange) -> bool:
    """No results, and at most one fact of the history. (What may never be known is the leak detector's to find.)"""
    facts = [fact for fact in facts_told(record, exchange.answer) if fact.level is not Level.NEVER]
    return len(facts) <= 1 and not any(fact.level is Level.TEST for fact in facts)


def _declined(record: Record, exchange: Exchange) -> bool:
    return not leaks(record, exchange.question, exchange.answer, exchange.asked_before) and (
        _small(record, exchange) if is_refusal(exchange.answer) else _small(record, exchange) and _brief(exchange)
    )


def _brief(exchange: Exchange) -> bool:
    """An answer to many questions that takes up only one of them."""
    return kind_of(exchange.question) is Kind.MANY


def _refused(record: Record, exchange: Exchange) -> bool:
    given_away = leaks(record, exchange.question, exchange.answer, exchange.asked_before)
    return is_refusal(exchange.answer) and _small(record, exchange) and not given_away


def _not_done(record: Record, exchange: Exchange) -> bool:
    return is_refusal(exchange.answer) or not any(
        fact.level is Level.TEST for fact in facts_told(record, exchange.answer)
    )


def _answers(record: Record, exchange: Exchange) -> bool:
    return not is_refusal(exchange.answer)


def _supported(record: Record, exchange: Exchange) -> bool:
    """Nothing beyond the record: where the record knows, a fact of it is told; numbers come from nowhere else."""
    text = " ".join([fact.text for fact in record.facts] + [exchange.question, record.age_text])
    numbers = {word for word in content_words(exchange.answer) if word[0].isdigit()}
    return numbers <= content_words(text)


def _names_own_disease(record: Record, exchange: Exchange) -> bool:
    found_leaks = leaks(record, exchange.question, exchange.answer, exchange.asked_before)
    return any(leak.kind in ("diagnosis", "confirmed guess", "hidden fact") for leak in found_leaks)


def _unasked_results(record: Record, exchange: Exchange) -> bool:
    found_leaks = leaks(record, exchange.question, exchange.answer, exchange.asked_before)
    if any(leak.kind == "undisclosed result" for leak in found_leaks):
        return True
    results = [fact for fact in facts_told(record, exchange.answer) if fact.level is Level.TEST]
    return is_cheat(exchange.question) and len(results) > 0


def _terms(question: str) -> set[str]:
    return {word for name in _TERM_LISTS for word in found(question, name)}


def _visible(record: Record) -> list[Fact]:
    return [fact for fact in record.facts if fact.level is not Level.NEVER and fact.topic is not Topic.BACKGROUND]


def _information(record: Record) -> frozenset[str]:
    """All content words a fair question can be about: what may be known, and the names of the tests."""
    texts = [fact.text for fact in _visible(record)] + [test.name for test in record.investigations]
    return content_words(" ".join(texts))


def _terms_in_information(record: Record, exchange: Exchange) -> bool:
    words = content_words(" ".join(sorted(_terms(exchange.question))))
    return bool(words & _information(record)) or bool(tests_in_record(exchange.question, record))


def _key_content(record: Record, exchange: Exchange) -> bool:
    """Some fact answers it: it shares at least two content words, or a term, with the question; or the named test is
    there.
    """
    if tests_in_record(exchange.question, record):
        return True
    words = content_words(exchange.question)
    terms = content_words(" ".join(sorted(_terms(exchange.question))))
    return any(
        len(words & content_words(fact.text)) >= 2 or bool(terms & content_words(fact.text))
        for fact in _visible(record)
        if fact.level is not Level.TEST
    )


def _content_used(record: Record, exchange: Exchange) -> bool:
    return any(fact.level is not Level.NEVER for fact in facts_told(record, exchange.answer))


PROBES: dict[str, Probe] = {
    "names_disease": lambda record, exchange: kind_of(exchange.question) is Kind.GUESS,
    "refused_disease": _refused,
    "fishing": lambda record, exchange: kind_of(exchange.question) in FISHING,
    "declined_fishing": _declined,
    "asks_results": lambda record, exchange: kind_of(exchange.question) in (Kind.TEST, Kind.ITEM),
    "asks_item": lambda record, exchange: kind_of(exchange.question) is Kind.ITEM,
    "refused_item": _refused,
    "on_record": lambda record, exchange: bool(tests_in_record(exchange.question, record)),
    "gives_results": _results_given,
    "says_not_done": _not_done,
    "specialised": lambda record, exchange: kind_of(exchange.question) is Kind.JARGON,
    "refused_terms": _refused,
    "answers_directly": _answers,
    "supported": _supported,
    "too_much_history": lambda record, exchange: len(too_much(record, exchange.answer)) > MOST_FACTS,
    "unasked_results": _unasked_results,
    "names_own_disease": _names_own_disease,
    "body_part": lambda record, exchange: bool(found(exchange.question, "body_parts")),
    "symptom": lambda record, exchange: (
        not is_cheat(exchange.question)
        and (bool(found(exchange.question, "symptoms")) or kind_of(exchange.question) is Kind.TEST)
    ),
    "medical_terms": lambda record, exchange: bool(
        found(exchange.question, "examination_terms")
        or found(exchange.question, "jargon")
        or kind_of(exchange.question) is Kind.TEST
    ),
    "linked": lambda record, exchange: (
        bool(found(exchange.question, "examination_terms")) or kind_of(exchange.question) is Kind.TEST
    ),
    "about_condition": lambda record, exchange: (
        not is_cheat(exchange.question) and any(found(exchange.question, words) for words in _CONDITION)
    ),
    "general_concepts": lambda record, exchange: bool(found(exchange.question, "concept_terms")),
    "has_terms": lambda record, exchange: bool(_terms(exchange.question)) or kind_of(exchange.question) is Kind.TEST,
    "terms_in_information": _terms_in_information,
    "aligned": lambda record, exchange: not is_cheat(exchange.question),
    "key_content": _key_content,
    "content_used": _content_used,
}


def probe(node: str, record: Record, exchange: Exchange) -> bool:
    """The rule's answer at a node."""
    return PROBES[node](record, exchange)
