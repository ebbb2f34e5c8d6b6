"""Moving through the stages on linguistic signals: linear, but able to stay and to step back.

A planner (a model) proposes a move with the words it rests on. `settle` lets it through only if it is one the
conversation may make and the words were really said; otherwise the rule's own reading of the signals counts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.clinics.counsel.state import PREFERENCES, STAGES
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.text.normal import straight

MoveKind = Literal["stay", "advance", "back", "return"]
_WANTED: dict[str, tuple[str, ...]] = {
    "opening": ("consent",),
    "disease_awareness": ("understanding",),
    "acp_awareness": ("understanding", "consent"),
    "empathy": ("values",),
    "closing": (),
}
_BACK = (("confused_illness", "disease_awareness"), ("confused_acp", "acp_awareness"), ("distress", "empathy"))


class Move(Frozen):
    """A step between stages, the signal behind it and the patient's own words."""

    kind: MoveKind
    to: str
    signal: str = ""
    words: str = ""


@cache
def _patterns(lang: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    signals = package_data(PACKAGE, "data/signals.toml")
    return {name: tuple(re.compile(pattern) for pattern in row[lang]) for name, row in signals.items()}


def signal(name: str, utterance: str, lang: Lang) -> str:
    """The words of this signal in the utterance; empty when it is not there."""
    text = straight(utterance.lower())
    for pattern in _patterns(lang)[name]:
        found = pattern.search(text)
        if found:
            return found.group().strip(" ,.")
    return ""


def wanted_signals(stage: str) -> tuple[str, ...]:
    """The signals that let the conversation go on from this stage."""
    return ("preference",) if stage.startswith(PREFERENCES) else _WANTED[stage]


def next_move(stage: str, furthest: str, utterance: str, lang: Lang) -> Move:
    """What the signals in the patient's words call for."""
    here = STAGES.index(stage)
    for name, target in _BACK:
        words = signal(name, utterance, lang)
        if words and STAGES.index(target) < here and not (name == "distress" and here == STAGES.index("closing")):
            return Move(kind="back", to=target, signal=name, words=words)
    name, words = _heard(stage, utterance, lang)
    doubt = signal("hesitation", utterance, lang)
    if doubt and name != "preference":
        return Move(kind="stay", to=stage, signal="hesitation", words=doubt)
    if not words:
        return Move(kind="stay", to=stage)
    if STAGES.index(furthest) > here:
        return Move(kind="return", to=furthest, signal=name, words=words)
    return Move(kind="advance", to=STAGES[here + 1], signal=name, words=words)


def _heard(stage: str, utterance: str, lang: Lang) -> tuple[str, str]:
    for name in wanted_signals(stage):
        words = signal(name, utterance, lang)
        if words:
            return name, words
    return "", ""


def may_move(stage: str, furthest: str, to: str) -> bool:
    """Stay, one step on, any step back, or a return to where the conversation had already been."""
    if to not in STAGES:
        return False
    here, there = STAGES.index(stage), STAGES.index(to)
    return there <= here + 1 or there <= STAGES.index(furthest)


def settle(stage: str, furthest: str, utterance: str, lang: Lang, proposed: Move) -> tuple[Move, bool]:
    """The move that is made, and whether it is the proposed one."""
    said = " ".join(straight(utterance.lower()).split())
    quoted = " ".join(straight(proposed.words.lower()).split())
    honest = proposed.to == stage or (quoted != "" and quoted in said)
    if honest and may_move(stage, furthest, proposed.to):
        return proposed.model_copy(update={"kind": kind_of(stage, furthest, proposed.to)}), True
    return next_move(stage, furthest, utterance, lang), False


def kind_of(stage: str, furthest: str, to: str) -> MoveKind:
    """What a move between two stages is called."""
    here, there = STAGES.index(stage), STAGES.index(to)
    if here == there:
        return "stay"
    if there < here:
        return "back"
    return "advance" if there == here + 1 and furthest == stage else "return"
