"""The typed pieces that prompts are filled with: what a role sees, who it is, what it remembers."""

from __future__ import annotations

from polyclinic.clinics.duty.scenario import Medication, Role
from polyclinic.core.message import Frozen


class LooseEnd(Frozen):
    """A gap or contradiction in a plan that this role has noticed, and the question that would settle it."""

    about: str
    text: str
    ask: str


class Limit(Frozen):
    """What the department lacks now, and the safe way round it."""

    name: str
    limit: str
    instead: str


class RoleView(Frozen):
    """What one role knows and may use in a scenario."""

    knows: tuple[str, ...]
    medicines: tuple[Medication, ...]
    watch: tuple[str, ...]
    ask: tuple[str, ...]
    protocol: tuple[str, ...]
    unknowns: tuple[str, ...]
    loose_ends: tuple[LooseEnd, ...]
    promised: tuple[str, ...]
    equipment: tuple[str, ...]
    limits: tuple[Limit, ...]
    boundaries: tuple[str, ...]


class TraitLine(Frozen):
    """One trait of the person, in a number and in words."""

    dimension: str
    about: str
    value: float
    words: str


class NormLine(Frozen):
    """A norm as a prompt lists it."""

    id: str
    text: str


class StressedLine(Frozen):
    """A learned line of the prompt book, with what it is about (``norm:SOP-1``, ``trait:directness``)."""

    key: str
    text: str


class MemoryView(Frozen):
    """What memory puts before a role just before it speaks.

    `facts` and `commitments` are this episode's own; `earlier` are shifts with other patients, and say so.
    """

    facts: tuple[str, ...] = ()
    commitments: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    active_norms: tuple[NormLine, ...] = ()
    failures: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.facts or self.commitments or self.earlier or self.active_norms or self.failures)


class Spoken(Frozen):
    """One message of the conversation so far."""

    number: int
    speaker: Role
    to: str
    text: str
