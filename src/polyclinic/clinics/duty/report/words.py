"""The fixed sentences of the feedback, in English and in Korean."""

from __future__ import annotations

from polyclinic.eval.in_short import Sentences

FEEDBACK: Sentences = {
    "you broke": (
        "you said {words}; the rule asks that {rule}.",
        "{words} — 이 말은 규칙에 어긋납니다. 규칙: {rule}.",
    ),
    "not done": ("{rule}: not done.", "하지 않은 일: {rule}."),
    "broke none": ("{words} broke no rule.", "{words} — 어긴 규칙이 없습니다."),
    "whole task": ("the whole task was done.", "맡은 일을 모두 마쳤습니다."),
    "missed": ("{item}.", "{item}."),
    "begin with": ("begin with this: {item}.", "이것부터 해 보세요: {item}."),
    "harder": (
        "try a harder shift: polyclinic scenarios list duty",
        "더 어려운 근무를 해 보세요: polyclinic scenarios list duty",
    ),
    "team": ("Your team", "동료들"),
    "colleagues broke": ("What your colleagues broke", "동료들이 어긴 규칙"),
    "who": ("who", "누가"),
    "words": ("words", "한 말"),
    "rule": ("the rule asks that", "규칙"),
    "staff": ("How the staff treated you", "의료진이 당신을 대한 방식"),
    "staff broke": ("Rules that the staff broke", "의료진이 어긴 규칙"),
    "staff broke none": (
        "No broken rule was recorded for the staff.",
        "의료진이 규칙을 어긴 기록이 없습니다.",
    ),
    "tell more": (
        "say what worries you most, and ask about what you did not understand.",
        "가장 걱정되는 것을 말하고, 이해하지 못한 것을 물어보세요.",
    ),
}
