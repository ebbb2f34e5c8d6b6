"""The fixed sentences of the feedback, in English and in Korean. The judge's own reasons stay as they are."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.codes import MEANING
from polyclinic.eval.in_short import Sentences

_CODES_KO = {
    "IF": "형식 오류",
    "IS": "끝나지 않은 대화",
    "ID": "잘못된 진료과",
    "IPI": "잘못된 환자 정보",
    "IDPI": "잘못된 진료과와 환자 정보",
    "PC": "의사 중복",
    "IVS": "잘못된 일정",
    "WD": "잘못된 진료 시간",
    "TC": "시간 중복",
    "IP": "잘못된 의사",
    "IDT": "잘못된 날짜",
    "NET": "가장 이른 시간이 아님",
    "FI": "환자를 찾지 못함",
}
FEEDBACK: Sentences = {
    **{f"code {code}": (meaning, _CODES_KO[code]) for code, meaning in MEANING.items()},
    "task intake": ("the record of the patient", "환자 기록"),
    "task scheduling": ("the appointment", "예약"),
    "task tools": ("the choice of tools", "도구 선택"),
    "by staff": ("staff", "직원"),
    "by patient": ("patient", "환자"),
    "no error": ("no error", "오류 없음"),
    "found": ("{code}: {meaning}", "{code}: {meaning}"),
    "wrong tool": ("wrong tool: {used}", "잘못된 도구: {used}"),
    "fitting": ("the patient's wish asks for {fitting}", "환자의 희망에 맞는 도구: {fitting}"),
    "has no error": ("{task} has no error.", "{task}: 오류가 없습니다."),
    "fault": ("{task}: {found}.", "{task}: {found}."),
    "look first": ("look at this first: {why}.", "이것부터 살펴보세요: {why}."),
    "whole morning": (
        "take the next patient, or a hospital of another size.",
        "다음 환자나 규모가 다른 병원에서 해 보세요.",
    ),
    "how it went": ("How it went", "어떻게 되었나"),
    "rubrics": ("What the rubrics found", "평가 기준으로 찾은 것"),
    "task": ("task", "일"),
    "finding": ("finding", "찾은 것"),
    "whose fault": ("whose fault", "누구 때문에"),
    "why": ("why", "이유"),
    "belongs": ("{disease} belongs to {departments}.", "{disease}에 맞는 진료과: {departments}."),
    "or": (" or ", " 또는 "),
    "not yours": (
        "no error of {task} is the patient's fault.",
        "{task}: 환자 때문에 생긴 오류는 없습니다.",
    ),
    "say it whole": (
        "answer questions with what is on your card: {why}.",
        "질문을 받으면 카드에 적힌 대로 답해 보세요: {why}.",
    ),
    "other card": ("take another card, or play the staff.", "다른 카드나 직원 역할을 해 보세요."),
}
