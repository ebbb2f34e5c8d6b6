"""How replies were read, prompt by prompt: at the first try, after asking again, or never; and what was wrong with the
refused replies. Understudies are left out: they always reply in the requested form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from polyclinic.core.field_by_field import ToldInWords
from polyclinic.core.model import BY_CALL, TOOLS_IN_WORDS, role_of
from polyclinic.core.transcript import Called, ToolUsed
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Cell, Paragraph, Section, Table
from polyclinic.text.layout import number_of

_NOTE = (
    "First: the first reply was accepted. Again: a later one was, after the model was told its fault. In words: the"
    " form was put together from plain answers, one for each field (AsksField). Never: nothing could be read. Faults"
    " count every reply that was not accepted."
)
_TOOLS_NOTE = (
    "Native: the model called the tool itself. In words: its server takes no tools, so text describes and calls them."
    " Closed reply: the clinic's form names the tool as one of its choices, and the clinic uses it."
)


@dataclass
class ReplyCount:
    """The replies to one prompt in one role. `taken` counts accepted replies by try, from 0. `in_words` counts forms
    that were put together field by field. `faults` counts refused replies by kind, `adapted` counts calls by what was
    adapted.
    """

    taken: Counter[int] = field(default_factory=Counter)
    in_words: int = 0
    never: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    adapted: Counter[str] = field(default_factory=Counter)

    @property
    def asked(self) -> int:
        """How many replies were requested."""
        return self.taken.total() + self.in_words + self.never

    @property
    def first(self) -> float:
        """The share that was accepted at the first try."""
        return self.taken[0] / self.asked if self.asked else 0.0

    @property
    def read(self) -> float:
        """The share that was accepted at any try."""
        return (self.taken.total() + self.in_words) / self.asked if self.asked else 0.0


def count_replies(
    calls: Iterable[Called], told: Iterable[ToldInWords] = (), last_try: int = 2
) -> dict[tuple[str, str], ReplyCount]:
    """Count replies by (role, prompt), in the order of their first call. Calls that only used tools are not replies.
    `told` are the forms that were put together from plain answers.
    """
    found: dict[tuple[str, str], ReplyCount] = {}
    for call in calls:
        count = found.setdefault((role_of(call.role), call.prompt), ReplyCount())
        count.adapted.update([what for what in call.adapted if what != BY_CALL])
        if call.fault:
            count.faults[call.fault] += 1
            count.never += call.attempt >= last_try
        elif not call.tool_calls or BY_CALL in call.adapted:
            count.taken[call.attempt] += 1
    for note in told:
        count = found.setdefault((role_of(note.role), note.prompt), ReplyCount())
        count.in_words += 1
        count.never -= count.never > 0
    return {key: count for key, count in found.items() if count.asked or count.faults}


@dataclass(frozen=True)
class Spoken:
    """All calls except those of understudies and trained readers, the forms that were answered in words, and the tools
    that were used.
    """

    calls: list[Called]
    told: list[ToldInWords]
    used: list[ToolUsed]

    def counts(self) -> dict[tuple[str, str], ReplyCount]:
        """The replies by role and prompt."""
        return count_replies(self.calls, self.told)


def spoken_calls(results: RunResults) -> Spoken:
    """The calls of a run to people, language models and recordings of them."""
    spoken = {member.role for member in results.cast if member.kind in ("llm", "human", "replay")}
    transcripts = [episode.transcript for episode in results.episodes if episode.has_transcript]
    calls = [call for events in transcripts for call in events.of(Called) if role_of(call.role) in spoken]
    told = [note for events in transcripts for note in events.notes(ToldInWords)]
    used = [use for events in transcripts for use in events.of(ToolUsed) if role_of(use.role) in spoken]
    return Spoken(calls, told, used)


def replies_to_plain(results: RunResults) -> list[dict[str, Any]]:
    """For the report's JSON: one entry for each role and prompt."""
    return [
        {
            "role": role,
            "prompt": prompt,
            "asked": count.asked,
            "first": count.taken[0],
            "again": count.taken.total() - count.taken[0],
            "in_words": count.in_words,
            "never": count.never,
            "faults": dict(count.faults),
            "adapted": dict(count.adapted),
        }
        for (role, prompt), count in spoken_calls(results).counts().items()
    ]


def reply_section(results: RunResults) -> Section | None:
    """The table, if anyone but understudies and trained readers played; else None."""
    spoken = spoken_calls(results)
    counts = spoken.counts()
    if not counts:
        return None
    rows: list[list[Cell]] = [
        [
            role,
            prompt,
            count.asked,
            f"{count.first:.1%}",
            count.taken.total() - count.taken[0],
            count.in_words,
            count.never,
            ", ".join(f"{kind} {number}" for kind, number in count.faults.most_common()),
        ]
        for (role, prompt), count in counts.items()
    ]
    asked = sum(count.asked for count in counts.values())
    columns = ["role", "prompt", "asked", "first", "again", "in words", "never", "faults"]
    body: list[Paragraph | Table] = [Table("Replies by prompt", columns, rows, _NOTE, n=number_of(asked, "question"))]
    tools = tool_rows(spoken.calls, spoken.used)
    if tools:
        uses = number_of(len(spoken.used), "use")
        body.append(Table("Tools by role", ["role", "tool", "used", "how"], tools, _TOOLS_NOTE, n=uses))
    adapted: Counter[tuple[str, str]] = Counter()
    for (role, _), count in counts.items():
        for what, number in count.adapted.items():
            adapted[role, what] += number
    body += [
        Paragraph(
            f"{role}: {what} in {number} calls, because the endpoint or the cast allows only this.", tone="warning"
        )
        for (role, what), number in adapted.items()
    ]
    return Section("Replies", body)


def tool_rows(calls: Iterable[Called], used: Iterable[ToolUsed]) -> list[list[Cell]]:
    """Each role's tools: how often they were used, and how (by native calls, in words, or by a closed reply)."""
    called: dict[tuple[str, str], Counter[str]] = {}
    for call in calls:
        how = "in words" if TOOLS_IN_WORDS in call.adapted else "native"
        for name in call.tool_calls if not call.fault else ():
            called.setdefault((role_of(call.role), name), Counter())[how] += 1
    counts = Counter((role_of(use.role), use.tool) for use in used)
    return [[role, tool, number, _how(called.get((role, tool)), number)] for (role, tool), number in counts.items()]


def _how(called: Counter[str] | None, used: int) -> str:
    """In which way a tool was used; with numbers if there was more than one way."""
    ways = Counter(called or {})
    ways["closed reply"] = max(0, used - ways.total())
    ways = +ways
    return next(iter(ways)) if len(ways) == 1 else ", ".join(f"{way} {number}" for way, number in ways.items())
