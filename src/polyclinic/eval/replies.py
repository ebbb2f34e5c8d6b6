"""How replies were read, prompt by prompt: at the first try, after asking again, or never; and what was wrong with the
others.

Understudies are left out: they speak in the asked form by construction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from polyclinic.core.model import role_of
from polyclinic.core.transcript import Called
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table

_NOTE = (
    "First: the first reply was taken. Again: a later one was, after the model was told what was wrong. Never: none"
    " was. Faults count every reply that was not taken."
)


@dataclass
class ReplyCount:
    """The replies to one prompt in one role. `taken` counts by try, from 0; `faults` by kind; `adapted` by what was
    adapted.
    """

    taken: Counter[int] = field(default_factory=Counter)
    never: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    adapted: Counter[str] = field(default_factory=Counter)

    @property
    def asked(self) -> int:
        """How many replies were wanted."""
        return self.taken.total() + self.never

    @property
    def first(self) -> float:
        """The share that was taken at the first try."""
        return self.taken[0] / self.asked if self.asked else 0.0

    @property
    def read(self) -> float:
        """The share that was taken at all."""
        return self.taken.total() / self.asked if self.asked else 0.0


def count_replies(calls: Iterable[Called], last_try: int = 2) -> dict[tuple[str, str], ReplyCount]:
    """By (role, prompt), in the order they first came. Calls that only used tools are no replies."""
    found: dict[tuple[str, str], ReplyCount] = {}
    for call in calls:
        count = found.setdefault((role_of(call.role), call.prompt), ReplyCount())
        count.adapted.update(call.adapted)
        if call.fault:
            count.faults[call.fault] += 1
            count.never += call.attempt >= last_try
        elif not call.tool_calls:
            count.taken[call.attempt] += 1
    return {key: count for key, count in found.items() if count.asked or count.faults}


def reply_section(results: RunResults) -> Section | None:
    """The table, where anyone but understudies and trained readers played; None otherwise."""
    spoken = {member.role for member in results.cast if member.kind in ("llm", "human", "replay")}
    calls = [
        call
        for episode in results.episodes
        if episode.has_transcript
        for call in episode.transcript.of(Called)
        if role_of(call.role) in spoken
    ]
    counts = count_replies(calls)
    if not counts:
        return None
    rows: list[list[Cell]] = [
        [
            role,
            prompt,
            count.asked,
            f"{count.first:.1%}",
            count.taken.total() - count.taken[0],
            count.never,
            ", ".join(f"{kind} {number}" for kind, number in count.faults.most_common()),
        ]
        for (role, prompt), count in counts.items()
    ]
    columns = ["role", "prompt", "asked", "first", "again", "never", "faults"]
    body: list[Paragraph | Table] = [Table("Replies by prompt", columns, rows, _NOTE)]
    adapted: Counter[tuple[str, str]] = Counter()
    for (role, _), count in counts.items():
        for what, number in count.adapted.items():
            adapted[role, what] += number
    body += [
        Paragraph(f"{role}: {what} in {number} calls, because the endpoint takes no other form.", tone="warning")
        for (role, what), number in adapted.items()
    ]
    return Section("Replies", body)
