"""What a conversation notes for its judges and its report, besides the words that were said."""

from __future__ import annotations

from polyclinic.clinics.counsel.rules.guard import Decision, DecisionSource, Way
from polyclinic.clinics.counsel.rules.stages import Move
from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.state import Applied, Fact
from polyclinic.core.message import Frozen
from polyclinic.core.note import Note, Payload
from polyclinic.core.value import Value


class InTurn(Payload):
    """In which turn something was said."""

    turn: int


class Voiced(InTurn):
    """A line of the patient; `cue` names the risk that the scenario has them voice here, or is empty."""

    cue: str


class Claim(Frozen):
    """The words of a reply that state a fact, and the source they are from."""

    statement: str
    source: str


class Replied(InTurn):
    """A line of the counsellor: its stage, the step that led there, and how it was made.

    `fallback` is the risk type for which safe words were said instead of a draft.
    """

    stage: str
    move: str
    drafts: int = 1
    claims: tuple[Claim, ...] | None = None
    looked_up: tuple[str, ...] | None = None
    fallback: int | None = None


class SetMessage(InTurn):
    """A message of the service that is always said in the same words."""

    set_message: bool


class ByPerson(Payload):
    """A line that a member of staff said."""

    by: str


class HandedOver(Payload):
    """What people are told: whose conversation it is, its turn and stage, and what was said last."""

    patient: str
    lang: str
    turn: int
    stage: str
    utterance: str
    recent: tuple[str, ...]


class ForPerson(HandedOver):
    """A person must take over: the guard's decision, if there was one, and why. `by` is who asked for a person."""

    decision: Decision | None
    reason: str
    words: str
    by: str | None = None


class Flagged(HandedOver):
    """A wish to be dead, for staff to see: how it was found, and its words."""

    reason: str
    words: str


class ForReview(HandedOver):
    """No draft was acceptable: why, the type of risk, and the last draft's words."""

    reason: str
    risk: int
    words: str


class TalkEnded(Payload):
    """In which stage and after how many turns the conversation ended, and what is known of the person."""

    stage: str
    turns: int
    concerns: int
    facts: tuple[Fact, ...]


class Guarded(Note):
    """The guard's decision about a message, who made it, and why."""

    topic = "guard"
    turn: int
    way: Way
    label: GuardLabel
    source: DecisionSource
    reason: str = ""
    words: str = ""


class Proposed(Value):
    """A step as the planner proposed it."""

    signal: str
    words: str
    to: str


class PlanRefused(Note):
    """A step that the order of stages does not allow, and what was done instead."""

    topic = "plan_refused"
    proposed: Proposed
    made: Move


class MemoryChanged(Note):
    """What was added to long-term memory, changed or removed after a turn."""

    topic = "memory"
    turn: int
    changes: tuple[Applied, ...]


class LeftOut(Note):
    """Sentences of the last draft that were objected to and left out; the rest was said."""

    topic = "left_out"
    turn: int
    words: str


class ObjectionDropped(Note):
    """An objection that the critic's own instructions rule out, and why: it quoted no words of the draft, or a
    question.
    """

    topic = "objection_dropped"
    turn: int
    fault: str
    words: str
    reason: str
    why: str = ""


class ObjectionOverruled(Note):
    """The critic objected to the last draft too, but neither a rule nor the reader confirmed it. A draft that broke no
    rule was said, and people are notified.
    """

    topic = "objection_overruled"
    turn: int
    risk: int
    words: str
    reason: str
