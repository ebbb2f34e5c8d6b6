"""One episode as a readable conversation: what was said and done, with the model call that produced each line."""

from __future__ import annotations

from typing import Literal

import orjson
from pydantic import BaseModel

from polyclinic.core.model import Completion
from polyclinic.core.transcript import (
    Called,
    Event,
    Said,
    Scored,
    Started,
    ToolUsed,
    Transcript,
)
from polyclinic.errors import UnknownName
from polyclinic.eval.reading import event_line
from polyclinic.store.store import Store

EventKind = Literal["said", "tool", "note", "state", "review", "rule", "handed", "failed", "ended", "learned"]


class EventShown(BaseModel):
    """One event.

    `number` is its place in the transcript; `call` is the place of the model call that produced it, if any.
    """

    number: int
    kind: EventKind
    speaker: str
    to: str = ""
    text: str
    aside: str = ""
    tone: str = "plain"
    round: str = ""
    call: int | None = None


class ScoreShown(BaseModel):
    """A judge's score with its reason and the words that support it."""

    metric: str
    about: str
    value: float
    judge: str
    subject: str
    reason: str
    evidence: list[str]


class CallShown(BaseModel):
    """A call in a list: who answered which prompt, with its cost and duration."""

    number: int
    role: str
    prompt: str
    model: str
    text: str
    fault: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    latency_ms: int | None


class EpisodeInFull(BaseModel):
    """An episode."""

    run: str
    id: str
    clinic: str
    scenario: str
    variant: str
    trial: int
    outcome: str
    introduction: str
    cast: dict[str, str]
    events: list[EventShown]
    scores: list[ScoreShown]
    calls: list[CallShown]


class CallInFull(BaseModel):
    """The prompt and the raw reply."""

    role: str
    prompt: str
    messages: list[dict[str, str]]
    reply: str


_KINDS: dict[str, EventKind] = {
    "said": "said",
    "tool": "tool",
    "noted": "note",
    "changed": "state",
    "reviewed": "review",
    "violated": "rule",
    "learned": "learned",
    "posted": "handed",
    "failed": "failed",
    "ended": "ended",
}


def events_shown(transcript: Transcript) -> list[EventShown]:
    """The events that readers need, each with the model call that produced it."""
    shown = []
    latest: dict[str, int] = {}
    for number, event in enumerate(transcript.events):
        if isinstance(event, Called):
            latest[event.role] = number
        line = event_line(event)
        if line is None or isinstance(event, Called | Scored | Started):
            continue
        said = isinstance(event, Said)
        shown.append(
            EventShown(
                number=number,
                kind=_KINDS[event.kind],
                speaker=event.speaker if isinstance(event, Said) else line.speaker,
                to=event.to if isinstance(event, Said) else "",
                text=event.text if isinstance(event, Said) else line.text,
                aside=line.aside,
                tone="plain" if said else line.tone,
                round=str(event.round or "") if isinstance(event, Said) else "",
                call=_behind(event, latest),
            )
        )
    return shown


def _behind(event: Event, latest: dict[str, int]) -> int | None:
    """The last call of the speaker, which gave these words."""
    if isinstance(event, Said):
        return latest.get(event.speaker)
    return latest.get(event.role) if isinstance(event, ToolUsed) else None


def calls_shown(transcript: Transcript, timings: dict[tuple[str, int], int]) -> list[CallShown]:
    """Every call."""
    return [
        CallShown(
            number=number,
            role=event.role,
            prompt=event.prompt,
            model=event.model,
            text=event.text,
            fault=event.fault,
            input_tokens=event.usage.input_tokens,
            output_tokens=event.usage.output_tokens,
            cost_usd=event.usage.cost_usd,
            latency_ms=timings.get((event.key, event.occurrence)),
        )
        for number, event in enumerate(transcript.events)
        if isinstance(event, Called)
    ]


async def call_in_full(store: Store, run: str, episode: str, number: int) -> CallInFull:
    """The prompt and the raw reply of the call at this place of the transcript."""
    events = (await store.runs.transcript(run, episode)).events
    event = events[number] if 0 <= number < len(events) else None
    if not isinstance(event, Called):
        raise UnknownName("call", str(number))
    found = await store.journal(run).find(episode, (event.key, event.occurrence))
    sent, reply = found or ([], Completion(text=event.text))
    used = [f"{call.name} {orjson.dumps(call.arguments).decode()}" for call in reply.tool_calls]
    return CallInFull(
        role=event.role,
        prompt=event.prompt,
        messages=[message._asdict() for message in sent],
        reply="\n".join(filter(None, (reply.text, *used))),
    )
