"""Transcripts for readers: typed events as a dialogue with asides, of limited length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from polyclinic.core.note import PlayedBy
from polyclinic.core.transcript import (
    Changed,
    Ended,
    Event,
    Failed,
    Learned,
    Noted,
    Posted,
    Reviewed,
    Said,
    Score,
    Scored,
    ToolUsed,
    Transcript,
    Violated,
)
from polyclinic.eval.estimate import number_text
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Line, Paragraph, Table

MAX_EVENTS = 80
MAX_CHARACTERS = 1_200


def clip(text: str, limit: int = MAX_CHARACTERS) -> str:
    """The text, or its beginning with a note on how much is left out."""
    return text if len(text) <= limit else f"{text[:limit].rstrip()} … ({len(text) - limit:,} more characters)"


def in_words(value: Any) -> str:
    """A value as a person reads it: names and values instead of brackets and quotation marks."""
    plain = (
        value
        if isinstance(value, (str, int, float, bool, type(None)))
        else orjson.loads(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS))
    )
    return clip(_words(plain))


def in_lines(fields: Mapping[str, Any]) -> str:
    """Fields as a person reads them: one on each line, and each part of a list on a line below its name."""
    lines = []
    for name, value in fields.items():
        label = name.replace("_", " ")
        if isinstance(value, (list, tuple)) and value:
            lines += [f"{label}:", *(f"- {in_words(each)}" for each in value)]
        else:
            lines.append(f"{label}: {in_words(value)}")
    return clip("\n".join(lines))


def _words(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "nothing"
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return number_text(value)
        case dict():
            return ", ".join(f"{str(name).replace('_', ' ')}: {_inside(each)}" for name, each in value.items())
        case list():
            return "; ".join(_inside(each) for each in value)
    return str(value)


def _inside(value: Any) -> str:
    """A value inside another; a value with parts is put in brackets."""
    return f"({_words(value)})" if isinstance(value, (dict, list)) and len(value) > 1 else _words(value)


def event_line(event: Event) -> Line | None:
    """One event as a line of the dialogue; None for an event that readers do not need."""
    match event:
        case Said():
            played = event.get(PlayedBy)
            speaker = played.played_by if played is not None else event.speaker
            speaker = f"{speaker} to {event.to}" if event.to else speaker
            return Line(speaker, clip(event.text), in_words(event.data) if event.data else "")
        case ToolUsed():
            words = f"used {event.tool}" + (f", which failed: {event.error}" if event.error else "")
            aside = f"{in_words(event.arguments)}\n→ {in_words(event.result)}"
            return Line(event.role, words, aside, "warning" if event.error else "note")
        case Noted():
            return Line("note", event.topic.replace("_", " "), in_words(event.data) if event.data else "", "note")
        case Changed():
            return Line("state", event.what, f"{in_words(event.before)}\n→ {in_words(event.after)}", "note")
        case Reviewed():
            plain_code = event.code.replace("_", " ")
            verdict = "approved" if event.approved else f"sent back{f' ({plain_code})' if plain_code else ''}"
            words = f"{verdict} draft {event.draft + 1}{f': {clip(event.feedback)}' if event.feedback else ''}"
            return Line(event.reviewer, words, event.error, "note" if event.approved else "warning")
        case Violated():
            rule = event.rule.replace("_", " ")
            words = f"broke {rule} (severity {event.severity}){f': {event.rationale}' if event.rationale else ''}"
            return Line(event.by, words, f"rests on: {event.words}" if event.words else "", "warning")
        case Learned():
            return Line("library", f"{event.library}: {event.action} {event.entry}", event.reason, "note")
        case Posted():
            return Line("hand-over", f"to {event.queue}", in_lines(event.body), "note")
        case Failed():
            return Line(f"failure ({event.owner})", clip(event.error), event.where, "warning")
        case Ended():
            return Line("end", event.outcome.replace("_", " "), in_words(event.data) if event.data else "", "note")
    return None


def outcome_words(outcome: str, known: Mapping[str, str]) -> str:
    """How an episode ended, in words."""
    return known.get(outcome, outcome.replace("_", " "))


def transcript_blocks(transcript: Transcript, max_events: int = MAX_EVENTS) -> list[Block]:
    """The transcript as a conversation, then what the judges said about it. What was kept for judges is folded."""
    spoken = [event for event in transcript if not isinstance(event, (Noted, Changed))]
    lines = [line for line in (event_line(event) for event in spoken) if line is not None]
    blocks: list[Block] = [Dialogue(lines[:max_events])]
    if len(lines) > max_events:
        blocks.append(Paragraph(f"{len(lines) - max_events} more events are not shown here.", tone="note"))
    kept = [event_line(event) for event in transcript if isinstance(event, (Noted, Changed))]
    notes = [line for line in kept if line is not None][:max_events]
    if notes:
        blocks.append(Details("What was kept for judges and reports", [Dialogue(notes)]))
    scores = [event.score for event in transcript.of(Scored)]
    if scores:
        blocks.append(score_table(scores))
    return blocks


def score_table(scores: list[Score], limit: int = 40) -> Table:
    """The judges' scores, with their reasons and the words that support them."""
    rows: list[list[Cell]] = [
        [
            score.metric.replace("_", " "),
            score.subject,
            score.judge if score.sample == 0 else f"{score.judge} (sample {score.sample + 1})",
            score.value,
            clip(score.reason, 300),
            clip(" | ".join(score.evidence), 300),
        ]
        for score in scores[:limit]
    ]
    note = f"{len(scores) - limit} more scores are not shown here." if len(scores) > limit else ""
    columns = ["metric", "subject", "judge", "value", "reason", "evidence"]
    if not any(row[1] for row in rows):
        rows, columns = [[row[0], *row[2:]] for row in rows], [columns[0], *columns[2:]]
    return Table("Scores", columns, rows, note)
