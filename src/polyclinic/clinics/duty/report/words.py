"""The fixed sentences of this clinic's feedback, in English and in Korean."""

from __future__ import annotations

from polyclinic.eval.in_short import Sentences

FEEDBACK: Sentences = {
    "you broke": (
        "you said {words}; the rule: {rule}.",
        "{words} — 이 말은 규칙에 어긋납니다. 규칙: {rule}.",
    ),
    "off the subject": (
        "with {words} you did not come to the matter yet.",
        "{words} — 아직 이 환자 이야기가 아닙니다.",
    ),
    "not done": ("{rule}: not done.", "하지 않은 일: {rule}."),
    "broke none": ("{words} broke no rule.", "{words} — 어긴 규칙이 없습니다."),
    "whole task": ("the whole task was done.", "맡은 일을 모두 마쳤습니다."),
    "little": (
        "your colleagues did most of this task. Your words can do more: {item}.",
        "이번 일은 대부분 동료들이 했습니다. 직접 해 보세요: {item}.",
    ),
    "no decision": (
        "you made no decision, although the team waited for one.",
        "팀이 기다렸지만 결정을 내리지 않았습니다.",
    ),
    "no level": (
        "you named no triage level, although the team waited for one.",
        "팀이 기다리던 중증도 단계를 말하지 않았습니다.",
    ),
    "steps told": (
        "your words cover {told} of the {all} steps of the house.",
        "이곳의 절차 {all}가지 가운데 {told}가지를 말했습니다.",
    ),
    "decide": (
        "say clearly what you decide: yes or no to the plan, or a triage level.",
        "무엇으로 결정하는지 분명히 말해 보세요. 계획에 대한 예 또는 아니요, 또는 중증도 단계입니다.",
    ),
    "role mark": (
        "The mark for your role is left out here: it says only whether you kept to your part, not whether your words "
        "were safe or did the task.",
        "역할 점수는 여기에 적지 않습니다. 맡은 몫을 지켰는지만 볼 뿐, 말이 안전했는지, 일을 해냈는지는 보지 않습니다.",
    ),
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
    "rule": ("the rule", "규칙"),
    "one rule": ("if {when}, {then}", "{when}: {then}"),
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
