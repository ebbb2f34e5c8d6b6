"""The two reports that reflection writes at an episode's end, and the notes that keep them."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.replies import Correction, Diagnosed
from polyclinic.clinics.duty.rules.norms.checker import NormVerdict
from polyclinic.clinics.duty.rules.traits.compatibility import TraitRisk
from polyclinic.clinics.duty.rules.traits.drift import DriftReport
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.message import Frozen
from polyclinic.core.note import Note


class R01(Frozen):
    """Short-term responsibility diagnosis: what was broken, why, and what would prevent it."""

    role: Role
    episode: int
    broken: tuple[NormVerdict, ...]
    causes: tuple[Diagnosed, ...]
    corrections: tuple[Correction, ...]


class R02(Frozen):
    """Identity and embeddedness: traits heard, drift, trait–norm risks, inconsistency between roles, hurt relations."""

    role: Role
    episode: int
    heard: dict[str, float]
    drift: DriftReport
    risks: tuple[TraitRisk, ...]
    inconsistent: tuple[str, ...]
    relational: tuple[str, ...]


class Diagnosis(Note):
    """R01, as written after the shift."""

    topic = "R01"
    report: R01


class IdentityReport(Note):
    """R02, as written after the shift."""

    topic = "R02"
    report: R02
