"""Patterns of many words, sorted for speed: they still find the same."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyclinic.clinics.frontdesk.rules.clauses import KIN
from polyclinic.text import numbers
from polyclinic.text.phrases import Pieces, by_first_letter, holds_one

WORDS = "mother|mum|mother-in-law|son|sister|grand\\w+|gran|kids?|\\w+-in-law|딸|he|hers"
PIECES = (
    "mother",
    "Mum ",
    "mother-in-law",
    "sons",
    "son ",
    "grandpa",
    "gran",
    "kid",
    "kids",
    " ",
    ", ",
    "her",
    "s",
    "딸",
)


def test_words_sorted_by_their_first_letter_are_found_at_the_same_positions() -> None:
    draw, found = random.Random(3), 0
    before, after = (re.compile(rf"\b(?:{words})\b") for words in (WORDS, by_first_letter(WORDS)))
    for _ in range(2_000):
        text = "".join(draw.choices(PIECES, k=8))
        spans = [match.span() for match in before.finditer(text)]
        assert [match.span() for match in after.finditer(text)] == spans, text
        found += len(spans)
    assert found > 1_000


@pytest.mark.parametrize("who", ["brother", "grandmother", "gran", "fiancée", "kids", "in-laws", "better half", "gp"])
def test_every_word_for_a_relative_is_known(who: str) -> None:
    assert re.fullmatch(KIN, who)


@pytest.mark.parametrize(
    "text",
    [
        "Double five, then OH one",
        "None of the stone is tonight",
        "the Twenty-first of May",
        "76, Maebong-ro",
        "영일이삼",
    ],
)
def test_the_shortcut_for_texts_without_spoken_numbers_gives_the_full_result(text: str) -> None:
    spoken = numbers._RUN.sub(lambda run: ", ".join(numbers._said(part) for part in run[0].split(", ")), text)
    spoken = numbers._KOREAN_RUN.sub(lambda run: "".join(numbers._KOREAN.get(sign, sign) for sign in run[0]), spoken)
    assert numbers.figures(text) == spoken


_WORD = st.sampled_from(["an", "ai", "air", "plan", "here", "there", "is", "a", "role", "roles", "you", "by", "the"])


@given(st.lists(_WORD, max_size=8).map(" ".join), st.lists(st.sampled_from(["an ai", " by the ", "role", " here is"])))
def test_pieces_are_found_as_by_looking_for_each_of_them(line: str, pieces: list[str]) -> None:
    known = Pieces(*pieces)
    assert {known.in_line(line), known.in_line(line)} == {holds_one(f" {line} ", pieces)}
