"""What an answer to a proposal says by its form. The team acts on it, so nothing but a plain yes counts as one."""

from __future__ import annotations

import pytest

from polyclinic.text.agreeing import agreement

YES = """Yes.|OK, go ahead.|I confirm.|Confirmed.|Agreed, do that.|Yes, tell him that.|Sounds good.|That's fine by me
Fine, proceed|I agree with your plan.|No objections.|No problem, go ahead|Right, do it.|Perfect, thank you|Very well.
I confirm the plan: stop lithium, no ibuprofen, do not drive.|Yes. Stop the indapamide too.|I'm happy with that.|Sure
Yep, tell her.|Looks right to me.|Thanks, agreed.
You're right.|That works|ok doctor|Yes – go for it|Good.|I support that
네.|네, 진행하세요|동의합니다|좋습니다. 그렇게 하세요.|승인합니다.|확인했습니다. 그대로 진행하세요.
좋아요, 진행해 주세요"""
NO = """No.|No. I do not confirm this plan.|I don't agree.
I can't approve that.|Not yet.|Wait.|I disagree|That's not safe
Hold on, I want to see him first.|No, stop only the indapamide.|I refuse to sign this|Don't do that.|No, no, no|Never
I'm not happy with that.|I do not think that is a good plan.|Bad idea.|I won't confirm this.|We can't do it like this.
Before I confirm anything I need the levels|Yes... no, wait|Good grief, no|I was going to agree, but no|no thanks
아니요|아니요, 동의하지 않습니다.|안 됩니다.|그 계획은 승인할 수 없습니다|진행하지 마세요
저는 반대합니다|아뇨, 기다리세요"""
PARTLY = """Yes, but not the blood test.
Agreed, except for the ibuprofen.|OK if the potassium is normal.|If he agrees, yes
I confirm, only leave out the salt.|Yes. But wait for the level first.|Confirmed, once you have checked the dose.
Go ahead, but without the tramadol|OK, let me look at him first|네, 하지만 혈액 검사는 빼고요."""
NEITHER = """hello|What is his potassium?
I will confirm it later.|Let me think.|Maybe.|Thanks.|Bananas are yellow.|Yes?
Double the lithium.|Good morning|안녕하세요|생각해 볼게요
Shall I confirm?|You asked me to confirm|I might agree|123| |Well
Right. I take over.|Right now I cannot say
Who confirmed this?|Nothing is confirmed|Okay, what is the potassium?|그래요?
I confirm that I have received it, I will read it|Fine, how are you?|Do nothing yet.|확인해 볼게요|정말 괜찮습니까?"""


def _all(lines: str) -> list[str]:
    return lines.replace("\n", "|").split("|")


@pytest.mark.parametrize(("said", "lines"), [("yes", YES), ("no", NO), ("partly", PARTLY), ("", NEITHER)])
def test_an_answer_says_yes_partly_no_or_nothing(said: str, lines: str) -> None:
    assert {line: agreement(line) for line in _all(lines)} == dict.fromkeys(_all(lines), said)
