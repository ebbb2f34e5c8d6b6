"""An order to send somebody home: "discharge him", "she can go home".

Only plain words are found here. A question, a condition ("if the ECG is normal"), a denial and what somebody did or
wants are no order: the rest is left to the reader.
"""

from __future__ import annotations

import re

from polyclinic.text.normal import normalise
from polyclinic.text.questions import in_question_order
from polyclinic.text.sentences import is_question

_WHO = r"(?:him|her|them|(?:the|this|our|that) (?:patient|man|woman|child|boy|girl|baby|lad|lady|gentleman))"
_THEY = r"(?:he|she|they|you|(?:the|this|our|that) (?:patient|man|woman|child|boy|girl|baby|lad|lady|gentleman))"
_MAY = r"(?:can|may|should|could|is (?:fine|safe|free|fit|ok|okay|well enough|good) to)"
_ORDERS = re.compile(
    rf"\bdischarge (?:{_WHO}|home|now|today|with|on)\b|^(?:then |so |and |please |now |just )*discharge$|"
    rf"\b(?:send|let|get) {_WHO}(?: (?:back|go|straight|off|on))* home\b|"
    rf"\b{_THEY} {_MAY}(?: (?:just|now|then|safely|also|go|be|get|head|sent|back|straight))* (?:home|discharged)\b|"
    r"(?:귀가|퇴원)(?:시키|시켜|하세요|하셔도|해도)|집(?:에|으로) (?:보내|가세요|가셔도|가도)"
)
_ON_CONDITION = re.compile(r"\b(?:if|once|unless|until|before|when|after|as soon as)\b")
_CLAUSE = re.compile(r"[,;:.!]|\b(?:and|but|so)\b")
_NOT_NOW = re.compile(
    r"\b(?:not|never|no|nobody|cannot|without|whether|instead|rather|"
    r"would|might|was|were|had|did|wants?|wish\w*|hopes?|asks?|asked|thinks?|says?|said|later|tomorrow)\b|n't\b|"
    r"않|말고|마세요|안 됩|면 |후에|다음에|나중"
)
"""What is denied, comes only later or on a condition, or is told about somebody."""


def sends_home(sentence: str) -> bool:
    """Whether a sentence plainly sends the patient home now."""
    said = normalise(sentence).replace("’", "'")
    if is_question(sentence) or in_question_order(said) or _ON_CONDITION.search(said):
        return False
    return any(_ORDERS.search(clause.strip()) and not _NOT_NOW.search(clause) for clause in _CLAUSE.split(said))
