"""Learned lines as a library: another run can start from what one run learned. Every line has its origin, and every
edit can be undone.
"""

from __future__ import annotations

from polyclinic.clinics.duty.scenario.schema import STAFF, Role, Task
from polyclinic.clinics.duty.state.prompt_book import Edit, LineKind
from polyclinic.core.episode import Episode
from polyclinic.core.library import Lesson


class LearnedLine(Lesson):
    """A line of a role's prompt book, for one task."""

    library = "lines"
    task: Task
    role: Role
    key: str
    kind: LineKind
    text: str


def learned_before(episode: Episode, task: Task) -> dict[Role, list[LearnedLine]]:
    """Lines that an earlier run learned for this task; empty when no library was given."""
    found: dict[Role, list[LearnedLine]] = {role: [] for role in STAFF}
    if LearnedLine.library in episode.campaign.libraries:
        for line in episode.library(LearnedLine).lessons():
            if line.task == task:
                found[line.role].append(line)
    return found


def keep_line(episode: Episode, task: Task, role: Role, edit: Edit) -> None:
    """Make the same edit in the library of learned lines."""
    if LearnedLine.library not in episode.campaign.libraries:
        return
    library = episode.library(LearnedLine)
    for line, gone in ((edit.old, True), (edit.line, edit.action == "remove")):
        if line is None:
            continue
        lesson = LearnedLine(task=task, role=role, key=line.key, kind=line.kind, text=line.text)
        about = f"{task} {role} {line.key}: {line.text}"
        if gone:
            library.remove(library.id_of(about, lesson), edit.reason)
        else:
            library.add(about, lesson, quality=line.stake)
