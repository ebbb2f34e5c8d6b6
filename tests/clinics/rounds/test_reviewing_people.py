"""A person who reviews a draft: fine, wrong, or asked again. Words that say nothing about it never hold it back."""

from __future__ import annotations

import pytest

from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.reviewers import ChecksFacts, ChecksSafety
from polyclinic.clinics.rounds.prompts.verdicts import FINE, reviewed
from polyclinic.core.reply import Unreadable

DRAFT = "Jiho, look at leads II, III and aVF: what does the ST elevation there tell you about which wall is injured?"
OK = """ok|OK.|yes|Yes, go ahead.|fine|looks good|Looks good to me.|nothing wrong|no problem|correct|Perfect.|I agree
That's fine.|네|좋습니다|괜찮아요|문제없음|네, 말해도 됩니다|good|All right|no objections"""
WRONG = """It gives away the answer.|No, it is rude.|no: the leads are wrong|That is medically false.|Too long.|unsafe
Wrong: the ST elevation is in V1 to V4.|You should ask about the pain first.|Not leads II and III.
This is a leading hint.
Be less harsh|ok, but too blunt|Yes, but do not name the student.|nope, unkind|정답을 알려 줍니다.|너무 길어요.
아니요, 무례합니다|틀렸습니다. 유도는 V1입니다.|The ST elevation is not there
The second sentence is confusing.|no, no, far too fast"""
NEITHER = """hello|Hi there!|good morning everyone|thanks|hmm|asdf
123|?|what?|who are you|I don't know|no idea|not sure|maybe
What should I do?|How does this work?|I am hungry|lol
The weather is nice.|let me think|안녕하세요|모르겠어요|글쎄요|ㅋㅋㅋ
I like trains|hello Jiho|test|no no no|no|I do not agree|Well, well|what do you mean?|배고파요
what should i do|me too|I am cold|tell me what to write"""


def _all(lines: str) -> list[str]:
    return lines.replace("\n", "|").split("|")


@pytest.mark.parametrize("typed", _all(OK))
def test_a_draft_that_is_called_fine_is_heard(typed: str) -> None:
    assert reviewed(typed, DRAFT) == FINE


@pytest.mark.parametrize("typed", _all(WRONG))
def test_what_is_wrong_with_a_draft_holds_it_back(typed: str) -> None:
    assert reviewed(typed, DRAFT) == typed


@pytest.mark.parametrize("typed", _all(NEITHER))
def test_words_that_say_nothing_about_a_draft_are_asked_again(typed: str) -> None:
    for asked in ("ok", "what is wrong with it"):
        with pytest.raises(Unreadable, match=asked):
            reviewed(typed, DRAFT)


def test_both_reviewers_are_asked_again_and_understood() -> None:
    sheet, key = (
        Sheet(vignette="", question="", options={}, captions=()),
        CaseKey(answer="", explanation="", steps=(), pitfalls=()),
    )
    facts, safety = ChecksFacts(sheet=sheet, key=key, statement=DRAFT), ChecksSafety(statement=DRAFT)
    for typed, fine in (("Yes, go ahead.", True), ("no, it is rude", False)):
        assert (facts.from_human(facts.full_answer(typed)).verdict == "correct") is fine
        assert (safety.from_human(safety.full_answer(typed)).issue == "none") is fine
    for prompt in (facts, safety):
        with pytest.raises(Unreadable):
            prompt.full_answer("hello")
