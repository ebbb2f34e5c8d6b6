"""What a question is about, and which lines of a record are about the same: by examples, not by words.

`data/topics.yaml` has examples for each topic: how doctors ask about it, and how patients talk about it. A question and
a line are each compared with all examples, so that each gets a share of every topic. The more topics a line and a
question share, the better the line answers it. The heading of a line in the record counts too: a line under "family" is
about the family, whatever its words. Questions of the training authors in `data/readings` are examples as well: such a
question has the topics of the lines that were marked as fitting answers.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

import numpy as np
from pydantic import TypeAdapter

from polyclinic.clinics.patient.readings import ASKS
from polyclinic.clinics.patient.rules.sorter import Floats, Sorter
from polyclinic.clinics.patient.scenario.record import Topic
from polyclinic.clinics.patient.scenario.shipped import PACKAGE, data
from polyclinic.core.message import Frozen
from polyclinic.reading.sets import sets_folder, shipped
from polyclinic.text.sentences import sentences

_BY_HEADING = 0.7
_LEAST = 1e-3
_MOSTLY = 0.5
_KEPT = 8192


class TopicExamples(Frozen):
    """Examples of how doctors ask and patients talk about one topic, and the headings of a record that belong to it."""

    asks: tuple[str, ...]
    told: tuple[str, ...] = ()
    under: tuple[Topic, ...] = ()


@lru_cache(maxsize=1)
def topics() -> dict[str, TopicExamples]:
    """The topics by name."""
    return TypeAdapter(dict[str, TopicExamples]).validate_python(data("topics.yaml"))


@lru_cache(maxsize=1)
def _sorters() -> tuple[Sorter, Sorter]:
    """One sorter for questions, one for lines."""
    found = topics().values()
    lines = Sorter([each.told for each in found])
    return Sorter([each.asks for each in found], _asked_by_authors(lines)), lines


def _asked_by_authors(lines: Sorter) -> list[tuple[str, Floats]]:
    """Questions for training the reader, with the topics of the lines that answer them."""
    answers: defaultdict[str, list[str]] = defaultdict(list)
    for row in shipped(sets_folder(PACKAGE), {ASKS.name: ASKS}):
        if row.label and row.split == "train":
            answers[row.text].append(row.question.fact("fact"))
    return [(text, np.mean([lines(fact) for fact in facts], axis=0)) for text, facts in answers.items()]


@lru_cache(maxsize=_KEPT)
def _asked(question: str) -> Floats:
    """The topics of a question, as a whole and by sentence, because perhaps only one sentence is the question."""
    sort = _sorters()[0]
    return np.asarray(np.max([sort(part) for part in {question, *sentences(question)}], axis=0))


@lru_cache(maxsize=_KEPT)
def _told(text: str, heading: str) -> Floats:
    """The topics of a line. If its heading belongs to certain topics, these count more."""
    shares = _sorters()[1](text)
    own = np.array([heading in each.under for each in topics().values()])
    if not own.any():
        return shares
    kept = np.where(own, shares + 0.02, 0.0)
    return np.asarray((1 - _BY_HEADING) * shares + _BY_HEADING * kept / kept.sum())


def topic_of(question: str) -> str:
    """The topic that a question is mostly about; empty if there is none."""
    shares = _asked(question)
    return list(topics())[int(shares.argmax())] if shares.max() >= _MOSTLY else ""


def shared(question: str, text: str, heading: str) -> float:
    """How much a question and a line of the record share topics, as a logarithm; 0 is the highest value."""
    return float(np.log(_asked(question) @ _told(text, heading) + _LEAST))
