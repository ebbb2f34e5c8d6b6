"""Whether a sentence only asks. A question can also state ("it is normal, isn't it?"), order ("why don't you double
it?") or blame ("have you even tried?"), so a question mark is not enough.
"""

from __future__ import annotations

import re
from functools import cache

from polyclinic.core.files import package_data
from polyclinic.text.normal import HANGUL
from polyclinic.text.questions import PLAIN_VERB, QUESTION_WORD, in_question_order, without_lead
from polyclinic.text.sentences import is_question

_CARRIES = re.compile(
    r"^(?:so |but |and |well )?(?:i|we|you|he|she|it|they|this|that|your|his|her|their|my|our|there)\b|"
    r"[,:-] ?(?:right|ok|okay|yes|no|eh|correct|agreed|is that it|or what)\W*$|"
    r"[,:-] ?(?:i|you|he|she|it|they|we|as|because|which|but|though|like|since|eating|when)\b|"
    r"\b(?:is|are|was|do|does|did|have|has|can|could|will|would|should)n't (?:i|you|he|she|it|they|we|that|there)\W*$|"
    r"\b(?:know|knew|hear|heard|mention(?:ed)?|realis\w+|realiz\w+|understand|understood|see|seen|clear(?: now)?|"
    r"told you|say|said|remember|aware|agree) that\b(?! back)|"
    r"^(?:why (?:don't|not)|how about|what about (?:just )?\w+ing|what if)\b|\bany reason not\b|\bask you to\b|"
    r"^(?:can|could|will|would|shall|may) (?:you|he|she|they|we|i) (?:please |just |simply |also |all )*"
    r"(?:doubl|tripl|stop|skip|halv|leave|wait|go |send|give |take (?!a seat|me|your time|part|over)|carry on|keep)"
)
"""A question in form that states something, or asks somebody to act on it: a statement with a mark or a tag, a clause
that tells something, an order made polite.
"""
_ASKING_LEAVE = re.compile(r"^(?:may|shall|should|can|could) (?:i|we)\b(?! ask you to\b)")
"""A person who asks whether they may do something has not done it."""
_ABOUT = rf"(?:since )?(?!why\b){QUESTION_WORD}(?: (?!could|can|dare|come)\w+){{0,3}}"
_OF_A_HISTORY = re.compile(
    r"(?:(?:do|have) (?:i|you|he|she|it|we|they|any\w*|some\w+|there|the|your|his|her|their)|"
    r"(?:does|did|has|is|are|was|were) \w+|"
    rf"{_ABOUT} (?:{PLAIN_VERB}|will|would|should)|any|who \w+ed|what \w+s you|"
    r"(?:can|could|would|will) you (?:please )?(?:tell|show|say|describe|explain|point|spell|walk|stand|sit|move|feel|"
    r"breathe|hear|see|sleep|eat|remember|manage|climb|lift|hold (?:out|up)|swallow|read|repeat))\b"
)
"""How the questions of a history begin."""
_REPROACHES = re.compile(
    rf"why\b|(?:(?:since )?{QUESTION_WORD}(?: (?!{PLAIN_VERB}\b)[\w'-]+){{0,3}} )?{PLAIN_VERB} (?:i|we|this|that)\b"
)
"""Without its mark, "why did you", "do I have to" and "is that clear" may be reproaches: the reader judges these."""
_GRUDGES = re.compile(r"\s*(?:but|well)\b", re.IGNORECASE)
_YOU = r"\byou (?:\w+ ){0,2}(?:man|woman|girl|boy|lady|one|lot)\b"


@cache
def _blaming() -> re.Pattern[str]:
    """Words that make a question a reproach, a hurry, a lowered urgency or an insult (``data/manner.toml``). A narrow
    rule lets the reader judge these. After "are you", only what a history asks for is plain.
    """
    words = package_data("polyclinic.clinics.duty", "data/manner.toml")
    blames, asked = ("|".join(words[name]) for name in ("blames", "are_you"))
    return re.compile(rf"\b(?:{blames})\b|n't\b|{_YOU}|^(?:are|were) you (?!{asked})")


def only_asks(sentence: str) -> bool:
    """Whether a sentence asks and tells nothing: no fact, no order, no promise."""
    if HANGUL.search(sentence):
        return is_question(sentence)
    return (is_question(sentence) and _carries_nothing(without_lead(sentence))) or asks_plainly(sentence)


def asks_plainly(sentence: str) -> bool:
    """Whether a sentence is a plain question, as in a history: it tells nothing, and no word of it blames or hurries.

    Korean has no such rule: the reader judges it.
    """
    text = without_lead(sentence)
    blames = _blaming().search(text) or _GRUDGES.match(sentence)
    if HANGUL.search(text) or not _carries_nothing(text) or blames:
        return False
    if is_question(sentence):
        return _OF_A_HISTORY.match(text) is not None
    return in_question_order(text, surely=True) and not _REPROACHES.match(text)


def _carries_nothing(text: str) -> bool:
    return _ASKING_LEAVE.match(text) is not None or _CARRIES.search(text) is None
