"""Which parts of a record may enter the patient's context for one question. Code decides this before a model is asked.

Facts that fit the question come first, as the reader decided. The nearest other facts follow, so that a patient always
has something to say. The results of a test are given only when the question names that test. What the patient never
knows is never given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyclinic.clinics.patient.rules.concepts import common, only_denies, parts_answered
from polyclinic.clinics.patient.rules.courtesy import without_courtesy
from polyclinic.clinics.patient.rules.meaning import AskedFor
from polyclinic.clinics.patient.rules.topics import shared
from polyclinic.clinics.patient.rules.vocabulary import names_a_test
from polyclinic.clinics.patient.scenario.record import Fact, Record
from polyclinic.core.message import Frozen

CONSIDERED = 6
ALIKE, NAMED = 5.0, 3.0
"""How many facts a question may bring out, and the weights of similarity and of shared concepts compared to shared
topics."""
NEAREST_TESTS = 2
Similarity = Callable[[str, Sequence[str]], Sequence[float]]


class Briefing(Frozen):
    """What the patient may use for one question: spoken facts, and results of the tests that the question names.

    `unknown_test` says that the question names a test that is not on record.
    """

    facts: tuple[Fact, ...] = ()
    results: tuple[Fact, ...] = ()
    unknown_test: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The facts as they go into the prompt; results with their test's name."""
        return (*(fact.text for fact in self.facts), *(f"{fact.test} - {fact.text}" for fact in self.results))

    @property
    def ids(self) -> tuple[str, ...]:
        """The facts' ids, for the transcript."""
        return tuple(fact.id for fact in (*self.facts, *self.results))


def nearest(record: Record, question: str, similarity: Similarity) -> tuple[str, ...]:
    """The facts that a question may be about, the nearest first. The reader is asked about these.

    For each thing that the question names, they hold a fact that says it is there, if the record has one. Who does not
    know this fact would deny it.
    """
    spoken, question = record.spoken, without_courtesy(question)
    alike = similarity(question, [fact.as_told for fact in spoken])
    nearness = [
        shared(question, fact.text, fact.topic) + ALIKE * near + NAMED * common(question, fact.text, fact.topic)
        for fact, near in zip(spoken, alike, strict=True)
    ]
    ranked = sorted(range(len(spoken)), key=lambda at: (-round(nearness[at], 6), at))
    needed, known = list[int](), frozenset[str]()
    for at in ranked:
        if more := _named_as_there(question, spoken[at]) - known:
            needed.append(at)
            known |= more
    kept = list(dict.fromkeys([*needed, *ranked]))[:CONSIDERED]
    return tuple(spoken[at].id for at in sorted(kept, key=ranked.index))


def _named_as_there(question: str, fact: Fact) -> frozenset[str]:
    """The things in a question that this fact says are there."""
    return frozenset() if only_denies(fact.text) else parts_answered(question, fact.text, fact.topic)


def brief(record: Record, question: str, asked: AskedFor, near: Sequence[str]) -> Briefing:
    """The facts that this question may bring out: first those that fit, then the others.

    In both groups the nearest come first.
    """
    named = asked.tests[:NEAREST_TESTS]
    return Briefing(
        facts=tuple(record.fact(id) for id in sorted(near, key=lambda id: id not in asked.fits)),
        results=tuple(fact for test in named for fact in record.results(test)),
        unknown_test=names_a_test(question) and not named,
    )
