"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.replies import (
    Correction,
    Diagnosed,
    IdentityJudged,
    NormJudged,
    NormsJudged,
    PatientSays,
    Preferred,
    ShiftDiagnosis,
    TraitHeard,
    TraitsHeard,
)
from polyclinic.clinics.duty.prompts.views import (
    Limit,
    LooseEnd,
    MemoryView,
    NormLine,
    RoleView,
    Spoken,
    StressedLine,
    TraitLine,
)
from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.clinics.duty.scenario import AnyDuty, Disturbance, Role, Task
from polyclinic.core.prompt import Facts, Prompt


class ActTurn(Prompt[str]):
    """A member of staff speaks. Whether anything is stressed, learned or remembered here is what variants decide."""

    template = "act_turn.md"
    role: Role
    task: Task
    title: str
    setting: str
    view: RoleView
    traits: tuple[TraitLine, ...]
    style: str
    norms: tuple[NormLine, ...]
    checklist: tuple[NormLine, ...]
    learned: tuple[StressedLine, ...]
    grounding: tuple[str, ...]
    shift: int
    dialogue: tuple[Spoken, ...]
    memory: MemoryView
    stage: str
    aim: str
    to: Role
    turn: int
    turns: int
    disturbance: Disturbance | None
    calm: bool
    objections: tuple[str, ...]


class PatientTurn(Prompt[PatientSays]):
    """The patient answers."""

    template = "patient_turn.md"
    setting: str
    title: str
    knows: tuple[str, ...]
    says: tuple[str, ...]
    concerns: tuple[str, ...]
    traits: tuple[TraitLine, ...]
    answered: int
    to: Role
    dialogue: tuple[Spoken, ...]

    @classmethod
    def from_human(cls, text: str) -> PatientSays:
        """A person playing the patient types words; a question mark at the end means that something is still open."""
        return PatientSays(text=text.strip(), asks_more=text.strip().endswith("?"))


class DiagnosesShift(Prompt[ShiftDiagnosis]):
    """R01: what went wrong with the norms, why, and which lines would prevent it."""

    template = "diagnoses_shift.md"
    role: Role
    task: Task
    norms: tuple[NormLine, ...]
    late_after: int
    broken: tuple[NormJudged, ...]
    dialogue: tuple[Spoken, ...]

    @classmethod
    def from_human(cls, text: str) -> ShiftDiagnosis:
        """A person writes one correction a line as ``NORM: words``."""
        corrections = []
        for line in text.splitlines():
            norm, colon, words = line.partition(":")
            if not colon or not words.strip():
                raise ValueError("write one correction a line: NORM: words")
            corrections.append(Correction(norm=norm.strip(), kind="check", text=words.strip()))
        return ShiftDiagnosis(violations=(), corrections=tuple(corrections))


class HearsTraits(Prompt[TraitsHeard]):
    """R02: which traits the messages imply."""

    template = "hears_traits.md"
    role: Role
    traits: tuple[TraitLine, ...]
    messages: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> TraitsHeard:
        """A person writes one trait a line as ``directness 0.7``."""
        heard = []
        for line in text.splitlines():
            name, _, value = line.strip().rpartition(" ")
            heard.append(TraitHeard(dimension=name.strip(), reason="heard by a person", value=float(value), seen=1))
        return TraitsHeard(traits=tuple(heard))


class PrefersIdentity(Prompt[Preferred]):
    """Which of two ways of being the same person serves norms, identity and the team better."""

    template = "prefers_identity.md"
    role: Role
    alpha: float
    beta: float
    gamma: float
    traits: tuple[TraitLine, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    first_broken: tuple[str, ...]
    second_broken: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> Preferred:
        """A person writes ``first``, ``second`` or ``neither``."""
        word = text.strip().lower()
        return Preferred.model_validate({"reason": "a person's choice", "better": word})


class NormFacts(Facts):
    """The shift, the norms asked about and the dialogue, as the checker reads them."""

    shift: AnyDuty
    norms: tuple[Norm, ...]
    lines: tuple[Line, ...]


class JudgesNorms(Prompt[NormsJudged]):
    """Which actions of one role break which norms."""

    template = "judges_norms.md"
    task: Task
    role: Role
    constraints: tuple[str, ...]
    unknowns: tuple[str, ...]
    norms: tuple[NormLine, ...]
    scenario: str
    dialogue: tuple[Spoken, ...]
    facts: NormFacts

    @classmethod
    def from_human(cls, text: str) -> NormsJudged:
        """A person writes one violation a line as ``3 SAFE-1 2: the words``; nothing means none."""
        found = []
        for line in text.splitlines():
            head, _, words = line.partition(":")
            number, norm, severity = head.split()
            found.append(
                NormJudged(
                    number=int(number),
                    norm=norm,
                    rationale="a person's verdict",
                    words=words.strip(),
                    severity=int(severity),
                )
            )
        return NormsJudged(violations=tuple(found))


class DescribesPersona(Prompt[str]):
    """A short description of the person who speaks in the messages."""

    template = "describes_persona.md"
    role: Role
    themes: tuple[TraitLine, ...]
    messages: tuple[str, ...]


class JudgesIdentity(Prompt[IdentityJudged]):
    """How far the speaker is from the established persona."""

    template = "judges_identity.md"
    role: Role
    persona: str
    traits: tuple[TraitLine, ...]
    messages: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> IdentityJudged:
        """A person writes a number from 0 (the same person) to 1 (another)."""
        return IdentityJudged(reason="a person's verdict", distance=float(text))


PROMPTS = (
    ActTurn,
    PatientTurn,
    DiagnosesShift,
    HearsTraits,
    PrefersIdentity,
    JudgesNorms,
    DescribesPersona,
    JudgesIdentity,
)

__all__ = [
    "PROMPTS",
    "ActTurn",
    "Correction",
    "DescribesPersona",
    "Diagnosed",
    "DiagnosesShift",
    "HearsTraits",
    "IdentityJudged",
    "JudgesIdentity",
    "JudgesNorms",
    "Limit",
    "LooseEnd",
    "MemoryView",
    "NormFacts",
    "NormJudged",
    "NormLine",
    "NormsJudged",
    "PatientSays",
    "PatientTurn",
    "Preferred",
    "PrefersIdentity",
    "RoleView",
    "ShiftDiagnosis",
    "Spoken",
    "StressedLine",
    "TraitHeard",
    "TraitLine",
    "TraitsHeard",
]
