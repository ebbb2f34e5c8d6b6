"""The quick check before the slow pattern of assistants' phrases must never miss one of them."""

from __future__ import annotations

import importlib
import random
import re
from typing import Any

import pytest

from polyclinic.core.part_phrases import _ADVISES, _ADVISES_HOLDS, _ASSISTANT, _ASSISTANT_HOLDS
from polyclinic.core.part_signs import broken_by

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")


def _told(tree: Any, chance: random.Random, taken: set[tuple[int, int]]) -> str:
    """Make a text that the pattern matches; record which branches were taken."""
    said = ""
    for code, value in tree:
        if code is codes.LITERAL:
            said += chr(value)
        elif code is codes.IN:
            said += "x" if value[0][0] is codes.NEGATE else chr(value[0][1])
        elif code is codes.SUBPATTERN:
            said += _told(value[3], chance, taken)
        elif code is codes.BRANCH:
            number = chance.randrange(len(value[1]))
            taken.add((id(value), number))
            said += _told(value[1][number], chance, taken)
        elif code is codes.MAX_REPEAT:
            low, high, inner = value
            for _ in range(chance.randint(low, min(high, low + 2))):
                said += _told(inner, chance, taken)
        elif code is not codes.AT:
            raise AssertionError(code)
    return said


def _branches(tree: Any) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for code, value in tree:
        if code is codes.BRANCH:
            found |= {(id(value), number) for number in range(len(value[1]))}
            for branch in value[1]:
                found |= _branches(branch)
        elif code is codes.SUBPATTERN:
            found |= _branches(value[3])
        elif code is codes.MAX_REPEAT:
            found |= _branches(value[2])
    return found


@pytest.mark.parametrize(("pattern", "holds"), [(_ASSISTANT, _ASSISTANT_HOLDS), (_ADVISES, _ADVISES_HOLDS)])
def test_every_phrase_of_an_assistant_passes_the_quick_check(pattern: re.Pattern[str], holds: tuple[str, ...]) -> None:
    tree, chance = parser.parse(pattern.pattern), random.Random(1)
    taken: set[tuple[int, int]] = set()
    for _ in range(6_000):
        phrase = _told(tree, chance, taken)
        if pattern.search(phrase):  # the pattern's word boundaries are not generated
            assert any(held in phrase for held in holds), phrase
    assert taken == _branches(tree), "not every way through the pattern was tried"


@pytest.mark.parametrize("line", ["As an AI, I cannot help.", "How can I help you?", "I'm sorry to hear that."])
def test_an_assistants_phrase_is_found_in_a_whole_line(line: str) -> None:
    found = broken_by(f"Well. {line}")
    assert found is not None
    assert found.kind == "speaks as an assistant"


@pytest.mark.parametrize(
    "line", ["I am Kim, the ill person here.", "As the ill person I speak.", "아픈 사람 김민수입니다"]
)
def test_words_from_the_instructions_of_an_ill_person_are_found(line: str) -> None:
    found = broken_by(line)
    assert found is not None
    assert found.kind == "echo of the instructions"
