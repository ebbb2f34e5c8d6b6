"""How the conversation moves through the stages, by what the person means. It can go forward, stay or step back.

The reader finds what was meant: `heard` holds its signals, each with its words. Code decides which steps the order
allows. A planner (a model) proposes a move. `settle` accepts it only if the order allows it, the words that it quotes
were really said and the reader found such a signal. Otherwise the reader's signals decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from polyclinic.clinics.counsel.readings import CONSENT, SIGNAL, SIGNALS
from polyclinic.clinics.counsel.state import INTERVENTIONS, PREFERENCES, STAGES
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Question
from polyclinic.text.normal import letters, normalise

MoveKind = Literal["stay", "advance", "back", "return"]
HeardSignals = Mapping[str, str]
_WANTED: dict[str, tuple[str, ...]] = {
    "opening": ("consent",),
    "disease_awareness": ("understanding",),
    "acp_awareness": ("understanding", "consent"),
    "empathy": ("values",),
    "closing": ("farewell",),
}
_BACK = {"confused_illness": "disease_awareness", "confused_acp": "acp_awareness", "distress": "empathy"}
_EXPLAINING = ("disease_awareness", "acp_awareness")
_NAMES = {letters(stage): stage for stage in STAGES} | {name: f"{PREFERENCES}.{name}" for name in INTERVENTIONS}


class Move(Frozen):
    """A step between stages, the signal behind it and the patient's own words."""

    kind: MoveKind
    to: str
    signal: str = ""
    words: str = ""


def stage_named(name: str) -> str:
    """The stage of this name, however it is written (`Disease Awareness`, `preferences: CPR`); empty when there is
    none.
    """
    return _NAMES.get(letters(name), "")


def wanted_signals(stage: str) -> tuple[str, ...]:
    """The signals that let the conversation go on from this stage."""
    return ("preference",) if stage.startswith(PREFERENCES) else _WANTED[stage]


def back_signals(stage: str) -> tuple[str, ...]:
    """The signals that lead back from this stage. From the farewell, a feeling does not lead back."""
    here = STAGES.index(stage)
    return tuple(
        name
        for name, target in _BACK.items()
        if STAGES.index(target) < here and not (name == "distress" and stage == "closing")
    )


def allowed_stages(stage: str, furthest: str) -> tuple[str, ...]:
    """The stages that a planner may choose from here, in order."""
    here = STAGES.index(stage)
    near = {stage, STAGES[min(here + 1, len(STAGES) - 1)], *(_BACK[name] for name in back_signals(stage))}
    return tuple(name for name in STAGES if name in near | ({furthest} if STAGES.index(furthest) > here else set()))


def explaining(stage: str) -> bool:
    """Whether the stage has something to explain, so that a document is always looked up."""
    return stage in _EXPLAINING or stage.startswith(PREFERENCES)


def signal_questions(stage: str, asked: str) -> dict[str, Question]:
    """What to ask about an utterance in this stage, by signal. Consent is read beside what was proposed, and only if
    something was: the words alone do not tell a refusal of it. Hesitation is not asked about then, because the question
    about consent already covers doubt.
    """
    wanted = wanted_signals(stage)
    doubt = () if "consent" in wanted else ("hesitation",)
    names = [*wanted, *doubt, "distress", *back_signals(stage)]
    questions = {name: SIGNAL.ask(signal=SIGNALS[name]) for name in dict.fromkeys(names) if name != "consent"}
    if "consent" in wanted and asked:
        questions = {"consent": CONSENT.ask(proposed=asked), **questions}
    return questions


def next_move(stage: str, furthest: str, heard: HeardSignals) -> Move:
    """The move that the signals call for: forward if one leads forward, back if they only lead back, otherwise none."""
    here = STAGES.index(stage)
    name = next((wanted for wanted in wanted_signals(stage) if wanted in heard), "")
    if name and stage != STAGES[-1] and ("hesitation" not in heard or name == "preference"):
        if STAGES.index(furthest) > here:
            return Move(kind="return", to=furthest, signal=name, words=heard[name])
        return Move(kind="advance", to=STAGES[here + 1], signal=name, words=heard[name])
    back = next((signal for signal in back_signals(stage) if signal in heard), "")
    if back and not name:
        return Move(kind="back", to=_BACK[back], signal=back, words=heard[back])
    if "hesitation" in heard:
        return Move(kind="stay", to=stage, signal="hesitation", words=heard["hesitation"])
    return Move(kind="stay", to=stage)


def may_move(stage: str, furthest: str, to: str) -> bool:
    """Whether the order allows a move: stay, one step forward, any step back, or return to a stage already reached."""
    if to not in STAGES:
        return False
    here, there = STAGES.index(stage), STAGES.index(to)
    return there <= here + 1 or there <= STAGES.index(furthest)


def settle(stage: str, furthest: str, utterance: str, heard: HeardSignals, proposed: Move) -> tuple[Move, bool]:
    """The move that is made, and whether it is the proposed one."""
    if proposed.to == stage:
        return proposed.model_copy(update={"kind": "stay"}), True
    quoted = normalise(proposed.words)
    said = bool(quoted) and quoted in normalise(utterance)
    if said and may_move(stage, furthest, proposed.to) and _meant(stage, proposed.to, heard):
        return proposed.model_copy(update={"kind": kind_of(stage, furthest, proposed.to)}), True
    move = next_move(stage, furthest, heard)
    return (Move(kind="stay", to=stage) if move.kind == "back" else move), False


def _meant(stage: str, to: str, heard: HeardSignals) -> bool:
    """Whether the reader found a signal for this move."""
    wanted = back_signals(stage) if STAGES.index(to) < STAGES.index(stage) else wanted_signals(stage)
    return any(name in heard for name in wanted)


def kind_of(stage: str, furthest: str, to: str) -> MoveKind:
    """What a move between two stages is called."""
    here, there = STAGES.index(stage), STAGES.index(to)
    if here == there:
        return "stay"
    if there < here:
        return "back"
    return "advance" if there == here + 1 and furthest == stage else "return"
