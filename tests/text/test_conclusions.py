"""Only a clause that stands names what a speaker settles on."""

from __future__ import annotations

import re
import time

import pytest

from polyclinic.text.conclusions import leaves_open, read_clauses


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("measles", ["measles"]),
        ("measles not rubella", ["measles"]),
        ("I'd say measles rather than rubella", ["I'd say measles"]),
        ("measles is not the cause", []),
        ("Measles? No.", []),
        ("Measles? Yes.", ["Measles", "Yes"]),
        ("? measles", []),
        ("She was told it was measles. I don't buy it. Rubella", ["Rubella"]),
        ("Measles would itch, so rubella", ["so rubella"]),
        ("My diagnosis would be measles", ["My diagnosis would be measles"]),
        ("I considered measles but dropped it", []),
        ("too old for measles", []),
        ("r/o measles", []),
        ("the spots argue against measles; rubella", ["rubella"]),
        ("Without a doubt measles", ["measles"]),
        ("the rash is so red, measles", ["the rash is so red", "measles"]),
        ("why would anybody think of measles", []),
        ("what could it be but measles", []),
        ("he is five, has a cough, measles", ["he is five", "has a cough", "measles"]),
        ("vertigo, do an Epley", ["vertigo", "do an Epley"]),
        ("a rash, which is itchy", ["a rash", "which is itchy"]),
        ("What is left: measles", ["What is left", "measles"]),
        ("Fever is a sign, so is a rash", ["Fever is a sign", "so is a rash"]),
    ],
)
def test_what_is_denied_asked_or_only_thought_of_does_not_stand(text: str, stands: list[str]) -> None:
    assert [clause.words for clause in read_clauses(text) if clause.stance == "stands"] == stands


def test_a_clause_beside_the_matter_doubts_unless_it_denies() -> None:
    text = "measles, my aunt had rubella, my aunt had no flu"
    told = [clause.stance for clause in read_clauses(text, re.compile("aunt"))]
    assert told == ["stands", "doubts", "denies"]
    assert [clause.stance for clause in read_clauses(text)] == ["stands", "stands", "denies"]


def test_a_conclusion_and_a_reason_are_told_apart() -> None:
    told = {
        clause.words: (clause.concludes, clause.reason) for clause in read_clauses("No rash, so flu because of fever")
    }
    assert told == {"No rash": (False, False), "so flu": (True, False), "because of fever": (False, True)}


@pytest.mark.parametrize("text", ["torn between flu and measles", "could be flu, could be measles", "I can't tell yet"])
def test_a_speaker_who_has_not_settled_says_so(text: str) -> None:
    assert leaves_open(text) and not leaves_open("flu, the spots came later")


def test_a_very_long_conclusion_is_read_in_no_time_and_to_its_end() -> None:
    began = time.perf_counter()
    assert read_clauses("do not " * 2_000 + "so measles")[-1].words == "so measles"
    assert time.perf_counter() - began < 1
