"""What a question and its answer mean, asked of the reader in one call for each text; exact things are added by code.

Flow, judges and learning all read through here, so the same question about the same text is asked once in an episode.
Exact are: names of diseases and tests, results of tests with their values, and lines of the record that are told word
for word. Everything else is a reading.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from polyclinic.clinics.patient.readings import ASKS, CHEAT, CLEAR, CONTRADICTS, DENIED, LEAK, REFUSAL, TEST, TOLD
from polyclinic.clinics.patient.rules.vocabulary import asked_tests, content_words, overlap, test_names, tests_in_record
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Finding, Question, flat
from polyclinic.text.phrases import mentioned
from polyclinic.text.sentences import sentences

Reads = Callable[[str, Sequence[Question]], Awaitable[tuple[Finding, ...]]]
_NUMBER = re.compile(r"\d+(?:[./]\d+)*")
_RESULT_SHARE = 0.75
_NEAR = 6
_LEAST_WORDS = 3
_ORDER_WORDS = 1
_MANY = 3


class Exchange(Frozen):
    """One question and its answer, with the tests that were asked for before; `cheat` if it was asked as a trick."""

    question: str
    answer: str
    asked_before: tuple[str, ...] = ()
    cheat: bool = False


class Asked(Frozen):
    """What a doctor's words ask for. `fits` are the facts that would answer it, `tests` the record's tests it names.

    Three questions at once are a trick by their number, whatever they mean.
    """

    cheat: bool = False
    test: bool = False
    clear: bool = False
    fits: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    suggests: tuple[str, ...] = ()


class Answered(Frozen):
    """What a patient's words tell: facts and results of the record, a refusal, what they give away."""

    refuses: bool = False
    told: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    gives_away: str = ""
    confirms: bool = False


def spoken_facts(record: Record) -> list[Fact]:
    """What the patient can tell without a test."""
    return record.at(Level.VOLUNTEERED, Level.ASKED)


async def read_question(reads: Reads, record: Record, question: str) -> Asked:
    """What the doctor asks for."""
    facts = spoken_facts(record)
    kinds = [CHEAT.ask(), TEST.ask(), CLEAR.ask()]
    cheat, test, clear, *fitting = await reads(question, [*kinds, *(ASKS.ask(fact=fact.as_told) for fact in facts)])
    return Asked(
        cheat=(cheat.yes or question.count("?") >= _MANY) and not orders_a_test(question),
        test=test.yes,
        clear=clear.yes,
        fits=tuple(fact.id for fact, found in zip(facts, fitting, strict=True) if found.yes),
        tests=tuple(tests_in_record(question, record)),
        suggests=tuple(mentioned(question, record.disease.names)),
    )


def orders_a_test(question: str) -> bool:
    """Whether a question is hardly more than the name of one known test: then it is an order, and exact."""
    named = asked_tests(question)
    rest = content_words(question) - content_words(" ".join(test_names(named[0]))) if len(named) == 1 else question
    return len(rest) <= _ORDER_WORDS


async def read_answer(reads: Reads, record: Record, exchange: Exchange, asked: Asked) -> Answered:
    """What the patient told. Lines of the record that are told word for word need no reading; the rest is read."""
    answer = exchange.answer
    facts = [fact for fact in spoken_facts(record) if fact.topic is not Topic.BACKGROUND]
    quoted = {fact.id for fact in facts if _bare(fact.text) in flat(answer)}
    (refusal,) = await reads(answer, [REFUSAL.ask(asked=exchange.question)])
    own = own_words(record, answer)
    confirms = False
    if asked.suggests:
        (guess,) = await reads(answer, [TOLD.ask(fact=f"I have {record.disease.name}.")])
        confirms = guess.yes
    told, against, gives_away = await _read_own(
        reads, record, own, [fact for fact in facts if fact.id not in quoted], asked
    )
    return Answered(
        refuses=refusal.yes and not quoted,
        told=tuple(fact.id for fact in facts if fact.id in quoted | told),
        results=tuple(fact.id for fact in record.at(Level.TEST) if shows_result(fact, answer)),
        denies=tuple(id for id, (denied, _) in against.items() if denied and id not in told),
        contradicts=tuple(id for id, both in against.items() if all(both) and id not in told),
        gives_away=gives_away,
        confirms=confirms,
    )


async def _read_own(
    reads: Reads, record: Record, own: str, facts: Sequence[Fact], asked: Asked
) -> tuple[set[str], dict[str, tuple[bool, bool]], str]:
    """From words that are not the record's own: facts told, facts denied and contradicted, and what gives it away."""
    if not own:
        return set(), {}, ""
    near = sorted(facts, key=lambda fact: (fact.id not in asked.fits, -overlap(fact.text, own)))[:_NEAR]
    doubtful = [fact for fact in near if fact.id in asked.fits]
    leak, *rest = await reads(
        own,
        [
            LEAK.ask(diagnosis=record.diagnosis),
            *(TOLD.ask(fact=fact.text) for fact in near),
            *(kind.ask(fact=fact.text) for fact in doubtful for kind in (DENIED, CONTRADICTS)),
        ],
    )
    told = {fact.id for fact, found in zip(near, rest, strict=False) if found.yes}
    after = rest[len(near) :]
    against = {fact.id: (after[2 * at].yes, after[2 * at + 1].yes) for at, fact in enumerate(doubtful)}
    return told, against, leak.words if leak.yes else ""


def _bare(text: str) -> str:
    return flat(text).rstrip(".!")


def own_words(record: Record, answer: str) -> str:
    """What an answer says beyond the record's own words: a line told as it stands can neither lie nor give away."""
    rest = flat(answer)
    spoken = [fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST)]
    for text in sorted({part for line in spoken for part in (line, *sentences(line))}, key=len, reverse=True):
        rest = rest.replace(_bare(text), " ")
    return " ".join(part for part in sentences(rest) if len(content_words(part)) >= _LEAST_WORDS)


def shows_result(fact: Fact, answer: str) -> bool:
    """Whether an answer gives this result: its words stand there, and its number where it has one (a range aside)."""
    value = fact.text.partition(" (")[0]
    numbers = set(_NUMBER.findall(value))
    if numbers and not numbers & set(_NUMBER.findall(answer)):
        return False
    return overlap(value, answer) >= _RESULT_SHARE


def new_words(fact: Fact, known: str) -> frozenset[str]:
    """The words of a fact that nobody could have said without it."""
    return content_words(fact.text.partition(" (")[0]) - content_words(known)
