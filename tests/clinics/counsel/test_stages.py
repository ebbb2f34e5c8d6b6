"""The thirteen stages: linear, able to stay, able to step back, never moved by words that were not said."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.stages import Move, may_move, next_move, settle, signal
from polyclinic.clinics.counsel.state import INTERVENTIONS, STAGES


def test_there_are_thirteen_with_eight_interventions_and_words_for_each() -> None:
    assert len(STAGES) == 13 and len(INTERVENTIONS) == 8
    for stage in STAGES:
        assert all(stage_words(stage, name, lang) for name in ("goal", "query", "ask") for lang in ("en", "ko"))


@pytest.mark.parametrize(
    ("stage", "words", "lang", "to"),
    [
        ("opening", "Yes, we can talk about it.", "en", "disease_awareness"),
        ("opening", "네, 이야기해 봅시다.", "ko", "disease_awareness"),
        ("disease_awareness", "I see now. I had it wrong, then.", "en", "acp_awareness"),
        ("disease_awareness", "그렇군요. 제가 잘못 알고 있었네요.", "ko", "acp_awareness"),
        ("acp_awareness", "이제 알겠어요. 이해가 됩니다.", "ko", "empathy"),
        ("empathy", "What matters most to me is my garden.", "en", "preferences.cpr"),
        ("empathy", "저한테 제일 중요한 건 가족이에요.", "ko", "preferences.cpr"),
        ("preferences.cpr", "No, I don't want that.", "en", "preferences.ventilation"),
        ("preferences.transfusion", "가족들에게 맡기겠습니다.", "ko", "closing"),
    ],
)
def test_a_signal_leads_one_stage_on(stage: str, words: str, lang: str, to: str) -> None:
    move = next_move(stage, stage, words, lang)  # type: ignore[arg-type]
    assert (move.kind, move.to) == ("advance", to)
    assert move.words in words.lower()


@pytest.mark.parametrize(
    ("stage", "words", "lang"),
    [
        ("opening", "Not yet, I need time.", "en"),
        ("opening", "I'm not sure about this.", "en"),
        ("disease_awareness", "The weather is nice.", "en"),
        ("empathy", "글쎄, 모르겠어요.", "ko"),
        ("preferences.icu", "Wait, slow down.", "en"),
    ],
)
def test_without_a_signal_or_with_hesitation_it_stays(stage: str, words: str, lang: str) -> None:
    assert next_move(stage, stage, words, lang).to == stage  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "lang", "to"),
    [
        ("But the chemo will cure it, I'll get better?", "en", "disease_awareness"),
        ("그래도 완치되는 거 아니에요?", "ko", "disease_awareness"),
        ("Is it legal, and can I change it?", "en", "acp_awareness"),
        ("I'm so scared of all this.", "en", "empathy"),
        ("너무 무서워요.", "ko", "empathy"),
    ],
)
def test_confusion_and_distress_step_back_and_then_return(words: str, lang: str, to: str) -> None:
    back = next_move("preferences.dialysis", "preferences.dialysis", words, lang)  # type: ignore[arg-type]
    assert (back.kind, back.to) == ("back", to)
    onward = {
        "disease_awareness": "I see now.",
        "acp_awareness": "I understand now.",
        "empathy": "For me it is family.",
    }
    again = next_move(to, "preferences.dialysis", onward[to], "en")
    assert (again.kind, again.to) == ("return", "preferences.dialysis")


def test_a_planner_cannot_leap_nor_move_on_words_nobody_said() -> None:
    leap = Move(kind="advance", to="closing", words="yes")
    move, followed = settle("opening", "opening", "Yes, please.", "en", leap)
    assert not followed and move.to == "disease_awareness"
    invented = Move(kind="advance", to="disease_awareness", words="I agree to everything")
    move, followed = settle("opening", "opening", "Hm.", "en", invented)
    assert not followed and move.to == "opening"
    honest = Move(kind="stay", to="disease_awareness", words="go on")
    move, followed = settle("opening", "opening", "Please go on then.", "en", honest)
    assert followed and move.kind == "advance"


def test_an_unknown_stage_is_never_entered() -> None:
    assert not may_move("opening", "opening", "limbo")


def test_signals_read_curly_apostrophes() -> None:
    assert signal("preference", "I don’t want that.", "en")
