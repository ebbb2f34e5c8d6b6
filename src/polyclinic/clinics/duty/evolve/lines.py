"""Learned lines as a library: what one run learned, another can start from; every line with its
origin, all reversible.
"""

from __future__ import annotations

from polyclinic.clinics.duty.prompts import StressedLine
from polyclinic.clinics.duty.scenario import STAFF, Role, Task
from polyclinic.clinics.duty.state.prompt_book import Edit
from polyclinic.core.episode import Episode
from polyclinic.core.library import entry_id

LINES = "lines"


def learned_before(episode: Episode, task: Task) -> dict[Role, list[StressedLine]]:
    """Lines that an earlier run learned for this task; empty when no library was given."""
    found: dict[Role, list[StressedLine]] = {role: [] for role in STAFF}
    if LINES in episode.campaign.libraries:
        for entry in episode.library(LINES).library:
            if entry.value["task"] == task:
                found[entry.value["role"]].append(StressedLine(key=entry.value["key"], text=entry.value["text"]))
    return found


def keep_line(episode: Episode, task: Task, role: Role, edit: Edit) -> None:
    """The same edit in the library of learned lines."""
    if LINES not in episode.campaign.libraries:
        return
    library = episode.library(LINES)
    for line, gone in ((edit.old, True), (edit.line, edit.action == "remove")):
        if line is None:
            continue
        value = {"task": task, "role": role, "key": line.key, "kind": line.kind, "text": line.text}
        about = f"{task} {role} {line.key}: {line.text}"
        if gone:
            library.remove(entry_id(about, value), edit.reason)
        else:
            library.add(about, value, quality=line.stake)
