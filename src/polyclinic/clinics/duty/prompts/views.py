"""The typed pieces that prompts are filled with: what a role sees, who it is, what it remembers."""

from __future__ import annotations

from pydantic import Field

from polyclinic.clinics.duty.scenario.schema import Disturbance, Medication, Role, Task
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts


class Limit(Frozen):
    """What the department lacks now, and the safe alternative."""

    name: str
    limit: str
    instead: str


class RoleView(Frozen):
    """What one role knows and may use in a scenario. `unknowns`: what nobody knows yet, if told."""

    knows: tuple[str, ...]
    medicines: tuple[Medication, ...]
    protocol: tuple[str, ...]
    unknowns: tuple[str, ...]
    promised: tuple[str, ...]
    equipment: tuple[str, ...]
    limits: tuple[Limit, ...]
    boundaries: tuple[str, ...]


class TraitLine(Frozen):
    """One trait of the person, in words; the number behind the words is never printed."""

    dimension: str
    about: str
    you: str = Field("", description="the same, said to the person")
    value: float
    words: str


class ScaleLine(Frozen):
    """One dimension with its two ends, for a listener."""

    dimension: str
    about: str
    low: str
    high: str


class MemoryView(Frozen):
    """What memory adds to a role's prompt when it speaks.

    `facts` and `commitments` are from this episode; `earlier` are from shifts with other patients.
    """

    facts: tuple[str, ...] = ()
    commitments: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()


class SpokenMessage(Frozen):
    """One message of the conversation so far."""

    number: int
    speaker: Role
    to: str
    text: str


class StaffSteers(Facts):
    """What steers an offline member of staff and is never printed: the experiment's settings and the current place in
    the shift.

    It holds nothing about the patient: an offline player knows no more of the case than a language model in its part.
    """

    task: Task
    stage: str
    shift: int
    turn: int
    turns: int
    dialogue: tuple[SpokenMessage, ...]
    disturbance: Disturbance | None = None
    calm: bool = False
    voice: str = "first"
    learning: float = 0.8


class PatientSteers(Facts):
    """What steers an offline patient and is never printed."""

    answered: int
    dialogue: tuple[SpokenMessage, ...]
    traits: tuple[TraitLine, ...]
    voice: str = "first"


class BreachSteers(Facts):
    """What a broken rule asks for, for an offline reflector."""

    then: str


class PreferenceSteers(Facts):
    """The numbers behind a preference, for an offline reflector; a language model gets them in words."""

    alpha: float
    beta: float
    gamma: float
    first_severity: int
    second_severity: int
