"""What a person who played the staff or the patient is told afterwards."""

from __future__ import annotations

from typing import NamedTuple

from polyclinic.clinics.frontdesk.judges import intake_verdict, misfits, scheduling_verdict, used_tools
from polyclinic.clinics.frontdesk.rules.codes import MEANING
from polyclinic.clinics.frontdesk.rules.intake_rubric import NEVER_SAID
from polyclinic.clinics.frontdesk.rules.notes import Wished
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.judge import Case
from polyclinic.eval.in_short import Phrases, Sentences
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

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
    "not told": (
        "the staff asked, but never heard what stands on your card: {what}.",
        "물었지만 카드에 적힌 대로 말하지 않은 것: {what}.",
    ),
    "personal number": ("personal number", "주민 번호"),
    "say it whole": (
        "answer questions with what is on your card.",
        "질문을 받으면 카드에 적힌 대로 답해 보세요.",
    ),
    "other card": ("take another card, or play the staff.", "다른 카드나 직원 역할을 해 보세요."),
}


class _Judged(NamedTuple):
    """What a rubric found in one task: the error (empty if there is none), the same in plain words, whose fault it is,
    and why.
    """

    task: str
    found: str
    plainly: str
    fault: str
    why: str


def feedback(case: Case[Contact, DeskVariant], part: str, language: str) -> list[Section]:
    """A summary, then what the rubrics found, and why."""
    say, contact = Phrases(language, FEEDBACK), case.scenario
    judged = _judged(case, say)
    rows: list[list[Cell]] = [
        [one.task, one.found or say("no error"), say(f"by {one.fault}") if one.fault else "", one.why] for one in judged
    ]
    heads = [say("task"), say("finding"), say("whose fault"), say("why")]
    body: list[Block] = [Table(say("rubrics"), heads, rows)]
    if contact.patient is not None:
        departments = say("or").join(contact.caller.gold_departments)
        body.append(Paragraph(say("belongs", disease=contact.caller.disease, departments=departments)))
    last = Section(say("how it went"), body)
    if part == "patient":
        said = [event.text for event in case.transcript.said("patient")]
        return [_for_patient(judged, say), say.your_words(said), last]
    return [_for_staff(judged, say), last]


def _for_staff(judged: list[_Judged], say: Phrases) -> Section:
    faults = [one for one in judged if one.found]
    return say.in_short(
        good=[say("has no error", task=one.task) for one in judged if not one.found],
        missing=[_named(one, say) for one in faults],
        next_step=say("look first", why=faults[0].why or faults[0].found) if faults else say("whole morning"),
    )


def _for_patient(judged: list[_Judged], say: Phrases) -> Section:
    """Feedback for a person who played the patient. It depends only on whose fault each error is."""
    faults = [one for one in judged if one.fault == "patient"]
    return say.in_short(
        good=[say("not yours", task=one.task) for one in judged if one.fault != "patient"],
        missing=[_not_told(one, say) or _named(one, say) for one in faults],
        next_step=say("say it whole" if faults else "other card"),
        unmeasured="patient",
    )


def _not_told(one: _Judged, say: Phrases) -> str:
    """What the person kept back, by the names on their card; empty if that was not the error."""
    if not one.why.startswith(NEVER_SAID):
        return ""
    return say("not told", what=one.why.removeprefix(NEVER_SAID).replace("identifier", say("personal number")))


def _judged(case: Case[Contact, DeskVariant], say: Phrases) -> list[_Judged]:
    contact = case.scenario
    found = []
    for task, verdict in (
        ("intake", intake_verdict(contact, case.transcript) if contact.kind == "visit" else None),
        ("scheduling", scheduling_verdict(contact, case.transcript)),
    ):
        if verdict is not None:
            code = verdict.code
            meaning = say(f"code {code}") if code else ""
            named = say("found", code=code, meaning=meaning) if code else ""
            found.append(_Judged(say(f"task {task}"), named, meaning, verdict.fault, verdict.reason))
    tools = case.variant.scheduling == "tool"
    for fitting, used in misfits(case.transcript.notes(Wished) if tools else [], used_tools(case.transcript)):
        wrong, why = say("wrong tool", used=used), say("fitting", fitting=fitting)
        found.append(_Judged(say("task tools"), wrong, wrong, "staff", why))
    return found


def _named(one: _Judged, say: Phrases) -> str:
    return say("fault", task=one.task, found=one.why or one.plainly)
