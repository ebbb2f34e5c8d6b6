"""What a colleague decided, as offline staff hear it: who waits for a confirmation or an order acts on what was said.

Nobody says that something was confirmed before somebody plainly confirmed it. A plan that was changed or refused is not
told as it was; what was ordered instead is passed on in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.rules.norms.kept import only_courtesies
from polyclinic.clinics.duty.rules.subject import SHARED, shared_words, speaks_of_care
from polyclinic.clinics.duty.rules.triggers import sentences, stated_level
from polyclinic.text.agreeing import agreement
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question
from polyclinic.text.words import ContentWords

_content = ContentWords()
_SOME_WORDS = 3
"""With so many words that have meaning, a message about no act of care may still report something."""
_PART = re.compile(r"(?:[,;:]|\s-+)\s+")
_LEADS = re.compile(r"(?:but|and|so|then|instead|please)\s+", re.IGNORECASE)
_TELLS = re.compile(
    r"^(?:let me|give me|wait|hold on|hang on|ask me|i|i'm|i've|we|you|he|she|it|it's|they|there|this|that|these"
    r"|those|my|your|who|what|why)\b"
    r"|\b(?:is|are|was|were|am|has|had)\b"
)
"""A sentence that tells something. What does not, and is no question, orders something."""


class HeardDecision(NamedTuple):
    """What the attending decided about a plan: it stands, it stands as the attending told it, in part, or not at all;
    and what they ordered in their own words.
    """

    about_plan: Literal["confirmed", "told", "partly", "open"]
    orders: tuple[str, ...] = ()


def attending_on_plan(prompt: ActTurn) -> HeardDecision | None:
    """What the doctor last said about the plan; None before they have spoken."""
    said = _last(prompt, "doctor")
    if said is None:
        return None
    stance, whole = agreement(said), all(normalise(step) in normalise(said) for step in prompt.view.protocol)
    if whole:
        return HeardDecision("confirmed" if stance == "yes" else "told")
    if stance == "partly":
        return HeardDecision("partly", tuple(each for each in sentences(said) if not is_question(each)))
    return HeardDecision("confirmed" if stance == "yes" else "open", orders_in(said))


def proposes_the_plan(prompt: ActTurn) -> bool:
    """Whether the trainee's last words propose a step of the plan; true if there is no trainee who proposes."""
    said = _last(prompt, "trainee")
    return said is None or any(shared_words(said, [step]) >= SHARED for step in prompt.view.protocol)


def decision_is_missing(prompt: ActTurn) -> bool:
    """Whether the doctor has named no triage level and ordered nothing, so that there is nothing to carry out."""
    said = _last(prompt, "doctor")
    return said is not None and stated_level(said) is None and not orders_in(said)


def order_is_refused(prompt: ActTurn) -> bool:
    """Whether the nurse plainly refuses what the doctor ordered."""
    return agreement(_last(prompt, "nurse") or "") == "no"


def report_is_missing(prompt: ActTurn) -> bool:
    """Whether nobody has said anything about the patient yet."""
    told = [line.text for line in prompt.steers.dialogue if line.speaker in ("nurse", "trainee", "patient")]
    return not any(map(_reports, told))


def _reports(said: str) -> bool:
    return not only_courtesies(said) and (
        speaks_of_care(said) or any(map(str.isdigit, said)) or len(_content(said)) >= _SOME_WORDS
    )


def asked_before(prompt: ActTurn) -> bool:
    """Whether this player has already spoken since the doctor did."""
    for line in reversed(prompt.steers.dialogue):
        if line.speaker in ("doctor", prompt.role):
            return line.speaker == prompt.role
    return False


def orders_in(said: str) -> tuple[str, ...]:
    """The sentences that order something, without a yes or no before them."""
    found = (_order(each) for each in sentences(said) if not is_question(each) and not only_courtesies(each))
    return tuple(each for each in found if each)


def _order(sentence: str) -> str:
    parts = [part for part in _PART.split(sentence) if part.strip()]
    own = [part for part in parts if not (agreement(part) or only_courtesies(part))]
    if not own or not any(map(_orders, own)):
        return ""
    rest = sentence if own == parts else sentence[sentence.index(own[0]) :]
    rest = _LEADS.sub("", rest, count=1) if _LEADS.match(rest) else rest
    return rest[:1].upper() + rest[1:]


def _orders(part: str) -> bool:
    return speaks_of_care(part) or (len(part.split()) > 1 and _TELLS.search(normalise(part)) is None)


def _last(prompt: ActTurn, speaker: str) -> str | None:
    spoken: Sequence[str] = [line.text for line in prompt.steers.dialogue if line.speaker == speaker]
    return spoken[-1] if spoken else None
