"""Scenario files: one YAML list of shifts, read strictly; a fault names the file, the line and the mend."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from polyclinic.clinics.duty.scenario.schema import TASKS, AnyDuty, Task
from polyclinic.clinics.duty.scenario.yaml_text import compose_yaml, load_yaml
from polyclinic.errors import DataError

_ONE: TypeAdapter[AnyDuty] = TypeAdapter(Annotated[AnyDuty, Field(discriminator="task")])


def parse_scenarios(text: str, name: str) -> tuple[AnyDuty, ...]:
    """All shifts in the text of a scenario file."""
    try:
        root = compose_yaml(text)
    except yaml.YAMLError as error:
        raise DataError(f"{name}: not readable as YAML: {error}; mend the indentation or quoting there") from error
    if not isinstance(root, yaml.SequenceNode):
        raise DataError(f"{name}:1: a scenario file is a list; start each scenario with '- id: ...'")
    plain: list[Any] = load_yaml(text)
    shifts: list[AnyDuty] = []
    seen: set[str] = set()
    for node, entry in zip(root.value, plain, strict=True):
        line = node.start_mark.line + 1
        try:
            shift = _ONE.validate_python(entry)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"][1:])
            where = entry.get("id", "?") if isinstance(entry, dict) else "?"
            raise DataError(f"{name}:{line}: scenario '{where}', {place or 'task'}: {first['msg']}") from error
        if shift.id in seen:
            raise DataError(f"{name}:{line}: the id '{shift.id}' is used twice; give every scenario its own")
        seen.add(shift.id)
        shifts.append(shift)
    return tuple(shifts)


def read_scenarios(path: Path) -> tuple[AnyDuty, ...]:
    """A user's own scenario file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    return parse_scenarios(text, str(path))


@cache
def shipped(task: Task | None = None) -> tuple[AnyDuty, ...]:
    """The shifts that come with the clinic, of one task or of all."""
    if task is None:
        return tuple(shift for each in TASKS for shift in shipped(each))
    file = resources.files("polyclinic.clinics.duty").joinpath(f"data/scenarios_{task.lower()}.yaml")
    return parse_scenarios(file.read_text(encoding="utf-8"), file.name)


def by_id(shifts: Sequence[AnyDuty]) -> dict[str, AnyDuty]:
    """The shifts under their ids."""
    return {shift.id: shift for shift in shifts}
