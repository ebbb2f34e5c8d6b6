"""Signs of working together in words: coordination, relation, trust. Crude, plain, and the same for everybody.

They serve as the offline stand-in for rubric judges and as E_soc, the social part of the reward.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyclinic.clinics.duty.rules.traits.markers import estimate
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.clinics.duty.rules.triggers.words import CONFIRMS, TEACH_BACK, sentences
from polyclinic.clinics.duty.scenario import Role
from polyclinic.text.sentences import is_question

_COORDINATES = re.compile(
    r"\b(please confirm|i propose|i will tell you|doing that now|call (?:the|in)|what is still missing|which is right|"
    r"instead|next check)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(overrul\w+|whatever the doctor|i have changed the order|my decision is final|stop making a fuss"
    r"|nobody asked you)\b",
    re.IGNORECASE,
)
_WARM = re.compile(r"\b(fair worry|thank you|good question|i understand|no hurry|i am sorry)\b", re.IGNORECASE)
_COLD = re.compile(
    r"(?:your own fault|known better|be silly|making a fuss|calm down|no choice|as you are told"
    r"|leave feelings out|you never listen)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(do not know|not known|once the results|as soon as we know|still open|not wholly sure)\b", re.IGNORECASE
)
_BOAST = re.compile(
    r"\b(definitely|guarantee|absolutely sure|no doubt|perfectly safe|nothing to worry|came back normal|all set)\b",
    re.IGNORECASE,
)


def _words_of(lines: Sequence[Line], role: Role | None) -> list[str]:
    return [line.text for line in lines if line.speaker != "patient" and role in (None, line.speaker)]


def _scale(plus: float, minus: float, messages: int) -> float:
    """0…1 from signs for and against per message; half when there are none."""
    if not messages:
        return 0.5
    return min(max(0.5 + 0.25 * min(plus / messages, 2.0) - 0.9 * minus / messages, 0.0), 1.0)


def _count(pattern: re.Pattern[str], texts: Sequence[str]) -> int:
    return sum(len(pattern.findall(text)) for text in texts)


def coordination(lines: Sequence[Line], role: Role | None = None) -> float:
    """Asking, confirming, delegating and closing loops against ignoring and overruling."""
    texts = _words_of(lines, role)
    plus: float = _count(_COORDINATES, texts) + _count(CONFIRMS, texts) + _count(TEACH_BACK, texts)
    plus += sum(any(is_question(sentence) for sentence in sentences(text)) for text in texts) / 2
    return _scale(plus, _count(_AGAINST, texts), len(texts))


def relation(lines: Sequence[Line], role: Role | None = None) -> float:
    """Warmth and being taken seriously against coldness and blame."""
    texts = _words_of(lines, role)
    heard = estimate(texts, ["perspective_taking", "emotional_engagement"])
    warmth = sum(item.value * item.seen for item in heard.values())
    return _scale(_count(_WARM, texts) + warmth, _count(_COLD, texts), len(texts))


def trust(lines: Sequence[Line], role: Role | None = None) -> float:
    """Openness about what is not known and checking understanding against boasting and empty promises."""
    texts = _words_of(lines, role)
    plus = _count(_OPEN, texts) + _count(TEACH_BACK, texts) + _count(_WARM, texts) / 2
    return _scale(plus, _count(_BOAST, texts) + _count(_COLD, texts) / 2, len(texts))


def embeddedness(lines: Sequence[Line], role: Role | None = None) -> float:
    """E_soc: the mean of the three."""
    return (coordination(lines, role) + relation(lines, role) + trust(lines, role)) / 3


def on_ten(share: float) -> int:
    """A share as a level from 1 to 10."""
    return 1 + round(min(max(share, 0.0), 1.0) * 9)


def role_fit(lines: Sequence[Line], role: Role) -> float:
    """How well a role keeps to its part, by the words that overstep it."""
    texts = _words_of(lines, role)
    oversteps = _count(_AGAINST, texts) + _count(_STEPS_OVER[role], texts)
    return min(max(0.9 - 1.2 * oversteps / max(len(texts), 1), 0.0), 1.0)


_STEPS_OVER: dict[Role, re.Pattern[str]] = {
    "trainee": re.compile(r"\b(i have decided|this is clearly|can go home|i am sending|double the)\b", re.IGNORECASE),
    "nurse": re.compile(r"\b(can wait|nothing worrying|my decision|i have changed)\b", re.IGNORECASE),
    "admin": re.compile(r"\b(nothing serious|is stable|does not need|give (?:him|her))\b", re.IGNORECASE),
    "doctor": re.compile(r"\b(level 4|can wait|double the|perfectly safe)\b", re.IGNORECASE),
    "patient": re.compile(r"(?!)"),
}
