"""What becomes of a message: three ways, and every doubt about the guard itself goes to a person.

The screen and the model judge apart; the graver of the two counts. A fault of the model (an exception, a time-out, a
verdict that cannot be read) is not an opinion: it escalates.
"""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.counsel.rules.lexicon import LABELS, Label, Screening
from polyclinic.core.message import Frozen

Way = Literal["go_on", "ask_gently", "escalate"]
Source = Literal["screen", "model", "fault", "nobody"]
QUEUE = "counsel-crisis"
REVIEW_QUEUE = "counsel-review"
_WAYS: dict[Label, Way] = {
    "active": "escalate",
    "implicit": "escalate",
    "passive": "ask_gently",
    "acceptance": "go_on",
}


class Decision(Frozen):
    """Which way, decided by whom, why, and the words it rests on."""

    way: Way
    label: Label
    source: Source
    reason: str = ""
    words: str = ""


def way_of(label: Label) -> Way:
    """What a label leads to."""
    return _WAYS[label]


def graver(one: Label, other: Label) -> Label:
    """The more dangerous of two labels."""
    return min(one, other, key=LABELS.index)


def from_screen(found: Screening) -> Decision:
    """The screen's word alone."""
    reason = f"the lexical screen found words of {found.label} risk" if found.words else ""
    source: Source = "screen" if found.words else "nobody"
    return Decision(way=way_of(found.label), label=found.label, source=source, reason=reason, words=found.words)


def decide(found: Screening, label: Label, reason: str, words: str) -> Decision:
    """Screen and model together: the graver counts, and the model's reason is kept where it is at least as grave."""
    if graver(found.label, label) == found.label and found.label != label:
        return from_screen(found)
    source: Source = "nobody" if label == "acceptance" else "model"
    return Decision(way=way_of(label), label=label, source=source, reason=reason, words=words or found.words)


def from_fault(found: Screening, fault: str, utterance: str) -> Decision:
    """The guard could not be heard: a person must look, whatever was said."""
    label: Label = found.label if found.label in ("active", "implicit") else "active"
    return Decision(way="escalate", label=label, source="fault", reason=fault, words=found.words or utterance[:200])
