"""What an answer to a proposal says by its form: yes, yes with a reservation, no, or neither.

Only plain forms are read: "yes, go ahead", "I confirm the plan", "yes, but not tonight", "no", "I do not agree". A
question agrees to nothing, and what follows a colon is no part of the answer. So words of which nobody can say what
they mean count as no answer, never as a yes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from polyclinic.text.normal import normalise
from polyclinic.text.questions import in_question_order
from polyclinic.text.sentences import is_question, sentences

Agrees = Literal["yes", "partly", "no", ""]

_PLAIN = r"(?:yes|yeah|yep|yup|aye|ok|okay|agreed)"
_ALONE = (
    rf"(?:{_PLAIN}|sure|correct|exactly|absolutely|certainly|definitely|approved|confirmed|granted|of course"
    r"|by all means|affirmative|no (?:problems?|objections?|concerns?|worries|issues?|changes?))"
)
_FILLER = r"(?:right|good|great|fine|perfect|excellent|all right|alright|very (?:well|good)|you(?:'re| are) right)"
"""A yes as a whole answer; before other words it only begins to speak ("Right. I take over.")."""
_SO = r"(?:it|that|this|so|the plan|your plan|this plan|that plan|the draft|everything|all(?: of (?:it|this|that))?)"
_ACT = r"(?:confirm|agree|approve|accept|support|endorse|authori[sz]e|sign|ok|okay|consent)"
_GO = (
    r"(?:go ahead|proceed|go on with (?:it|that|this|the plan)|carry on|carry it out|do (?:it|that|this|so"
    r"|as you)(?! and\b)"
    r"|let(?:'s| us) do (?:it|that|this|so)|make it so|tell (?:him|her|them|the patient) (?:that|so|this|it"
    r"|exactly that))"
)
_LIKES = (
    rf"(?:sounds like a plan|that works|(?:ok|okay|happy|fine) (?:with|for|by)|happy to"
    rf"|(?:sounds|looks|seems|is|are|'s) (?:\w+ly )?(?:ok|okay|fine|good|great|right|correct|perfect|sensible|safe"
    rf"|sound"
    rf"|excellent)\b|you have my (?:ok|okay|approval|yes|consent)"
    rf"|my approval\b|good plan|we do {_SO}|(?:you|they|he|she|we) (?:can|may) (?:do|tell|say|hear|start|begin"
    rf"|go ahead))"
)
_YES = re.compile(
    rf"^(?:well |then |and |so |oh |please |that's |it's |it is |that is |this is )*{_ALONE}(?: (?:then|thanks"
    rf"|thank you"
    rf"|doctor|nurse|colleague|by me|with me|from me|yes|so far|{_SO}))*$"
    rf"|^{_PLAIN} (?:i|we|you|he|she|they|please|do|go|let|tell|that|this|it)\b"
    rf"|^(?:i|we)(?: (?:do|hereby|fully|gladly|also|can|completely|entirely))* {_ACT}\b(?! (?:that i|receipt))"
    rf"|^(?:hereby )?{_ACT}(?:ed)?\b"
    rf"|^(?:then |so |please |you can |you may |just |now )*{_GO}\b|\b{_LIKES}"
)
_NO_ALONE = re.compile(
    r"(?:well |oh |but |then )*(?:no|nope|nah|never|negative|not (?:yet|now|so fast|so|today|at all|like (?:this"
    r"|that)"
    r"|ok|okay|good|right|fine|correct|safe)|wait|stop|hold on|hang on|one moment|absolutely not|certainly not"
    r"|definitely not|of course not|by no means|no way|rather not|better not|please don't|don't|do not)"
    r"(?: (?:a (?:moment|minute|second|bit)|doctor|nurse|thanks|thank you|sorry|please|yet|then|with (?:it|that"
    r"|this)))*"
)
_DENIES = (
    r"(?:\b(?:not|never|nothing|none|cannot|unable to|hardly|nobody|refuse to|before (?:i|we)|until (?:i|we))|n't)"
)
_NO = re.compile(
    rf"{_DENIES} (?:\w+ly |be |at all |yet |quite |going to |able to |to |feel |want |wish |think |believe |that "
    rf"|is )*"
    rf"(?:{_ACT}|{_GO}|{_LIKES}|ok|okay|good|right|correct|convinced|sure|safe|a good)\b"
    rf"|\b(?:do not|don't|must not|should not|shouldn't|cannot|can't) (?:\w+ )?(?:do|tell|say|give|start"
    rf"|begin) {_SO}\b"
    r"|\b(?:disagree\w*|reject\w*|refuse\w*|declin(?:e|ed|es)|veto\w*|object|forbid\w*|oppose\w*|withdraw"
    r"|take (?:it|that)"
    r" back|bad (?:idea|plan)|think again|out of the question|not (?:like|in) (?:this|that)|wrong plan)\b"
)
_LATER = re.compile(
    rf"\b(?:will|'ll|shall|would|'d|might|may|could|should|going to|want(?:ed)? to|need to|have to|asked (?:me"
    rf"|us) to)"
    rf" (?:\w+ )?{_ACT}\b|\b(?:maybe|perhaps|probably|possibly|later|tomorrow|whether)\b"
)
"""An agreement that is announced, doubted or only spoken of."""
_RESERVES = re.compile(
    r"\b(?:but|except|only|if|unless|however|apart from|instead|rather than|other than|provided|as long as|once|until"
    r"|without|although|though|not|nothing|none|first|before|other way)\b"
)
_BEGINS_RESERVING = re.compile(r"(?:but|except|only|unless|however|although|though|not)\b")
_FILLED = re.compile(
    rf"(?:(?:thanks|thank you)[ ,.!]+)?{_FILLER}(?:[ ,.!]+(?:{_FILLER}|thanks|thank you|doctor|nurse))*[ .!]*"
)
_CLAUSE = re.compile(
    r"[,;!]\s*|\.(?:\s+|$)|\s+-+\s+|\s+(?=(?:but|except|however|although|though)\b)|\s+and (?=i\b|we\b)"
)

_KO_YES = re.compile(
    r"^(?:네|예|응|그래요?|좋(?:습니다|아요|아|네요)|알겠(?:습니다|어요)|물론(?:입니다|이죠)?|맞(?:습니다"
    r"|아요))(?=$|[\s,.!])"
    r"|(?:동의|승인|확인|찬성|허락|인정)(?:합니다|해요|할게요|하겠습니다|했습니다|함)|진행(?:하세요|해요|하시죠"
    r"|합시다|해 ?주세요)"
    r"|그렇게 (?:하세요|하시죠|합시다|해요|해 ?주세요|진행)|괜찮(?:습니다|아요|네요)|문제 ?없(?:습니다|어요|음)"
)
_KO_NO = re.compile(
    r"^(?:아니(?:요|오)?|아뇨|안 ?돼요?|안 ?됩니다|싫(?:어요|습니다)|잠깐(?:만요?)?|잠시만요?|기다(?:려"
    r"|리)\S*)(?=$|[\s,.!])"
    r"|(?:동의|승인|확인|찬성|허락|진행)\S* ?(?:않|못|안 |없|말)|(?:하지|말하지) (?:마|말)|반대(?:합니다|해요)"
    r"|거부|거절"
    r"|보류|(?:동의|승인|확인|찬성|허락|진행)할 수 없|안 ?됩니다|안 ?돼|아직(?:은)? (?:아[니닙]|안|이릅)"
    r"|그건 아[니닙]|틀렸"
)
_KO_RESERVES = re.compile(r"(?:지만|하지만|그러나|다만|대신|빼고|말고|면 |으면|제외|나중에|먼저)")


@lru_cache(maxsize=1_024)
def agreement(text: str) -> Agrees:
    """Whether an answer agrees to what was proposed. A no counts, whatever else is said; a yes does not count beside a
    reservation.
    """
    if _FILLED.fullmatch(normalise(text)):
        return "yes"
    said = [normalise(each).rstrip(" .!~") for each in sentences(text) if not is_question(each)]
    found = [_of(each.partition(":")[0], later=at > 0) for at, each in enumerate(said) if each]
    if "no" in found:
        return "no"
    if "yes" in found or "partly" in found:
        return "partly" if "partly" in found or "reserves" in found else "yes"
    return ""


def _of(sentence: str, *, later: bool) -> Literal["yes", "partly", "no", "reserves", ""]:
    """What one sentence says. `later`: another one came before it, which it may reserve."""
    if in_question_order(sentence):
        return ""
    clauses = [each.strip() for each in _CLAUSE.split(sentence) if each and each.strip()]
    if any(_NO_ALONE.fullmatch(each) or _NO.search(each) or _KO_NO.search(each) for each in clauses):
        return "no"
    agrees = next((at for at, each in enumerate(clauses) if _agrees(each)), None)
    if agrees is None:
        return "reserves" if later and _BEGINS_RESERVING.match(sentence) else ""
    if sentence.startswith("if "):
        return "partly"
    after = sentence[sentence.find(clauses[agrees]) :]
    return "partly" if _RESERVES.search(after) or _KO_RESERVES.search(sentence) else "yes"


def _agrees(clause: str) -> bool:
    return (_YES.search(clause) is not None and not _LATER.search(clause)) or _KO_YES.search(clause) is not None
