"""What a shift starts from: the three task templates and the parts they are made of.

The field names of each template are the published ones (medication review, triage, discharge). Things that a message is
checked against (an unavailable scanner, an unmeasured potassium) are structured: each has a list of the words that name
it. So a deterministic trigger works on any words: an understudy's, a language model's or a person's.
"""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario

Role = Literal["doctor", "nurse", "trainee", "admin", "patient"]
Task = Literal["T1", "T2", "T3"]
CueKind = Literal["partial", "missing", "conflicting"]
ROLES: tuple[Role, ...] = ("doctor", "nurse", "trainee", "admin", "patient")
STAFF: tuple[Role, ...] = ("doctor", "nurse", "trainee", "admin")
CLINICAL: tuple[Role, ...] = ("doctor", "nurse", "trainee")
TASKS: tuple[Task, ...] = ("T1", "T2", "T3")
TURNS: dict[Task, tuple[int, int]] = {"T1": (3, 6), "T2": (6, 12), "T3": (6, 12)}
LAP = re.compile(r"\.\d+\Z")
"""The ending of a shift's id if the shift is repeated."""


class KnownFinding(Frozen):
    """One thing somebody knows, worded so that it can be said aloud; only the roles in `seen_by` know it at first."""

    text: str
    seen_by: tuple[Role, ...]


class Cue(Frozen):
    """A gap in what can be observed: what is partial, missing or in conflict, and how."""

    kind: CueKind
    about: str
    text: str


class Unknown(Frozen):
    """A fact that nobody has: a person who states it as known has made it up."""

    about: str
    words: tuple[str, ...] = Field(min_length=1)


class Medication(Frozen):
    """A medicine on the list, its dose, and how the patient says it is taken."""

    name: str
    dose: str
    taken: str
    stop_safely: bool = True
    elsewhere: bool = Field(default=False, description="prescribed elsewhere and not in the record: staff must ask")


class Change(Frozen):
    """A change to a medicine that the scenario's evidence supports. Only such changes may be advised."""

    drug: str
    change: Literal["stop", "start", "raise", "lower", "hold", "switch", "timing"]
    why: str


class DepartmentResource(Frozen):
    """Something the department has or lacks now; `words` name it, `instead` is the safe alternative."""

    name: str
    words: tuple[str, ...] = Field(min_length=1)
    available: bool
    limit: str
    instead: str = ""


class RiskCue(Frozen):
    """A plausible, unconfirmed harm in a medication review, and the question that would clear it up."""

    about: str
    drug: str
    words: tuple[str, ...] = Field(min_length=1)
    text: str
    ask: str


class RedFlag(Frozen):
    """A high-risk cue at the front door. It counts even if it is ambiguous."""

    about: str
    words: tuple[str, ...] = Field(min_length=1)
    text: str
    ambiguous: bool = False


class Gap(Frozen):
    """Something missing from the discharge plan, or two parts of it that contradict each other."""

    kind: Literal["missing", "conflicting"]
    about: str
    words: tuple[str, ...] = Field(min_length=1)
    text: str
    ask: str


class Continuity(Frozen):
    """Something said or promised earlier that later words must not contradict."""

    about: str
    words: tuple[str, ...] = Field(min_length=1)
    text: str
    contrary: tuple[str, ...] = Field(min_length=1, description="words that would break it")


class Boundary(Frozen):
    """What one role may do alone, and what it must ask somebody else about."""

    role: Role
    may: str
    must_ask: str
    ask_whom: Role = "doctor"

    @property
    def asks(self) -> str:
        """Whom the role asks. Nobody asks themselves: a doctor who must ask a doctor asks a senior one."""
        return f"senior {self.role}" if self.ask_whom == self.role else self.ask_whom


class Disturbance(Frozen):
    """Drift that an experiment injects on purpose: it shifts one role's manner of speaking in this episode."""

    role: Role
    dimension: str
    amount: float = Field(ge=-1, le=1)


class Duty(Scenario):
    """What all three templates share."""

    title: str
    roles: tuple[Role, ...] = Field(min_length=2, max_length=4)
    setting: str
    child: str = Field("", description='if a parent speaks: what they call the patient ("son", "daughter")')
    findings: tuple[KnownFinding, ...] = Field(min_length=2)
    cues: tuple[Cue, ...] = Field(min_length=1)
    unknowns: tuple[Unknown, ...] = Field(min_length=1)
    supervision_boundaries: tuple[Boundary, ...] = Field(min_length=1)
    resources: tuple[DepartmentResource, ...] = ()
    protocol: tuple[str, ...] = Field(min_length=2, description="the house's own steps for this problem")
    house_rules: tuple[str, ...] = Field(
        (), description="what staff read instead, if the steps name what they must ask"
    )
    supported_changes: tuple[Change, ...] = ()
    patient_says: tuple[str, ...] = Field(min_length=1)
    risk: Literal["low", "moderate", "high"] = "moderate"
    time_pressure: Literal["low", "moderate", "high"] = "moderate"
    max_turns: int | None = None
    disturbance: Disturbance | None = None
    calm: bool = Field(default=False, description="a calm day: offline staff have no bad habits and no own drift")
    task: Task

    def introduction(self) -> str:
        """The matter at hand, and who is on duty."""
        return f"{self.title} ({', '.join(self.roles)})"

    def written(self) -> str:
        """The shift's id without the number of its repetition."""
        return LAP.sub("", self.id)

    @property
    def turns(self) -> tuple[int, int]:
        """The fewest and the most messages of this episode."""
        fewest, most = TURNS[self.task]
        return fewest, min(most, self.max_turns or most)

    def knows(self, role: Role) -> tuple[str, ...]:
        """What this role knows when the episode opens."""
        return tuple(finding.text for finding in self.findings if role in finding.seen_by)

    @model_validator(mode="after")
    def _only_present_roles(self) -> Self:
        present = set(self.roles)
        if len(present) != len(self.roles):
            raise ValueError(f"roles are named twice: {', '.join(self.roles)}")
        for finding in self.findings:
            if not present & set(finding.seen_by):
                raise ValueError(f"nobody present knows the finding '{finding.text}': seen_by must name a role on duty")
        for boundary in self.supervision_boundaries:
            if boundary.ask_whom not in present:
                raise ValueError(f"the {boundary.role} must ask the {boundary.ask_whom}, who is not on duty here")
        return self


class MedicationReview(Duty):
    """T1: an outpatient medication review."""

    task: Literal["T1"] = "T1"
    patient_profile: str
    current_meds: tuple[Medication, ...] = Field(min_length=1)
    symptoms: str
    risk_cues: tuple[RiskCue, ...] = Field(min_length=1)


class Triage(Duty):
    """T2: emergency triage under limited resources. Level 1 is the most urgent, 5 the least."""

    task: Literal["T2"] = "T2"
    presenting_complaint: str
    red_flags: tuple[RedFlag, ...] = ()
    handoff_state: dict[Role, str]
    lowest_safe_level: int = Field(ge=1, le=5)
    because: str
    current_meds: tuple[Medication, ...] = ()

    @model_validator(mode="after")
    def _has_limits(self) -> Self:
        if not any(not resource.available for resource in self.resources):
            raise ValueError("a triage scenario needs at least one resource that is not available")
        if self.red_flags and self.lowest_safe_level > 3:
            raise ValueError("red flags are listed, so lowest_safe_level must be 3 or more urgent")
        return self


class Discharge(Duty):
    """T3: discharge planning and handoff."""

    task: Literal["T3"] = "T3"
    care_plan: str
    current_meds: tuple[Medication, ...] = Field(min_length=1)
    gaps: tuple[Gap, ...] = Field(min_length=1)
    patient_concerns: tuple[str, ...] = Field(min_length=1)
    continuity_cues: tuple[Continuity, ...] = Field(min_length=1)


AnyDuty = MedicationReview | Triage | Discharge
