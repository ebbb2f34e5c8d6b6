"""What a person who reviews a draft typed: that it is fine, what is wrong with it, or nothing about it.

Words that begin with a plain no hold the draft back, whatever they say. Others do so only if they speak of the draft.
Nothing is guessed: for all other words the person is asked again.
"""

from __future__ import annotations

import re

from polyclinic.core.reply import Unreadable
from polyclinic.text.agreeing import agreement
from polyclinic.text.normal import normalise
from polyclinic.text.passing import passes
from polyclinic.text.questions import asks_something
from polyclinic.text.worded import Worded
from polyclinic.text.words import ContentWords

FINE = "ok"
_FINE = frozenset(
    {"none", "nothing", "nothing wrong", "nothing is wrong", "looks good", "looks fine"} | {"없음", "통과"}
)
_BARE_NO = frozenset({"no", "not ok", "not okay", "nope", "wrong", "아니요", "아니오", "아뇨", "안 돼요", "안 됩니다"})
_NO = re.compile(r"(?:no|nope|not ok(?:ay)?|아니요|아니오|아뇨|안 ?돼요|안 ?됩니다)(?=[\s,.:;!-])")
_DOUBTS = re.compile(
    r"\b(?:no (?:idea|opinion|comment|clue|answer)|(?:don't|do not|dunno|not|can't|cannot) (?:really )?(?:know"
    r"|sure|certain|say"
    r"|tell|judge|decide|understand|care|mind)|maybe|perhaps)\b|모르|글쎄|상관 ?없"
)
_FAULT = re.compile(
    r"\b(?:wrong\w*|false\w*|incorrect\w*|inaccura\w*|untrue|mistak\w*|errors?|outdated|mislead\w*|leading|leaks?"
    r"|leaked"
    r"|reveal\w*|spoil\w*|gives?\b.*\baway|giving\b.*\baway|answers?|hints?|solution|rude\w*|unkind\w*|harsh\w*"
    r"|blunt\w*"
    r"|patroni[sz]\w*|condescend\w*|insult\w*|offen[sd]\w*|disrespect\w*|belittl\w*|sham(?:es|ing)|blam(?:es"
    r"|ing)"
    r"|sexis\w*|racis\w*|bias\w*|stereotyp\w*|unfair\w*|privacy|private|confidential\w*|unsafe|danger\w*|harm\w*"
    r"|risky|unethical|tone|wording|sentences?|too \w+|unclear|confus\w*|vague\w*"
    r"|jargon|promis\w*|guarantee\w*|repeat\w*|rephras\w*|reword\w*|soften"
    r"|shorten|shorter|remove|leave out|must not|should(?:n't| not)?)\b"
    r"|틀[리렸린]|잘못|오류|사실과|부정확|정답|답을|힌트|알려 ?(?:주|줍|줘)|누설|무례|불친절|차갑|거칠|위험|해롭"
    r"|사생활|개인 ?정보|약속|장담|보장"
    r"|모욕|무시|차별|편견|말투|문장|표현|너무|빼|고치|고쳐|바꾸|바꿔|수정|줄이|줄여|하지 ?말|안 ?하는 게"
)
"""Words for what can be wrong with a draft."""
_NOT = re.compile(r"\b(?:not|never|no|nothing|cannot|without)\b|n't\b|[않안못]")
_OF_IT = re.compile(r"(?:it|this|that|the (?:tutor|draft|question|sentence)|he|she) \w+|(?:이건|그건|이 말은|그 말은) ")
"""How a sentence about the draft begins."""
_MUCH, _SOME = 2, 1
_content = ContentWords()


def reviewed(typed: str, statement: str) -> str:
    """`FINE`, or what the person says is wrong with this draft. Asks again where their words say neither."""
    if passes(typed):
        raise Unreadable(Worded("'{1}' is no answer: write ok, or no and what is wrong with it", typed.strip()))
    said = normalise(typed).rstrip(" .!")
    stance = agreement(typed)
    if said in _FINE or stance == "yes":
        return FINE
    shared = len(_content(typed) & _content(statement))
    doubts = _DOUBTS.search(said) is not None and shared < _MUCH
    if not doubts and _objects(said, stance, shared):
        return typed.strip()
    if said in _BARE_NO or (stance == "no" and not doubts):
        raise Unreadable("please write what is wrong with it, or ok")
    raise Unreadable("that does not say whether the students may hear it: write ok, or no and what is wrong with it")


def _objects(said: str, stance: str, shared: int) -> bool:
    """Whether words say what is wrong. `shared`: how many words that have meaning they share with the draft."""
    begins = _NO.match(said)
    if stance == "partly" or (begins and _content(said[begins.end() :])):
        return True
    if asks_something(said):
        return False
    if _OF_IT.match(said) and len(_content(said)) >= _MUCH:
        return True
    return _FAULT.search(said) is not None or shared >= (_SOME if _NOT.search(said) else _MUCH)
