"""Scenario files: one YAML list of shifts, read strictly; a fault names the file, the line and the fix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from polyclinic.clinics.duty.scenario.schema import TASKS, AnyDuty, Task
from polyclinic.core.files import bad_file, package_text, parse_yaml, read_text, yaml_nodes
from polyclinic.core.plain_faults import plain_fault

SHIFT: TypeAdapter[AnyDuty] = TypeAdapter(Annotated[AnyDuty, Field(discriminator="task")])
"""Reads a shift as the class that its task names."""


def parse_scenarios(text: str, name: str) -> tuple[AnyDuty, ...]:
    """All shifts in the text of a scenario file."""
    root = yaml_nodes(text, name)
    if not isinstance(root, yaml.SequenceNode):
        raise bad_file(name, "a scenario file must be a list", line=1, fix="start each scenario with '- id: ...'")
    plain: list[Any] = parse_yaml(text, name)
    shifts: list[AnyDuty] = []
    seen: set[str] = set()
    for node, entry in zip(root.value, plain, strict=True):
        line = node.start_mark.line + 1
        try:
            shift = SHIFT.validate_python(entry)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"][1:])
            where = entry.get("id", "?") if isinstance(entry, dict) else "?"
            raise bad_file(
                name, plain_fault(first), line=line, field=f"scenario '{where}', {place or 'task'}"
            ) from error
        if shift.id in seen:
            raise bad_file(name, f"the id '{shift.id}' is used twice", line=line, fix="give every scenario its own id")
        seen.add(shift.id)
        shifts.append(shift)
    return tuple(shifts)


def read_scenarios(path: Path) -> tuple[AnyDuty, ...]:
    """A user's own scenario file."""
    return parse_scenarios(read_text(path), str(path))


@cache
def shipped(task: Task | None = None) -> tuple[AnyDuty, ...]:
    """The shifts that come with the clinic, of one task or of all."""
    if task is None:
        return tuple(shift for each in TASKS for shift in shipped(each))
    file = f"scenarios_{task.lower()}.yaml"
    return parse_scenarios(package_text("polyclinic.clinics.duty", f"data/{file}"), file)


def by_id(shifts: Sequence[AnyDuty]) -> dict[str, AnyDuty]:
    """The shifts under their ids."""
    return {shift.id: shift for shift in shifts}
