"""Decides what is done with a message: go on, ask gently, or escalate. If the guard itself fails, a person must look.

The screen, the trained guard and the model judge separately; the gravest label counts. There is one exception: words
that the screen finds in a message that the trained guard finds calm (a quotation, a denial) do not count, unless they
state danger plainly. Where the
trained guard is in doubt, a language model may decide, and the person is then asked gently. Without a language model, a
person of the care team looks. A fault of the model (an exception, a time-out, a verdict that cannot be read) is not an
opinion: it escalates.
"""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.counsel.rules.lexicon import NOTHING_FOUND, Screening
from polyclinic.clinics.counsel.rules.trained import GUARD_LABELS, GuardLabel, GuardReading
from polyclinic.core.message import Frozen

Way = Literal["go_on", "ask_gently", "escalate"]
DecisionSource = Literal["screen", "trained", "model", "fault", "nobody"]
QUEUE = "counsel-crisis"
REVIEW_QUEUE = "counsel-review"
FLAG_QUEUE = "counsel-flags"
"""What staff should see but need not act on at once: a wish to be dead, with its words and time."""
_WAYS: dict[GuardLabel, Way] = {
    "active": "escalate",
    "emergency": "escalate",
    "harm_others": "escalate",
    "abuse": "escalate",
    "implicit": "escalate",
    "passive": "ask_gently",
    "acceptance": "go_on",
}


class Decision(Frozen):
    """A decision about a message: what is done (`way`), who decided, why, and which words decided."""

    way: Way
    label: GuardLabel
    source: DecisionSource
    reason: str = ""
    words: str = ""


def way_of(label: GuardLabel) -> Way:
    """What is done with a message that has this label."""
    return _WAYS[label]


def graver(one: GuardLabel, other: GuardLabel) -> GuardLabel:
    """The more dangerous of two labels."""
    return min(one, other, key=GUARD_LABELS.index)


def that_count(found: Screening, reading: GuardReading) -> Screening:
    """What the screen found; nothing if the trained guard finds the message calm and no danger is stated plainly."""
    return NOTHING_FOUND if reading.calm and not found.plain else found


def from_screen(found: Screening) -> Decision:
    """The decision by the screen alone."""
    reason = f"the lexical screen found words of {found.label} risk" if found.words else ""
    source: DecisionSource = "screen" if found.words else "nobody"
    return Decision(way=way_of(found.label), label=found.label, source=source, reason=reason, words=found.words)


def from_trained(reading: GuardReading) -> Decision:
    """The decision by the trained guard alone: in doubt, a person must look."""
    if reading.level == "none":
        return Decision(way="go_on", label="acceptance", source="nobody")
    chance = reading.wish if reading.level == "flag" else reading.danger
    reason = f"the trained guard reads it as {reading.label} ({reading.level}, {chance:.2f})"
    return Decision(
        way=way_of(reading.label), label=reading.label, source="trained", reason=reason, words=reading.words
    )


def at_once(found: Screening, reading: GuardReading) -> Decision | None:
    """The decision if no model is needed: the screen finds danger, or the trained guard is sure of it. Else None."""
    quick = from_screen(found)
    if quick.way == "escalate":
        return quick
    return from_trained(reading) if reading.level == "sure" else None


def offline(found: Screening, reading: GuardReading) -> Decision:
    """The decision without any model: the graver of the screen's and the trained guard's."""
    one, other = from_screen(that_count(found, reading)), from_trained(reading)
    return one if graver(one.label, other.label) == one.label and one.source != "nobody" else other


def decide(found: Screening, label: GuardLabel, reason: str, words: str) -> Decision:
    """The decision by screen and model: the graver counts. The model's reason is kept if it is at least as grave."""
    if graver(found.label, label) == found.label and found.label != label:
        return from_screen(found)
    source: DecisionSource = "nobody" if label == "acceptance" else "model"
    return Decision(way=way_of(label), label=label, source=source, reason=reason, words=words or found.words)


def settle_doubt(decision: Decision, reading: GuardReading, trusted: bool) -> Decision:
    """The decision by screen and model, combined with the trained guard's. `trusted`: a language model has judged."""
    if decision.way == "escalate" or reading.level == "none":
        return decision
    trained = from_trained(reading)
    if reading.level == "flag" or not trusted:
        return trained if graver(trained.label, decision.label) == trained.label else decision
    return Decision(
        way="ask_gently",
        label="passive",
        source="trained",
        reason=f"{trained.reason}; the model reads it as {decision.label}",
        words=reading.words,
    )


def from_fault(found: Screening, fault: str, utterance: str) -> Decision:
    """The guard failed: a person must look, whatever was said."""
    label: GuardLabel = found.label if found.label in ("active", "implicit") else "active"
    return Decision(way="escalate", label=label, source="fault", reason=fault, words=found.words or utterance[:200])
