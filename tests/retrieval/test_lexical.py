"""Search by words finds what vectors miss: rare terms, and Korean stems with particles."""

from __future__ import annotations

import pytest

from polyclinic.retrieval.lexical import Bm25, tokens

NOTES = [
    "The patient takes warfarin for atrial fibrillation.",
    "Headaches in the morning, no fever.",
    "환자는 당뇨병으로 인슐린을 맞고 있습니다.",
    "The patient had a headache and a fever after the trip.",
    "수술을 받은 적이 없습니다.",
]


def test_a_rare_word_finds_its_document() -> None:
    assert Bm25(NOTES).nearest("Is she on warfarin?", 1)[0][0] == 0


def test_korean_is_found_with_other_particles_and_endings() -> None:
    index = Bm25(NOTES)
    assert index.nearest("당뇨병이 있으신가요?", 1)[0][0] == 2
    assert index.nearest("수술하신 적 있나요", 1)[0][0] == 4


def test_plain_english_endings_do_not_matter() -> None:
    assert tokens("headaches") == tokens("headache")
    assert tokens("smoking smoked smokes") == ["smok", "smok", "smok"]
    assert tokens("studies") == tokens("study")
    assert tokens("illness pass") == ["illness", "pass"]


def test_question_words_count_because_where_differs_from_when() -> None:
    assert tokens("Where is it?") != tokens("When is it?")


def test_bm25_matches_the_formula_computed_by_hand() -> None:
    # two documents of two terms; "cough" in one of two: idf = ln(1 + (2-1+.5)/(1+.5)) = ln 2; tf part = 2.2/(1+1.2) = 1
    index = Bm25(["cough fever", "fever rash"])
    assert index.scores("cough") == {0: pytest.approx(0.693147, abs=1e-6)}


def test_unknown_words_and_an_empty_index_find_nothing() -> None:
    assert Bm25(NOTES).nearest("zygote", 3) == []
    assert Bm25().nearest("cough", 3) == []
