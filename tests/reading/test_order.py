"""The network that reads the words of a text in order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyclinic.core.reading import ReadingKind
from polyclinic.reading.order import OrderNetwork, packed_order, unpacked_order
from polyclinic.reading.order_training import NetworkLine, train_order
from polyclinic.reading.reader import BuiltInReader
from polyclinic.reading.sets import Labelled
from polyclinic.reading.training import in_order, train
from polyclinic.reading.weights import made

_PEOPLE = ("mother", "nurse", "doctor", "brother", "porter", "teacher", "father", "sister", "friend", "driver")
_DAYS = ("today", "yesterday", "on Monday", "last week", "this morning", "in May", "at noon", "on Friday")


def _lines(people: tuple[str, ...]) -> list[NetworkLine]:
    """The same words in both orders: only the order tells yes from no."""
    found: list[NetworkLine] = []
    for person in people:
        for day in _DAYS:
            found.append(NetworkLine(f"the {person} ate before pills {day}", "k", True))
            found.append(NetworkLine(f"the {person} pills before ate {day}", "k", False))
    return found


@pytest.fixture(scope="module")
def order() -> OrderNetwork:
    found = train_order(_lines(_PEOPLE[:7]) * 2)
    assert found is not None
    return found


def test_the_order_of_the_same_words_is_heard_in_new_texts(order: OrderNetwork) -> None:
    new = _lines(_PEOPLE[7:])
    right = [((order.score(line.text, "k") or 0.0) > 0) == line.label for line in new]
    assert np.mean(right) > 0.9


def test_a_question_that_was_not_learned_has_no_score(order: OrderNetwork) -> None:
    assert order.score("the nurse ate", "another") is None
    assert order.score("", "k") is not None


def test_the_network_comes_back_from_its_bytes(order: OrderNetwork) -> None:
    again = unpacked_order(packed_order(order), order.heads)
    text = "the friend ate before pills at noon"
    assert again.score(text, "k") == order.score(text, "k")
    with pytest.raises(ValueError, match="another size"):
        unpacked_order(packed_order(order)[:-2], order.heads)


def test_no_lines_train_no_network() -> None:
    assert train_order([]) is None


def test_the_reader_weighs_the_network_in_where_it_learned_the_question() -> None:
    alone = ReadingKind("alone", who=(), question="Is it so?")
    case = ReadingKind("case", who=(), question="Is it so in {case}?", open=("case",), bound=True)
    lines = _lines(_PEOPLE[:4])
    rows = [Labelled(alone.ask(), line.text, line.label, "a", "train") for line in lines]
    rows += [Labelled(case.ask(case="the case"), line.text, line.label, "a", "train") for line in lines]
    kinds = {kind.name: kind for kind in (alone, case)}
    weights, network = made(*train(rows, kinds)), in_order(rows, kinds)
    assert network is not None
    assert network.heads == ("alone",)
    without, with_it = (BuiltInReader(kinds, weights=some) for some in (weights, replace(weights, order=network)))
    assert {row.question.kind for row in rows if _differs(without, with_it, row)} == {"alone"}


def _differs(one: BuiltInReader, other: BuiltInReader, row: Labelled) -> bool:
    return one.probability(row.text, row.question) != other.probability(row.text, row.question)
