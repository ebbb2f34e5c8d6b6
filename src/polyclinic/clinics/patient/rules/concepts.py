"""What a question and a line of the record both name, even by different words such as "tummy" and "belly".

`data/concepts.yaml` lists the words for each thing. The topics (`rules/topics.py`) judge a question as a whole. The
things here are exact: one matching word counts, however long the question is. If a question names a thing that no line
names, then no line answers it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from pydantic import TypeAdapter

from polyclinic.clinics.patient.rules.courtesy import without_courtesy
from polyclinic.clinics.patient.scenario.record import Topic
from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import stemmed

_KEPT = 8192
_DETAILS = {
    *("start", "suddenly", "doing", "before_now", "waves", "between", "progress"),
    *("where", "spread", "quality", "scale", "worse", "helped", "position"),
}
"""What a doctor asks about a complaint. Patients who tell it mostly say "it" for the complaint."""
_PLACES = {
    *("chest", "legs", "arms", "shoulder", "back", "belly", "groin", "head_pain", "neck", "eyes", "ears", "throat"),
    *("face", "joints"),
}
_KEPT_WITHIN = {"pain", *_PLACES}
_OF_IT = {"where", "quality", "scale", "pain"}
_START = {"start", "pain"}
_OF_COMPLAINT = 1.0
"""What the complaint itself gets in addition if a question is about "it" alone; half of it if it names no detail."""
_ONSET = {Topic.COMPLAINT: 1.0, Topic.SYMPTOM: 0.5, Topic.HISTORY: -1.0}
"""What a line that names a start gets in addition if a question only asks when it began: "it" is today's complaint."""
_COMPLAINT = re.compile(
    r"\b(?:the|your|this|that|these|those)\s+(?:\w+\s+){0,2}?"
    r"(?:pains?|aches?|discomfort|problems?|troubles?|symptoms?|complaints?)\b",
    re.IGNORECASE,
)
_BROAD = 0.3
_NOTHING_NAMED = 0.17
"""The weight of a broad concept, and the result for a question that names no concept: other measures then decide."""
_OTHER_DENIED = -0.3
"""The result for a line that only says what is not there, if the question is about something else."""
_DENIAL = re.compile(
    r"(?:nobody|no)\b|(?:i|he|she|we|my \w+|there)(?: \w+)?(?: \w+)? (?:no|not|never)\b", re.IGNORECASE
)
_BY_HEADING_ALONE = (Topic.FAMILY, Topic.MEDICATION, Topic.ALLERGY)
"""Under these headings "Nobody else has this" is an answer, whatever it names."""
_REQUESTS = ("tell", "describe", "show", "talk", "give", "explain", "and ", "any ")
_Phrases = dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]]


class Concept(Frozen):
    """The words for one thing: those that everybody uses, those of doctors, those of patients, and headings about it.

    A `broad` concept says little by itself.
    """

    words: tuple[str, ...]
    asked: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    under: tuple[Topic, ...] = ()
    broad: bool = False


@lru_cache(maxsize=1)
def concepts() -> dict[str, Concept]:
    """All concepts, by name."""
    return TypeAdapter(dict[str, Concept]).validate_python(data("concepts.yaml"))


@lru_cache(maxsize=2)
def _phrases(asked: bool) -> _Phrases:
    """The stems of every phrase and its concept. The key is the first two stems, or the only stem."""
    found: _Phrases = defaultdict(list)
    for name, each in concepts().items():
        for phrase in (*each.words, *(each.asked if asked else each.told)):
            stems = stemmed(phrase)
            found[stems[:2]].append((stems, name))
    return dict(found)


@lru_cache(maxsize=_KEPT)
def _named(text: str, asked: bool) -> frozenset[str]:
    """The concepts that a text names. A word within a phrase counts for the phrase alone: "blood pressure" is no
    pressure. Only pain and parts of the body count within phrases, too.
    """
    stems, known = stemmed(text), _phrases(asked)
    found, covered = set[str](), set[int]()
    for place in range(len(stems) - 1):
        for phrase, name in known.get(stems[place : place + 2], ()):
            if stems[place : place + len(phrase)] == phrase:
                found.add(name)
                covered |= set(range(place, place + len(phrase)))
    for place, stem in enumerate(stems):
        found |= {name for _, name in known.get((stem,), ()) if place not in covered or name in _KEPT_WITHIN}
    return frozenset(found)


@lru_cache(maxsize=len(Topic))
def _under(heading: str) -> frozenset[str]:
    return frozenset(name for name, each in concepts().items() if heading in each.under)


@lru_cache(maxsize=_KEPT)
def _asked(question: str) -> frozenset[str]:
    """The concepts in the sentences that ask something; if there are none, those in the whole text."""
    bare = without_courtesy(question)
    asking = [part for part in sentences(bare) if is_question(part) or part.lower().startswith(_REQUESTS)]
    return _named(" ".join(asking), True) or _named(bare, True)


def names_something(question: str) -> bool:
    """Whether a question names any concept."""
    return bool(_asked(question))


def about_it(question: str) -> str:
    """The question with "it" instead of "the pain" or "your symptoms", if it asks for a detail of a complaint.

    With the noun, every line that has the word "pain" looks like an answer.
    """
    return _COMPLAINT.sub("it", question) if _asked(question) & _DETAILS else question


def _weight(names: frozenset[str]) -> float:
    known = concepts()
    return sum(_BROAD if known[name].broad else 1.0 for name in names)


def common(question: str, text: str, heading: str) -> float:
    """The share of a question's concepts that a line of the record also names, by its words or its heading.

    A line about pain that names a part of the body says where it is. If a question asks for the place, kind or strength
    and names nothing else, it is about the complaint, so the lines of the complaint come first.
    """
    asked, told = _asked(question), _named(text, False)
    if heading not in _BY_HEADING_ALONE and not asked & told and only_denies(text):
        return _OTHER_DENIED
    if not asked:
        return _NOTHING_NAMED
    if told & _PLACES and (heading == Topic.COMPLAINT or "pain" in told):
        told |= {"where"}
    share = _weight(asked & (told | _under(heading))) / _weight(asked)
    if heading == Topic.COMPLAINT and asked <= _OF_IT and told & (asked | _KEPT_WITHIN):
        return share + (_OF_COMPLAINT if share else _OF_COMPLAINT / 2)
    if asked <= _START and "start" in asked & told:
        onset = _ONSET.get(Topic(heading), 0.0)
        return share + (min(onset, 0.0) if "how long" in question.lower() else onset)
    return share


def parts_answered(question: str, text: str, heading: str) -> frozenset[str]:
    """The things in a question that a line is about. A thing with headings of its own is told under these only."""
    known = concepts()
    both = _asked(question) & (_named(text, False) | _under(heading))
    return frozenset(name for name in both if heading in known[name].under or not known[name].under)


@lru_cache(maxsize=_KEPT)
def only_denies(text: str) -> bool:
    """Whether a line says nothing but what is not there."""
    return all(_DENIAL.match(part) for part in sentences(text))
