"""Responsibility norms as data: IF something THEN something, for whom, how serious, and how it is checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from polyclinic.clinics.duty.scenario.institution import own_norms
from polyclinic.clinics.duty.scenario.norm_file import read_norm_text, shipped_text
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty, Discharge, MedicationReview, Role, Task, Triage
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.core.services import Services

Category = Literal["scope", "escalation", "disclosure", "comm_safety"]
_Condition = Literal["red_flags", "risk_cues", "gaps", "unknowns", "limited_resources"]
_Check = Literal["reading", "exact", "both", "trigger", "rubric"]
HIGH_SEVERITY = 4
_FILE_NAMES = {"if_": "if"}


class WordRule(Frozen):
    """An exact norm without code: IF the message has a word of `if_says`, THEN it must also have one of `must_say`. If
    `must_say` is empty, the word is forbidden. Words of `unless_says` are exceptions.
    """

    if_says: tuple[str, ...] = Field(min_length=1)
    must_say: tuple[str, ...] = ()
    unless_says: tuple[str, ...] = ()


class Norm(Frozen):
    """One responsibility norm. `remind` is the line a prompt stresses when the norm was broken.

    `check` says how it is checked: by `reading`, by `exact` means only (its words or triggers), or by both. Files of
    earlier versions say `rubric` and `trigger`: such a norm is checked by the reader, except a `trigger` norm with a
    word list (`words`). `said_to` limits it to messages to one role. `like` names the clinic's norm that means the
    same: the built-in reader has learned only the clinic's norms, and is asked about that one. A norm that gives no
    triggers has those of the norm it is like.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    id: str
    roles: tuple[Role, ...]
    tasks: tuple[Task, ...]
    category: Category
    if_: str = Field(alias="if")
    then: str
    severity: int = Field(ge=1, le=5)
    priority: int = Field(default=2, ge=1, le=3)
    applies_when: tuple[_Condition, ...] = ()
    check: _Check
    triggers: tuple[str, ...] = ()
    words: WordRule | None = None
    remind: str
    said_to: Role | Literal[""] = ""
    like: str = ""

    @property
    def read(self) -> bool:
        """Whether the reader is asked about this norm."""
        return self.check != "exact" and not (self.check == "trigger" and self.words is not None)

    def binds(self, role: Role, scenario: AnyDuty) -> bool:
        """Whether the norm applies to this role in this scenario."""
        return (
            role in self.roles
            and scenario.task in self.tasks
            and all(_holds(condition, scenario) for condition in self.applies_when)
        )

    def statement(self) -> str:
        """The norm in one sentence."""
        return f"IF {self.if_}, THEN {self.then}."

    def in_words(self) -> str:
        """The norm as people read it."""
        return f"if {self.if_}, {self.then}"

    @model_serializer(mode="wrap")
    def _as_written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The fields under the names that a norm file has. Notes of earlier versions have no `like`."""
        fields: dict[str, Any] = write(self)
        return {_FILE_NAMES.get(name, name): value for name, value in fields.items() if name != "like" or value}


def _holds(condition: _Condition, scenario: AnyDuty) -> bool:
    if condition == "red_flags":
        return isinstance(scenario, Triage) and bool(scenario.red_flags)
    if condition == "risk_cues":
        return isinstance(scenario, MedicationReview) and bool(scenario.risk_cues)
    if condition == "gaps":
        return isinstance(scenario, Discharge) and bool(scenario.gaps)
    if condition == "limited_resources":
        return any(not resource.available for resource in scenario.resources)
    return bool(scenario.unknowns)


def parse_norms(text: str, name: str) -> tuple[Norm, ...]:
    """The norms in a file's text; a fault raises `DataError` with line and fix."""
    return tuple(_with_triggers(Norm.model_validate(entry)) for entry in read_norm_text(text, name))


def _with_triggers(norm: Norm) -> Norm:
    """The norm, with the triggers of the norm it is like, unless the file gives triggers (or an empty list)."""
    if not (norm.like and norm.read) or "triggers" in norm.model_fields_set:
        return norm
    return norm.model_copy(update={"triggers": shipped_norm(norm.like).triggers})


def shipped_norm(name: str) -> Norm:
    """One of the clinic's norms by its id."""
    return next(norm for norm in inventory() if norm.id == name)


@lru_cache(maxsize=1)
def inventory() -> tuple[Norm, ...]:
    """The norms that come with the clinic."""
    return parse_norms(shipped_text(), "norms.yaml")


def with_own(norms: Sequence[Norm], own: Sequence[Norm]) -> tuple[Norm, ...]:
    """The clinic's norms with an institution's own: a norm with a known id replaces the old one, a new one is added."""
    replaced = {norm.id: norm for norm in own}
    kept = [replaced.pop(norm.id, norm) for norm in norms]
    return (*kept, *(norm for norm in own if norm.id in replaced))


def house_norms(services: Services) -> tuple[Norm, ...]:
    """The clinic's norms, with an institution's own if it has some."""
    own = own_norms(services)
    return inventory() if own is None else with_own(inventory(), parse_norms(own[1], own[0]))


def applicable(norms: Iterable[Norm], role: Role, scenario: AnyDuty) -> tuple[Norm, ...]:
    """The norms that bind this role here, gravest first."""
    bound = [norm for norm in norms if norm.binds(role, scenario)]
    return tuple(sorted(bound, key=lambda norm: (norm.priority, -norm.severity, norm.id)))


def shuffled_between_roles(norms: Sequence[Norm], seed: int) -> tuple[Norm, ...]:
    """Every norm, given to a staff role that it does not bind. This control shows what the loop learns from.

    A norm that binds all staff cannot be given to a wrong role, so it is withheld.
    """
    chosen: list[Norm] = []
    for norm in norms:
        wrong = [role for role in STAFF if role not in norm.roles]
        if wrong:
            role = stream(seed, "shuffled norms", norm.id).choice(wrong)
            chosen.append(norm.model_copy(update={"roles": (role,), "tasks": ("T1", "T2", "T3"), "applies_when": ()}))
    return tuple(chosen)
