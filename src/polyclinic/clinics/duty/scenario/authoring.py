"""What an author of shifts writes: a file with one shift; each task has its own template."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from polyclinic.clinics.duty.scenario.load import parse_scenarios, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty, Discharge, MedicationReview, Task, Triage
from polyclinic.core.authoring import ENGINE, Writing, only_one
from polyclinic.core.files import yaml_text
from polyclinic.core.form import FormHints

_HINTS = FormHints(hidden=(*ENGINE, "task", "disturbance", "calm"))
_KINDS: tuple[tuple[Task, str, type[AnyDuty]], ...] = (
    ("T1", "Shift: medication review", MedicationReview),
    ("T2", "Shift: triage", Triage),
    ("T3", "Shift: discharge", Discharge),
)


def _write(shift: AnyDuty) -> str:
    plain: dict[str, Any] = shift.model_dump(mode="json", exclude_defaults=True)
    return yaml_text([{"id": plain.pop("id"), "task": shift.task, **plain}])


def _read(kind: type[AnyDuty], text: str, file: str) -> AnyDuty:
    shift = only_one(parse_scenarios(text, file), file)
    return kind.model_validate(shift.model_dump())


def _examples(task: Task) -> Mapping[str, AnyDuty]:
    return {shift.id: shift for shift in shipped(task)}


WRITINGS: tuple[Writing, ...] = tuple(
    Writing(task, title, kind, ".yaml", _write, partial(_read, kind), partial(_examples, task), _HINTS)
    for task, title, kind in _KINDS
)
