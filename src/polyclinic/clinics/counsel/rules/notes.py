"""What a conversation notes for its judges and its report, beside the words that were said."""

from __future__ import annotations

from polyclinic.clinics.counsel.rules.guard import Source, Way
from polyclinic.clinics.counsel.rules.stages import Move
from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.state import Applied
from polyclinic.core.note import Note
from polyclinic.core.value import Value


class Guarded(Note):
    """The guard's decision on a message, decided by whom and why."""

    topic = "guard"
    turn: int
    way: Way
    label: GuardLabel
    source: Source
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


class ObjectionDropped(Note):
    """An objection of the critic's that quoted no words of the draft, and that the reading of the draft did not bear
    out.
    """

    topic = "objection_dropped"
    turn: int
    fault: str
    words: str
    reason: str
