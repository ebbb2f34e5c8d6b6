"""How long a person will live is never said to them as a fact: an exact rule, in English and Korean."""

from __future__ import annotations

import pytest

from polyclinic.clinics.counsel.rules.prognosis import time_left
from polyclinic.clinics.counsel.rules.risk import Draft, draft_fault

STATED = (
    "You have six months left.",
    "You've got about 3 weeks to live.",
    "You have a few weeks, at most.",
    "You have months, not years.",
    "Without it you will live only two or three months.",
    "You won't see another Christmas.",
    "You will be gone by the spring.",
    "Your prognosis is about six months.",
    "앞으로 3개월 정도 남았습니다.",
    "길어야 두 달입니다.",
    "석 달을 못 넘기십니다.",
    "6개월밖에 못 사십니다.",
    "남은 시간은 한 달 정도입니다.",
    "추석 전에 돌아가실 겁니다.",
)
NOT_STATED = (
    "You have two weeks to decide.",
    "Have you been told that you have six months left?",
    "You said you have six months left.",
    "The doctor said you have six months to live, and that frightened you.",
    "Hospice care is often for people in the last six months of life.",
    "You have lived with this for two years.",
    "It's about two weeks since we spoke.",
    "What would matter most if you had only a few months?",
    "말기 진단은 수개월 이내에 사망할 것으로 예상될 때 내립니다.",
    "지난 3개월 동안 힘드셨군요.",
    "앞으로 2주 안에 다시 뵙겠습니다.",
    "6개월 남았다고 들으셨군요.",
    "아버님이 한 달 전에 돌아가셨군요.",
    "의향서는 1년에 한 번 다시 볼 수 있습니다.",
)


@pytest.mark.parametrize("sentence", STATED)
def test_a_stated_time_is_a_fault_whatever_else_is_said(sentence: str) -> None:
    draft = f"I am here to listen. {sentence}"
    assert time_left(draft) == sentence
    fault = draft_fault(Draft(time_left=sentence), hurt=False, cited="source-1", borne_out=True, lang="en")
    assert fault.risk == 2 and fault.words == sentence and sentence in fault.feedback


@pytest.mark.parametrize("sentence", NOT_STATED)
def test_questions_reports_and_general_facts_are_no_stated_time(sentence: str) -> None:
    assert time_left(sentence) == ""
