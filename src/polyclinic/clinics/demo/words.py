"""The fixed sentences of the feedback, in English and in Korean."""

from __future__ import annotations

from polyclinic.eval.in_short import Sentences

FEEDBACK: Sentences = {
    "held back": ("{words} was held back: {why}.", "{words} — 이 말은 전달되지 않았습니다: {why}."),
    "right dose": ("{words} has the leaflet's dose.", "{words} — 설명서의 용량과 같습니다."),
    "wrong dose": ("{words} is not the leaflet's dose.", "{words} — 설명서의 용량과 다릅니다."),
    "not understood": (
        "the caller did not understand how to take it.",
        "전화한 분이 복용법을 이해하지 못했습니다.",
    ),
    "say it so": (
        "say it as this caller would understand it: {plain}.",
        "이분이 알아들을 수 있게 말해 보세요: {plain}.",
    ),
    "other caller": (
        "take a call from somebody who understands numbers differently.",
        "숫자를 다르게 알아듣는 분의 전화를 받아 보세요.",
    ),
    "how it went": ("How it went", "어떻게 되었나"),
    "end understood": ("understood", "이해함"),
    "end not_understood": ("not understood", "이해하지 못함"),
    "end handed_over": ("handed over", "약사에게 넘김"),
    "ended": ("The call ended as: {outcome}.", "통화의 결과: {outcome}."),
    "you accepted": (
        "you said that you understood {words}, which has the leaflet's dose.",
        "{words} — 이 말을 이해했다고 하셨고, 설명서의 용량과 같습니다.",
    ),
    "you accepted wrong": (
        "you said that you understood {words}, which is not the leaflet's dose.",
        "{words} — 이 말을 이해했다고 하셨지만, 설명서의 용량과 다릅니다.",
    ),
    "you refused": (
        "you did not understand {words}, which has the leaflet's dose.",
        "{words} — 이 말을 이해하지 못하셨지만, 설명서의 용량과 같습니다.",
    ),
    "say it back": (
        "say the dose back in your own words before you hang up.",
        "전화를 끊기 전에 용량을 자신의 말로 다시 말해 보세요.",
    ),
}
