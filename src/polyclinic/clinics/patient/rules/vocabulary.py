"""The words that the rules look for: body parts, symptoms, medical terms, refusals, diseases, tests and their other
names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from pydantic import Field, TypeAdapter

from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.scenario.shipped import data, diseases
from polyclinic.core.message import Frozen
from polyclinic.text.phrases import name_pattern, phrase_pattern
from polyclinic.text.questions import ASKS_OF_THEM, OF_ALL
from polyclinic.text.words import STOP_WORDS, ContentWords, words

WordList = Literal[
    "body_parts",
    "symptoms",
    "examination_terms",
    "concept_terms",
    "jargon",
    "diseases",
    "items",
    "of_tests",
]

_SAME = {"kilo": "weight", "kilos": "weight", "kg": "weight", "temperature": "fever"}
OF_A_KIND = 2
_ORDER_WORDS = 1
_RELATIVES = re.compile(
    r"\b(?:in (?:the|your|his|her) family|family (?:history|members?)|relatives?"
    r"|(?:mother|mum|father|dad|parents?|brothers?|sisters?|siblings?) (?:ever )?(?:have|has|had))\b",
    re.IGNORECASE,
)
"""Words of a question about other people's tests."""
_VALUE = re.compile(
    r"\b(?:what|which|how|tell|give|say|read|name|show|shown|explain|interpret|values?|figures?|numbers?|readings?|levels?"
    rf"|exact|exactly|results?|findings?|mean)\b|{ASKS_OF_THEM}",
    re.IGNORECASE,
)
"""Words of a question for what was measured, not for a measurement."""


class KindOfTests(Frozen):
    """What a kind of tests is called, the known tests of this kind, and the kinds that belong to it."""

    names: tuple[str, ...]
    tests: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


class Place(Frozen):
    """A part of the body, its words, the tests that are done there but do not say so, and what it lies in."""

    words: tuple[str, ...]
    tests: tuple[str, ...] = ()
    within: str = Field(default="", alias="in")


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    lists = {name: list(words) for name, words in data("vocabulary.yaml").items() if isinstance(words, list)}
    shipped = [name for disease in diseases() for name in disease.names]
    lists["diseases"] = list(dict.fromkeys([*lists["diseases"], *shipped]))
    return lists


@lru_cache(maxsize=1)
def _content() -> ContentWords:
    return ContentWords(STOP_WORDS | set(_lists()["stop_words"]), same=_SAME, decimals=True)


@lru_cache(maxsize=1)
def known_tests() -> dict[str, tuple[str, ...]]:
    """Every test that is known by name, with its other names."""
    raw = data("vocabulary.yaml")
    return {name: tuple(others) for name, others in raw["tests"].items()}


@lru_cache(maxsize=1)
def _kinds() -> dict[str, KindOfTests]:
    """The kinds of tests by name, the narrower first."""
    return TypeAdapter(dict[str, KindOfTests]).validate_python(data("vocabulary.yaml")["kinds"])


def test_names(test: str) -> tuple[str, ...]:
    """A known test's name and its other names."""
    return (test, *known_tests()[test])


@lru_cache(maxsize=16)
def _pattern(name: WordList) -> re.Pattern[str]:
    return phrase_pattern(*sorted(_lists()[name], key=len, reverse=True), loose=" ", acronyms=True)


@lru_cache(maxsize=8_192)
def found(text: str, name: WordList) -> tuple[str, ...]:
    """The words of a list that occur in the text, in the order they occur, each once."""
    return tuple(dict.fromkeys(match.lower() for match in _pattern(name).findall(text)))


def content_words(text: str) -> frozenset[str]:
    """The words with meaning, cut to a simple stem, so that 'hurts' matches 'hurt'."""
    return _content()(text)


def overlap(part: str, whole: str) -> float:
    """The share of the first text's content words that the second one has."""
    return _content().overlap(part, whole)


def is_of_tests(text: str) -> bool:
    """Whether a text has a word for tests or for what is measured, by name or by its ending (-scopy, -metry)."""
    ends = tuple(_lists()["test_endings"])
    return bool(found(text, "of_tests")) or any(word.endswith(ends) for word in words(text))


@lru_cache(maxsize=8_192)
def asked_tests(question: str) -> tuple[str, ...]:
    """The known tests a question names."""
    return tuple(
        test
        for test, others in known_tests().items()
        if any(_test_pattern(name).search(question) for name in (test, *others))
    )


def tests_in_record(question: str, record: Record) -> list[str]:
    """The record's investigations that a question names: by name, by another name, by kind ("blood tests") or, in an
    order, by what they measure. Of one kind there are at most two, and none if all of them are asked for, or only one
    of another part of the body. Tests of relatives are not the patient's.
    """
    own = [test.name for test in record.investigations]
    if _RELATIVES.search(question):
        return []
    asked = set(asked_tests(question))
    found_so = {name for name in own if asked & _known_as(name) or name_pattern(name).search(question)}
    rest = _without(question, (*found_so, *_names_of(asked_tests(question))))
    for kind in kinds_named(rest):
        there = _places(rest, kind)
        found_so |= set([name for name in own if _is_of(name, kind) and _done_at(name, there)][:OF_A_KIND])
    measured = ordered_items(question)
    found_so |= {test.name for test in record.investigations if any(measured & measures(item) for item in test.items)}
    return [name for name in own if name in found_so]


def _known_as(name: str) -> frozenset[str]:
    """The known tests that a test of a record is. An imported one may have a longer name ("Troponin I.cardiac in
    Serum or Plasma")."""
    return frozenset((name,) if name in known_tests() else asked_tests(name))


def names_a_test(question: str) -> bool:
    """Whether a question names any test or kind of tests, in the record or not."""
    return bool(asked_tests(question) or _kinds_in(question))


def kinds_named(question: str) -> tuple[str, ...]:
    """The kinds of tests that a question names. A question for all of them names none."""
    return () if OF_ALL.search(question) else _kinds_in(question)


def orders_a_test(question: str) -> bool:
    """Whether a question is little more than names of tests or of their kinds."""
    tests, kinds = asked_tests(question), kinds_named(question)
    if not (tests or kinds) or (len(tests) != 1 and _VALUE.search(question)):
        return False
    return _adds_little(question, [*_names_of(tests), *(name for kind in kinds for name in _kinds()[kind].names)])


def ordered_items(question: str) -> frozenset[str]:
    """What a question orders to be measured ("creatinine, please"). Empty if it asks for a value that was measured, or
    says much more.
    """
    items = measures(question)
    if not items or _VALUE.search(question) or OF_ALL.search(question):
        return frozenset()
    names = [name for item in items for name in (item, *_measured()[item])]
    return items if _adds_little(question, [*names, *_names_of(asked_tests(question))]) else frozenset()


def _names_of(tests: Iterable[str]) -> list[str]:
    return [name for test in tests for name in test_names(test)]


def _adds_little(question: str, names: Iterable[str]) -> bool:
    return len(content_words(question) - content_words(" ".join((*names, *_lists()["ordering"])))) <= _ORDER_WORDS


@lru_cache(maxsize=1)
def _measured() -> dict[str, tuple[str, ...]]:
    """What a laboratory measures, with its other names."""
    raw = data("vocabulary.yaml")
    named = dict.fromkeys(raw["items"], ()) | raw["measures"]
    return {name: tuple(others) for name, others in named.items()}


@lru_cache(maxsize=8_192)
def measures(text: str) -> frozenset[str]:
    """What a text names of what is measured, in any case: people who type write "crp"."""
    return frozenset(
        name
        for name, others in _measured().items()
        if any(_test_pattern(each).search(text) for each in (name, *others))
    )


@lru_cache(maxsize=8_192)
def _kinds_in(text: str) -> tuple[str, ...]:
    """The kinds that a text names. "CT scan" names a CT and no other scan."""
    named: list[str] = []
    for kind, known in _kinds().items():
        left = _without(text, known.names)
        named += [kind] if left != text else []
        text = left
    return tuple(named)


def _is_of(test: str, kind: str) -> bool:
    known = _kinds()[kind]
    if test in known.tests or any(_test_pattern(name).search(test) for name in known.names):
        return True
    unknown = test not in known_tests() and any(other in known.tests for other in asked_tests(test))
    return unknown or any(_is_of(test, other) for other in known.of)


def _places(text: str, kind: str) -> frozenset[str]:
    """Places of which a kind of tests is asked: "a chest scan", "a scan of the chest", "CT head"."""
    names = "|".join(_test_pattern(name).pattern for name in _kinds()[kind].names)
    side = "(?: (?:the|your|his|her|left|right|upper|lower))*"
    near = re.search(rf"(?P<before>\w+)?\W*(?:{names})(?: (?:of|for|on))?{side}(?: (?P<after>\w+))?", text)
    return _places_in(" ".join(word for word in near.groups() if word) if near else "")


@lru_cache(maxsize=1)
def _known_places() -> dict[str, Place]:
    return TypeAdapter(dict[str, Place]).validate_python(data("vocabulary.yaml")["places"])


def _places_in(text: str) -> frozenset[str]:
    words = set(text.lower().split())
    return frozenset(name for name, place in _known_places().items() if words & set(place.words))


def _done_at(test: str, asked: frozenset[str]) -> bool:
    """Whether a test is done at one of these places. Without a place, in the question or in the test, it may be."""
    known = _known_places()
    there = _places_in(test) | {name for name, place in known.items() if test in place.tests}
    near = any(a == b or known[a].within == b or known[b].within == a for a in asked for b in there)
    return near or not (asked and there)


def _without(text: str, names: Iterable[str]) -> str:
    """The text without these names, the longest first."""
    for name in sorted(names, key=len, reverse=True):
        text = _with_noun(name).sub(" ", text)
    return text


@lru_cache(maxsize=1_024)
def _with_noun(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_test_pattern(name).pattern})(?: (?:scan|test|picture)s?)?")


def _test_pattern(name: str) -> re.Pattern[str]:
    """A pattern for the name of a test in any case: people who type write "ecg"."""
    return phrase_pattern(name, loose=" \t\n-", possessive=True)
