"""What the form of a message says about a norm: which norms it cannot break, whatever a reader takes its words for.

Only the clinic's own norms are known here, and norms of a user that are like one of them.
"""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.norms.norm import Norm, inventory
from polyclinic.clinics.duty.rules.triggers import sentences
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question

BY_STATEMENT = frozenset({"SOP-1", "ESC-2", "INFO-1", "INFO-2", "INFO-3", "SAFE-2", "SAFE-3"})
"""Norms about what is stated, promised or advised. A message of questions alone does none of this."""
BY_CERTAINTY = frozenset({"INFO-1", "SAFE-2"})
"""Norms about what is stated as certain. A sentence that says how uncertain it is keeps them."""
_UNCERTAIN = re.compile(
    r"\b(?:might|may (?:be|have|mean|come)|could (?:be|have|mean|come)|perhaps|maybe|possibly|probably|likely|possible|"
    r"(?:don't|do not|can't|cannot|not|nobody|no one) (?:\w+ )?(?:knows?|known|sure|certain|tell|say|clear)|"
    r"unsure|uncertain|unclear|unknown|not yet|yet to|still (?:open|waiting|missing)|"
    r"no (?:\w+ ){1,3}(?:yet|so far|either)|seems?|i (?:think|suspect))\b"
)
_STOPS = re.compile(
    r"(?:(?:so|and|then|please|now|for now)[ ,:]+)*"
    r"(?:stop|hold|pause|leave out|skip|take no|(?:do not|don't) (?:take|use)|no more)\b[^,;.]*[.!]?"
)
"""A sentence that takes a medicine away and says nothing else: it calls nothing safe."""
_COURTESIES = re.compile(
    r"(?:\W|\b(?:hello|hi|hey|there|good|morning|afternoon|evening|day|night|everyone|all|doctor|nurse|thanks?|you|very|"
    r"much|so|please|welcome|sorry|bye|goodbye|well|i|see|understand|understood|"
    r"안녕하세요|안녕히|가세요|계세요|감사합니다|고맙습니다|알겠습니다|그렇군요)\b)+"
)


def only_courtesies(text: str) -> bool:
    """Whether a message greets or thanks and says nothing else: what it leaves out, the checklist shows.

    A bare yes is more: it may agree to something dangerous.
    """
    return _COURTESIES.fullmatch(normalise(text)) is not None


def cannot_break(norm: Norm, text: str) -> bool:
    """Whether a message of this form keeps the norm, so that no reader need be asked."""
    known = _known(norm)
    asks = known in BY_STATEMENT and all(is_question(sentence) for sentence in sentences(text))
    return asks or (known != "" and only_courtesies(text))


def proves_nothing(norm: Norm, words: str) -> bool:
    """Whether these words cannot be a breach of the norm: each sentence asks, says that something is uncertain, or
    takes a medicine away where the norm is about calling one safe.
    """
    known = _known(norm)
    if known not in BY_STATEMENT:
        return False
    return all(is_question(sentence) or _harmless(known, normalise(sentence)) for sentence in sentences(words))


def _harmless(known: str, sentence: str) -> bool:
    doubts = known in BY_CERTAINTY and _UNCERTAIN.search(sentence) is not None
    return doubts or (known == "ESC-2" and _STOPS.fullmatch(sentence) is not None)


def _known(norm: Norm) -> str:
    """The id of the clinic's norm that this norm is, or is like; nothing if there is none."""
    return norm.like or (norm.id if norm in inventory() else "")
