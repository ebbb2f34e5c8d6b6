"""What a question and its answer mean. The reader is asked once for each text; exact facts are added by code.

Flow, judges and learning all read through here, so the same question about the same text is asked once in an episode.
These are exact: names of diseases and tests, results of tests with their values, and quoted lines of the record.
Everything else is decided by the reader.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.patient.readings import ASKS, CHEAT, CLEAR, CONTRADICTS, DENIED, LEAK, REFUSAL, TEST, TOLD
from polyclinic.clinics.patient.rules.bare_nouns import asks_by_a_noun, is_a_bare_test
from polyclinic.clinics.patient.rules.vocabulary import (
    content_words,
    ordered_items,
    orders_a_test,
    overlap,
    tests_in_record,
)
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Finding, Question, Reads
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import mentioned, stands_in
from polyclinic.text.quotations import without_echo
from polyclinic.text.sentences import count_questions, sentences

NUMBER = re.compile(r"\d+(?:[./]\d+)*")
_RESULT_SHARE = 0.75
_NEAR = 4
_DOUBTFUL = 2
_LEAST_WORDS = 3
_NO = Finding("no")
_MANY = 3


class AskedFor(Frozen):
    """What a doctor's question asks for. `fits` are the facts that would answer it; `tests` are the tests that it
    names.

    Three questions at once always count as a trick.
    """

    cheat: bool = False
    test: bool = False
    clear: bool = False
    fits: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    suggests: tuple[str, ...] = ()


class Answered(Frozen):
    """What a patient's answer says: facts and results of the record, a refusal, what they give away."""

    refuses: bool = False
    told: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    gives_away: str = ""
    confirms: bool = False


async def read_question(reads: Reads, record: Record, question: str, considered: Sequence[str] = ()) -> AskedFor:
    """What the doctor asks for. Only the facts in `considered` may fit; if it is empty, all facts may."""
    facts = [fact for fact in record.spoken if not considered or fact.id in considered]
    kinds = [CHEAT.ask(), TEST.ask(), CLEAR.ask()]
    cheat, test, clear, *fitting = await reads(question, [*kinds, *(ASKS.ask(fact=fact.as_told) for fact in facts)])
    asks = asks_by_a_noun(question, record.disease.names)
    return AskedFor(
        cheat=not asks
        and (cheat.yes or count_questions(question) >= _MANY)
        and not (orders_a_test(question) or ordered_items(question)),
        test=is_a_bare_test(question) or (test.yes and not asks),
        clear=clear.yes,
        fits=tuple(fact.id for fact, found in zip(facts, fitting, strict=True) if found.yes),
        tests=tuple(tests_in_record(question, record)),
        suggests=tuple(mentioned(question, record.disease.names)),
    )


async def read_answer(reads: Reads, record: Record, exchange: Exchange, asked: AskedFor) -> Answered:
    """What the patient's answer says. Quoted lines of the record are found by code; the reader reads the rest.

    An answer in the patient's own words needs one call to the reader. An answer that quotes a line or gives a result is
    never a refusal. A refusal tells no fact with which it shares no word, whatever the reader takes it for. What the
    patient only quotes from the question is not read.
    """
    answer = without_echo(exchange.answer, exchange.question)
    facts = [fact for fact in record.spoken if fact.topic is not Topic.BACKGROUND]
    quoted = {fact.id for fact in facts if _bare(fact.text) in normalise(answer)}
    own = own_words(record, answer)
    near = _likely([fact for fact in facts if fact.id not in quoted], own, asked) if own else []
    doubtful = [fact for fact in near if fact.id in asked.fits][:_DOUBTFUL]
    of_all = [] if quoted else [REFUSAL.ask(asked=exchange.question)]
    of_all += [TOLD.ask(fact=f"I have {record.disease.name}.")] if asked.suggests else []
    of_own = [LEAK.ask(diagnosis=record.diagnosis), *(TOLD.ask(fact=fact.text) for fact in near)] if own else []
    of_own += [kind.ask(fact=fact.text) for fact in doubtful for kind in (DENIED, CONTRADICTS)]
    found = await _both(reads, answer, of_all, own, of_own)
    refuses = not quoted and found[of_all[0]].yes
    told = quoted | {
        fact.id
        for fact in near
        if found[TOLD.ask(fact=fact.text)].yes and not (refuses and not overlap(fact.text, answer))
    }
    denied = {fact.id for fact in doubtful if found[DENIED.ask(fact=fact.text)].yes} - told
    against = {fact.id for fact in doubtful if found[CONTRADICTS.ask(fact=fact.text)].yes}
    results = tuple(fact.id for fact in record.at(Level.TEST) if shows_result(fact, answer))
    leak = found.get(LEAK.ask(diagnosis=record.diagnosis), _NO)
    return Answered(
        refuses=refuses and not results,
        told=tuple(fact.id for fact in facts if fact.id in told),
        results=results,
        denies=tuple(fact.id for fact in doubtful if fact.id in denied),
        contradicts=tuple(fact.id for fact in doubtful if fact.id in denied & against),
        gives_away=leak.words if leak.yes else "",
        confirms=bool(asked.suggests) and found[of_all[-1]].yes,
    )


def _likely(facts: Sequence[Fact], own: str, asked: AskedFor) -> list[Fact]:
    """The facts that an answer may state: first those that were asked for, then those with the most words in common."""
    return sorted(facts, key=lambda fact: (fact.id not in asked.fits, -overlap(fact.text, own)))[:_NEAR]


async def _both(
    reads: Reads, answer: str, of_all: list[Question], own: str, of_own: list[Question]
) -> dict[Question, Finding]:
    """The findings about the whole answer and about the patient's own words, in one call if both are the same."""
    if own == answer:
        of_all, of_own = [*of_all, *of_own], []
    whole = await reads(answer, of_all) if of_all else ()
    part = await reads(own, of_own) if of_own else ()
    return dict(zip([*of_all, *of_own], [*whole, *part], strict=True))


def _bare(text: str) -> str:
    return normalise(text).rstrip(".!")


@lru_cache(maxsize=256)
def _own_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines and their sentences, normalised, the longest first."""
    return tuple(sorted({_bare(part) for line in lines for part in (line, *sentences(line))}, key=len, reverse=True))


def own_words(record: Record, answer: str) -> str:
    """What an answer says beyond quotes from the record. A quoted line can neither be wrong nor a leak.

    If the answer quotes no line of the record, the whole answer is returned.
    """
    rest = whole = normalise(answer)
    for text in _own_lines(tuple(fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST))):
        rest = rest.replace(text, " ")
    if rest == whole:
        return answer
    return " ".join(part for part in sentences(rest) if len(content_words(part)) >= _LEAST_WORDS)


def shows_result(fact: Fact, answer: str) -> bool:
    """Whether an answer gives this result: its words, and its number if it has one. A range in brackets is ignored.

    A result without a word of meaning ("Group: A") must stand in the answer as it is written.
    """
    value = fact.text.partition(" (")[0]
    item, _, found = value.partition(": ")
    numbers = set(NUMBER.findall(value))
    if numbers and not numbers & set(NUMBER.findall(answer)):
        return False
    if found and not numbers and not content_words(found) - content_words(item):
        return overlap(item, answer) >= _RESULT_SHARE and stands_in(found.rstrip("."), answer)
    return overlap(value, answer) >= _RESULT_SHARE


def new_words(fact: Fact, known: str) -> frozenset[str]:
    """The words of a fact that are not already known."""
    return content_words(fact.text.partition(" (")[0]) - content_words(known)
