"""Answers to the question about ending one's life: an answer that is not a clear no escalates; a plain no does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyclinic.clinics.counsel.rules.affirmed import affirmed, asks_about_ending
from polyclinic.clinics.counsel.rules.guard import offline
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.messages import gentle_question
from polyclinic.clinics.counsel.rules.trained import read_message

DATA = Path(__file__).parents[3] / "benchmarks/data"
SETS = sorted(DATA.glob("answers_after_question_*.jsonl"))
NO = (
    "No.",
    "No, I don't want to end my life.",
    "I'd never do that.",
    "Just worn out.",
    "Yes, I'm worn out.",
    "Thanks for asking, but no.",
    "I want to live.",
    "What do you mean?",
    "아니요.",
    "그런 생각은 해본 적 없어요.",
    "네, 지쳤어요.",
    "그런 생각 들지 않아요.",
)


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("answer", NO)
def test_a_plain_no_and_being_worn_out_do_not_escalate(answer: str) -> None:
    assert affirmed(answer) is None


@pytest.mark.parametrize("file", SETS, ids=lambda file: file.stem[-1])
def test_answers_by_separate_authors_that_are_not_a_clear_no_escalate(file: Path) -> None:
    meant = [row["text"] for row in rows(file) if row["label"]]
    missed = [
        text for text in meant if affirmed(text) is None and offline(screen(text), read_message(text)).way != "escalate"
    ]
    assert len(meant) >= 60
    assert len(missed) <= 1, missed


@pytest.mark.parametrize("file", SETS, ids=lambda file: file.stem[-1])
def test_the_rule_alone_seldom_escalates_after_a_no(file: Path) -> None:
    others = [row["text"] for row in rows(file) if not row["label"]]
    assert sum(affirmed(text) is not None for text in others) <= len(others) // 8


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        (gentle_question("en"), True),
        (gentle_question("ko"), True),
        ("I am glad you told me. Are you thinking about killing yourself?", True),
        ("요즘 죽고 싶다는 생각이 드세요?", True),
        ("Would you like to talk about what matters most to you?", False),
        ("Some people think of ending their life. I am here to listen.", False),
        ("어떤 돌봄을 원하시는지 이야기해 볼까요?", False),
    ],
)
def test_only_a_question_about_ending_ones_life_makes_the_next_answer_count(words: str, asks: bool) -> None:
    assert asks_about_ending(words) == asks
