"""What a question is about, and which lines of a record are about the same: by examples, not by words.

`data/topics.yaml` has for each topic of an interview how doctors ask about it and how patients tell of it. A question
and a line are each compared with all examples (kernel ridge regression on vectors of their meaning), so that each gets
a share of every topic. A line answers a question as far as they share topics. The heading under which a record has a
line counts too: what stands under "family" is about the family, in whatever words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from polyclinic.clinics.patient.scenario.casefile import parse_yaml
from polyclinic.clinics.patient.scenario.record import Topic
from polyclinic.clinics.patient.scenario.shipped import data_text
from polyclinic.core.message import Frozen
from polyclinic.reading.vectors import tokens
from polyclinic.text.sentences import sentences

Floats = NDArray[np.float64]
UNFAIR = "answer"
_DECAY, _SHARP = 0.1, 12.0
_BY_HEADING = 0.7
_LEAST, _SURE = 1e-3, 0.5
_KEPT = 8192


class Examples(Frozen):
    """How one topic is asked about and told of, and the headings of a record that belong to it."""

    asks: tuple[str, ...]
    told: tuple[str, ...] = ()
    under: tuple[Topic, ...] = ()


class _Sorter:
    """Gives a text its share of each topic, learned from the topics' examples."""

    def __init__(self, examples: Sequence[Sequence[str]]) -> None:
        texts = [(place, text) for place, group in enumerate(examples) for text in group]
        self._known = np.stack([_vector(text) for _, text in texts])
        wanted = np.zeros((len(texts), len(examples)))
        wanted[np.arange(len(texts)), [place for place, _ in texts]] = 1.0
        alike = _alike(self._known, self._known)
        self._counts = np.linalg.solve(alike + _DECAY * np.eye(len(texts)), wanted)

    def __call__(self, text: str) -> Floats:
        scores = (_alike(_vector(text)[None], self._known) @ self._counts)[0]
        shares = np.exp((scores - scores.max()) * _SHARP)
        return np.asarray(np.round(shares / shares.sum(), 6))


def _vector(text: str) -> Floats:
    return tokens(text).whole.astype(np.float64)


def _alike(some: Floats, others: Floats) -> Floats:
    return np.asarray(np.maximum(some @ others.T, 0.0) ** 2)


@lru_cache(maxsize=1)
def topics() -> dict[str, Examples]:
    """The topics by name."""
    return TypeAdapter(dict[str, Examples]).validate_python(parse_yaml(data_text("topics.yaml"), "topics.yaml"))


@lru_cache(maxsize=1)
def _sorters() -> tuple[_Sorter, _Sorter]:
    found = topics().values()
    return _Sorter([each.asks for each in found]), _Sorter([each.told for each in found])


@lru_cache(maxsize=_KEPT)
def _asked(question: str) -> Floats:
    """The topics of a question: of the whole and of its sentences, since only one of them may be the question."""
    sort = _sorters()[0]
    return np.asarray(np.max([sort(part) for part in {question, *sentences(question)}], axis=0))


@lru_cache(maxsize=_KEPT)
def _told(text: str, heading: str) -> Floats:
    """The topics of a line, held to those of its heading where it has some of its own."""
    shares = _sorters()[1](text)
    own = np.array([heading in each.under for each in topics().values()])
    if not own.any():
        return shares
    kept = np.where(own, shares + 0.02, 0.0)
    return np.asarray((1 - _BY_HEADING) * shares + _BY_HEADING * kept / kept.sum())


def shared(question: str, text: str, heading: str) -> float:
    """How much a question and a line of the record are about the same topics, as a logarithm: 0 is the most."""
    return float(np.log(_asked(question) @ _told(text, heading) + _LEAST))


def plain(question: str) -> bool:
    """Whether a question is surely about a topic that a doctor may ask a patient about."""
    return bool(_asked(question).max() >= _SURE) and not unfair(question)


def unfair(question: str) -> bool:
    """Whether a question asks for the answer itself more than for anything that a patient can tell."""
    return list(topics())[int(_asked(question).argmax())] == UNFAIR
