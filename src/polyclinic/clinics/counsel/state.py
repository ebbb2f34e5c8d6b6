"""What changes during a conversation: the stage, who holds the conversation, and what is remembered of the person.

Long-term memory is a set of facts, one to a subject. A model proposes operations on it, and `PatientMemory.apply`
decides what they do. So memory never holds two facts about one subject, whatever the model says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from polyclinic.clinics.counsel.scenario import Lang, Talk
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.campaign import Effect
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.core.services import Services
from polyclinic.core.value import Value
from polyclinic.errors import EngineError

INTERVENTIONS = ("cpr", "ventilation", "dialysis", "icu", "vasopressors", "chemotherapy", "ecmo", "transfusion")
PREFERENCES = "preferences"
STAGES: tuple[str, ...] = (
    "opening",
    "disease_awareness",
    "acp_awareness",
    "empathy",
    *(f"{PREFERENCES}.{name}" for name in INTERVENTIONS),
    "closing",
)
Control = Literal["automatic", "escalated", "person", "closed"]
NoteAction = Literal["add", "update", "delete", "keep"]

MAX_FACTS = 40
MAX_VALUE_CHARS = 160
_ALIASES = {
    "name": "preferred_name", "called": "preferred_name",
    "children": "family", "spouse": "family", "wife": "family", "husband": "family", "relatives": "family",
    "religion": "faith", "belief": "faith", "church": "faith",
    "job": "work", "occupation": "work", "profession": "work",
    "fear": "worry", "fears": "worry", "worries": "worry", "concern": "worry", "anxiety": "worry",
    "value": "values", "what_matters": "values", "goal": "values", "hopes": "values", "hope": "values",
    "illness": "understanding", "diagnosis": "understanding", "disease": "understanding",
    "misunderstanding": "understanding",
    "place": "place_of_care", "place_of_death": "place_of_care", "home": "place_of_care",
    "proxy": "decision_maker", "surrogate": "decision_maker", "who_decides": "decision_maker",
    "resuscitation": "preference_cpr", "ventilator": "preference_ventilation",
    "breathing_machine": "preference_ventilation",
    "intensive_care": "preference_icu", "blood": "preference_transfusion", "chemo": "preference_chemotherapy",
    "blood_pressure_drugs": "preference_vasopressors",
    **{name: f"preference_{name}" for name in INTERVENTIONS},
    **{f"{PREFERENCES}_{name}": f"preference_{name}" for name in INTERVENTIONS},
}  # fmt: skip

SUBJECTS: tuple[str, ...] = tuple(
    dict.fromkeys([*_ALIASES.values(), *(f"preference_{name}" for name in INTERVENTIONS)])
)


class Fact(Frozen):
    """One thing known of the person, and the turn in which they last said it."""

    subject: str
    value: str
    turn: int

    def __str__(self) -> str:
        return f"{self.subject}: {self.value}"


class MemoryChange(Frozen):
    """A proposed change of long-term memory."""

    action: NoteAction
    subject: str
    value: str = ""


class Applied(Frozen):
    """What an operation did."""

    action: NoteAction
    subject: str
    value: str
    turn: int
    before: str = ""


def canonical_subject(subject: str) -> str:
    """The standard spelling of a subject, so that memory cannot hold two facts about it under two names."""
    plain = re.sub(r"[^0-9a-z가-힣]+", "_", subject.strip().casefold()).strip("_")
    return _ALIASES.get(plain, plain)[:48]


@dataclass
class PatientMemory:
    """Facts by subject, bounded in number and length. When memory is full, what the person chose about treatment is
    removed last.
    """

    facts: dict[str, Fact] = field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: Iterable[Fact]) -> PatientMemory:
        """A memory that holds these facts."""
        return cls({fact.subject: fact for fact in facts})

    def apply(self, operations: Iterable[MemoryChange], turn: int) -> list[Applied]:
        """Carry out the operations that are allowed.

        An addition to a known subject becomes an update. An operation that is not allowed changes nothing.
        """
        return [self._apply(operation, turn) for operation in operations]

    def _apply(self, operation: MemoryChange, turn: int) -> Applied:
        subject = canonical_subject(operation.subject)
        value = cut(operation.value, MAX_VALUE_CHARS)
        known = self.facts.get(subject)
        before = known.value if known else ""
        if operation.action == "delete" and known is not None:
            del self.facts[subject]
            return Applied(action="delete", subject=subject, value="", turn=turn, before=before)
        if operation.action in ("add", "update") and subject and value and value != before:
            self.facts[subject] = Fact(subject=subject, value=value, turn=turn)
            self._make_room()
            return Applied(action="update" if known else "add", subject=subject, value=value, turn=turn, before=before)
        return Applied(action="keep", subject=subject, value=before, turn=known.turn if known else turn, before=before)

    def _make_room(self) -> None:
        while len(self.facts) > MAX_FACTS:
            loose = [fact for fact in self.facts.values() if not fact.subject.startswith("preference_")]
            oldest = min(loose or self.facts.values(), key=lambda fact: (fact.turn, fact.subject))
            del self.facts[oldest.subject]

    def listed(self) -> tuple[Fact, ...]:
        """The facts, oldest first."""
        return tuple(sorted(self.facts.values(), key=lambda fact: (fact.turn, fact.subject)))


STAGE_CHANGE, HOLDING_CHANGE = "stage", "control"
"""The changes of a conversation that a live page follows. After a change of `control`, the new value is a `Holding`."""


class Holding(Value):
    """Who holds a conversation: the service, or a person by name."""

    by: Control
    holder: str


@dataclass
class Session:
    """The state of a conversation."""

    lang: Lang
    stage: str = STAGES[0]
    furthest: str = STAGES[0]
    turn: int = 0
    control: Control = "automatic"
    holder: str = ""
    concerns: int = 0

    def move(self, stage: str) -> None:
        """Go to a stage, and remember the furthest stage that was reached."""
        self.stage = stage
        if STAGES.index(stage) > STAGES.index(self.furthest):
            self.furthest = stage


class Remembered(Effect):
    """What is remembered of a finished visit: all facts about one person."""

    kind = "memory"
    patient: str
    facts: tuple[Fact, ...]


class Charts:
    """What is remembered of earlier visits: each person's facts, shared by the visits of one campaign."""

    takes: tuple[type[Effect], ...] = (Remembered,)

    def __init__(self) -> None:
        self.facts: dict[str, tuple[Fact, ...]] = {}

    def apply(self, effect: Effect) -> None:
        """Store the facts of a finished visit."""
        if not isinstance(effect, Remembered):
            raise EngineError(f"unknown effect of a chart: '{effect.kind}'")
        self.facts[effect.patient] = effect.facts


def open_campaign(scenarios: Sequence[Talk], variant: CounselVariant, seed: int, services: Services) -> Charts:
    """Charts with nothing in them yet."""
    return Charts()
