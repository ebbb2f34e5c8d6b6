"""The thirteen stages: they come in order, can stay or step back, and move only on words that were said and meant."""

from __future__ import annotations

import numpy as np
import pytest

from polyclinic.clinics.counsel.prompts.counsellor import PlannerPlans
from polyclinic.clinics.counsel.prompts.replies import Plan
from polyclinic.clinics.counsel.readings import READINGS
from polyclinic.clinics.counsel.rules.courtesy import meant
from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.stages import (
    Move,
    allowed_stages,
    may_move,
    next_move,
    settle,
    signal_questions,
    stage_named,
)
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import INTERVENTIONS, STAGES
from polyclinic.core.reply import read_reply
from polyclinic.reading.reader import BuiltInReader
from polyclinic.runner.readings import labelled

READER = BuiltInReader({kind.name: kind for kind in READINGS})
PROPOSED: dict[Lang, str] = {
    "en": "I would like to talk with you about your illness, at your own pace. Would that be all right?",
    "ko": "병에 대해, 그리고 어떤 돌봄을 원하시는지 천천히 이야기 나누고 싶습니다. 그렇게 해도 괜찮으시겠어요?",
}


def test_there_are_thirteen_stages_with_eight_interventions_and_words_for_each() -> None:
    assert len(STAGES) == 13 and len(INTERVENTIONS) == 8
    for stage in STAGES:
        assert all(stage_words(stage, name, lang) for name in ("goal", "query") for lang in ("en", "ko"))


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("Disease Awareness", "disease_awareness"),
        ("disease-awareness", "disease_awareness"),
        ("ACP awareness", "acp_awareness"),
        ("Preferences: CPR", "preferences.cpr"),
        ("ecmo", "preferences.ecmo"),
        ("Closing.", "closing"),
        ("limbo", ""),
    ],
)
def test_a_stage_is_recognised_however_it_is_written(name: str, stage: str) -> None:
    assert stage_named(name) == stage


def test_a_plan_may_name_only_stages_and_signals_that_its_prompt_offers() -> None:
    prompt = PlannerPlans(
        lang="en", stage="opening", allowed=allowed_stages("opening", "opening"), signals=("consent",), asked="",
        utterance="Yes.", feedback="",
    )  # fmt: skip
    written = '{"words": "Yes", "signal": "consent", "to": "Disease Awareness"}'
    read = read_reply(written, prompt.reply_form())
    assert isinstance(read, Plan) and read.to == "disease_awareness"
    with pytest.raises(Exception, match="to"):
        read_reply(written.replace("Disease Awareness", "closing"), prompt.reply_form())


@pytest.mark.parametrize(
    ("words", "lang"),
    [("그러죠 뭐, 얘기해 봅시다", "ko"), ("네, 이야기해 봅시다.", "ko"), ("Fine by me, ask away.", "en")],
)
def test_consent_in_ordinary_words_opens_the_talk(words: str, lang: Lang) -> None:
    assert READER.read(words, signal_questions("opening", PROPOSED[lang])["consent"])[0] == "yes"


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ("I would rather not.", "en"),
        ("Go away.", "en"),
        ("No, let us not talk.", "en"),
        ("싫어요", "ko"),
        ("됐어요, 안 할래요", "ko"),
    ],
)
def test_a_refusal_is_no_consent(words: str, lang: Lang) -> None:
    assert READER.read(words, signal_questions("opening", PROPOSED[lang])["consent"])[0] != "yes"


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_strangers_answers_to_a_proposal_open_the_talk_only_if_they_agree(lang: Lang) -> None:
    rows = [row for row in labelled(kind="counsel-consent", split="test") if row.lang == lang]
    opens = [
        READER.read(row.text, signal_questions("opening", row.question.fact("proposed"))["consent"])[0] for row in rows
    ]
    for label in (True, False):
        said = [says == "yes" for says, row in zip(opens, rows, strict=True) if row.label is label]
        assert len(said) > 50 and np.mean([one is label for one in said]) >= 0.75


def test_nobody_can_consent_before_anything_was_proposed() -> None:
    assert "consent" not in signal_questions("opening", "")


@pytest.mark.parametrize(
    ("stage", "signal", "to"),
    [
        ("opening", "consent", "disease_awareness"),
        ("disease_awareness", "understanding", "acp_awareness"),
        ("acp_awareness", "understanding", "empathy"),
        ("empathy", "values", "preferences.cpr"),
        ("preferences.cpr", "preference", "preferences.ventilation"),
        ("preferences.transfusion", "preference", "closing"),
    ],
)
def test_a_signal_moves_one_stage_forward(stage: str, signal: str, to: str) -> None:
    move = next_move(stage, stage, {signal: "words"})
    assert (move.kind, move.to, move.signal) == ("advance", to, signal)


@pytest.mark.parametrize(
    ("stage", "heard"),
    [
        ("opening", {}),
        ("disease_awareness", {"hesitation": "wait"}),
        ("disease_awareness", {"understanding": "I see", "hesitation": "but wait"}),
        ("preferences.icu", {}),
        ("closing", {"farewell": "bye"}),
    ],
)
def test_without_a_signal_or_with_hesitation_the_stage_stays(stage: str, heard: dict[str, str]) -> None:
    assert next_move(stage, stage, heard).to == stage


@pytest.mark.parametrize(
    ("signal", "to", "onward"),
    [
        ("confused_illness", "disease_awareness", "understanding"),
        ("confused_acp", "acp_awareness", "understanding"),
        ("distress", "empathy", "values"),
    ],
)
def test_confusion_and_distress_cause_a_step_back_and_then_a_return(signal: str, to: str, onward: str) -> None:
    back = next_move("preferences.dialysis", "preferences.dialysis", {signal: "words"})
    assert (back.kind, back.to) == ("back", to)
    again = next_move(to, "preferences.dialysis", {onward: "words"})
    assert (again.kind, again.to) == ("return", "preferences.dialysis")


def test_a_planner_cannot_skip_a_stage_or_move_without_words_that_were_said_and_meant() -> None:
    heard = {"consent": "Yes, please."}
    leap = Move(kind="advance", to="closing", words="yes")
    move, followed = settle("opening", "opening", "Yes, please.", heard, leap)
    assert not followed and move.to == "disease_awareness"
    invented = Move(kind="advance", to="disease_awareness", words="I agree to everything")
    move, followed = settle("opening", "opening", "Hm.", {}, invented)
    assert not followed and move.to == "opening"
    said, not_meant = "Please go on then.", Move(kind="stay", to="disease_awareness", words="go on")
    assert settle("opening", "opening", said, {}, not_meant) == (Move(kind="stay", to="opening"), False)
    move, followed = settle("opening", "opening", said, {"consent": said}, not_meant)
    assert followed and move.kind == "advance"


def test_an_unknown_stage_is_never_entered() -> None:
    assert not may_move("opening", "opening", "limbo")


@pytest.mark.parametrize(
    "utterance", ["고맙습니다.", "정말 감사합니다, 선생님.", "Thank you so much, doctor.", "Thanks!"]
)
def test_thanks_alone_are_neither_consent_nor_understanding_nor_a_wish(utterance: str) -> None:
    assert not any(meant(utterance, signal) for signal in ("understanding", "preference", "values", "distress"))
    assert not meant("고맙습니다.", "consent")
    assert meant(utterance, "farewell")


def test_yes_with_thanks_is_consent_only_and_a_wish_after_thanks_still_counts() -> None:
    assert meant("네, 고맙습니다.", "consent")
    assert not meant("네, 고맙습니다.", "preference")
    assert meant("Thank you, but I do not want to be resuscitated.", "preference")
    assert meant("고맙습니다. 심폐소생술은 받고 싶지 않아요.", "preference")
