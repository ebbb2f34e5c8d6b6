"""What a language model writes that is no speech is not said aloud, and ordinary speech is left alone."""

from __future__ import annotations

import pytest

from polyclinic.core.reply import Unreadable
from polyclinic.core.spoken import refuse_unspeakable
from polyclinic.text.normal import Lang

WORDING = "What you know of the person:\nSources: none.\nYou: Good morning.\n출처: 없음.\n상담자의 대답: 안녕하세요."
GOOD = "That sounds hard. What weighs on you most?"


def refused(text: str, *langs: Lang) -> str:
    try:
        refuse_unspeakable(text, WORDING, ("counsellor",), *langs)
    except Unreadable as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"label": "calm"}', "JSON"),
        ('{"label": "calm", "foo":', "JSON"),
        (f'Sure! {{"reply": "{GOOD}"}}', "JSON"),
        (f"```\n{GOOD}\n```", "JSON"),
        ('<tool_call>{"name": "look_up"}</tool_call>', "JSON"),
        (f"<think>She is sad.</think>{GOOD}", "JSON"),
        (f"<|im_start|>{GOOD}", "JSON"),
        ("As an AI language model, I cannot talk about death.", "AI model"),
        ("I'm sorry, but I can't help with that.", "AI model"),
        ("I am here with you. " * 4, "repeated"),
        ("Well, " + "yes and no and " * 40, "repeated"),
        (f"Sources: none. {GOOD}", '"Sources:"'),
        (f"**What you know of the person:** {GOOD}", '"What you know of the person:"'),
        (f"You: {GOOD}", '"You:"'),
        (f"Counsellor: {GOOD}", "no name in front"),
        (f"*nods slowly* {GOOD}", "nothing that you do"),
        ("…", "in English"),
        ("많이 힘드셨겠어요.", "in English"),
        ("我听到了您的话。", "in English"),
    ],
)
def test_what_is_no_speech_is_refused_with_the_reason(text: str, why: str) -> None:
    assert why in refused(text, "en")


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "I am a computer program, an AI, and not a person. Does that matter to you?",
        "I see. I see. I see. Please go on.",
        "You said it yourself: enough is enough. What would be enough?",
        "Your nurse, 김민지, can explain it. Shall we ask her?",
        "Less than <3 mg> is small.",
    ],
)
def test_ordinary_speech_is_left_alone(text: str) -> None:
    assert refused(text, "en") == ""


def test_the_listeners_own_language_is_understood_too() -> None:
    assert "in Korean" in refused(GOOD, "ko") and refused(GOOD, "ko", "en") == ""
    assert refused("상담자의 대답: 많이 힘드셨겠어요.", "ko") and refused("저는 언어 모델로서 답할 수 없습니다.", "ko")
    assert refused("MRI 결과를 들으셨군요. 마음이 어떠세요?", "ko") == ""
