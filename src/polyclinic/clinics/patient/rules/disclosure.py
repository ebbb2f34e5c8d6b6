"""What of a record may enter the patient's context for one question. Code decides this, before any model is asked.

Volunteered and told-when-asked facts are ranked by how near they are to the question and only the nearest few are
given. The results of a test are given only when the question names that test. What the patient never knows is never
given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from polyclinic.clinics.patient.rules.questions import QuestionType, type_of
from polyclinic.clinics.patient.rules.vocabulary import names_a_test, overlap, tests_in_record
from polyclinic.clinics.patient.scenario.record import Fact, Level, Record, Topic
from polyclinic.core.message import Frozen

TOP_FACTS = 3
NEAREST_TESTS = 2
Similarity = Callable[[str, Sequence[str]], Sequence[float]]

_TOPIC_OF_TYPE: dict[QuestionType, tuple[Topic, ...]] = {
    QuestionType.COMPLAINT: (Topic.COMPLAINT,),
    QuestionType.SYMPTOM: (Topic.SYMPTOM, Topic.COMPLAINT),
    QuestionType.LIFESTYLE: (Topic.HABITS,),
    QuestionType.PSYCHOLOGICAL: (Topic.MOOD,),
    QuestionType.SOCIAL: (Topic.SOCIAL,),
    QuestionType.TREATMENT: (Topic.MEDICATION,),
    QuestionType.PREVENTIVE: (Topic.PREVENTION,),
}
_TOPIC_WORDS: tuple[tuple[re.Pattern[str], Topic], ...] = (
    (re.compile(r"\b(family|relatives?|mother|father|hereditary|inherited)\b", re.IGNORECASE), Topic.FAMILY),
    (re.compile(r"\ballerg", re.IGNORECASE), Topic.ALLERGY),
    (re.compile(r"\b(how old|age)\b", re.IGNORECASE), Topic.BACKGROUND),
    (
        re.compile(
            r"\b(illness(?:es)? before|other illness|past|previous|operation|operated|pregnant before)\b", re.IGNORECASE
        ),
        Topic.HISTORY,
    ),
    (re.compile(r"\b(tablets?|medicines?|medication|blood thinners?|remedies)\b", re.IGNORECASE), Topic.MEDICATION),
    (re.compile(r"\b(smok|alcohol|drink|diet|eat)", re.IGNORECASE), Topic.HABITS),
    (re.compile(r"\b(work|job|live|lives|home)\b", re.IGNORECASE), Topic.SOCIAL),
    (re.compile(r"\b(vaccin|screening)", re.IGNORECASE), Topic.PREVENTION),
    (re.compile(r"\b(mood|pleasure|harm|feel about|worried)\b", re.IGNORECASE), Topic.MOOD),
)
_TOPIC_BONUS = 0.35


class Briefing(Frozen):
    """What the patient may draw on for one question: spoken facts, results of tests named in it, and tests not on
    record.
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


def brief(record: Record, question: str, similarity: Similarity, top: int = TOP_FACTS) -> Briefing:
    """The facts that this question may bring out."""
    named = tests_in_record(question, record)[:NEAREST_TESTS]
    results = tuple(fact for test in named for fact in record.results(test))
    spoken = record.at(Level.VOLUNTEERED, Level.ASKED)
    nearness = similarity(question, [fact.text for fact in spoken])
    wanted = topics_of(question)
    ranked = sorted(
        range(len(spoken)),
        key=lambda at: (
            -round(
                nearness[at] + overlap(question, spoken[at].text) + _TOPIC_BONUS * (spoken[at].topic in wanted),
                6,
            ),
            at,
        ),
    )
    return Briefing(
        facts=tuple(spoken[at] for at in ranked[:top]),
        results=results,
        unknown_test=names_a_test(question) and not named,
    )


def topics_of(question: str) -> frozenset[Topic]:
    """The topics a question is about, by its words and its type."""
    by_words = [topic for pattern, topic in _TOPIC_WORDS if pattern.search(question)]
    return frozenset([*by_words, *_TOPIC_OF_TYPE.get(type_of(question), ())])
