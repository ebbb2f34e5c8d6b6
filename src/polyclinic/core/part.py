"""Whether a simulated person stays in their part, and what happens when they do not.

A patient who offers help as an assistant would, a student who speaks of "the student", a caller who reads out their
own instructions: such a line is the simulator's fault, and what follows from it says nothing about the agents under
test. So each line of a simulated person is checked before it is heard. `answer_in_part` asks as `Agent.answer` does; a
line that falls out of the part is asked for once more, in the part; one that stays out is recorded as the simulator's
fault, by kind, and the episode goes on.

::

    part = Part(who="the patient", own=("patient",), others=("doctor",), said=question)
    reply = await answer_in_part(episode, agent, prompt, part)

Exact rules come first: they need no reader and are the same for every cast. The built-in reader alone takes many a good
short line for one out of the part, so it is asked only about lines that have a sign of their own: they speak to or
about others by role, and nobody says "I".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polyclinic.core.agent import Agent, Answer
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message, assistant, user
from polyclinic.core.note import Note, Payload, get_payload
from polyclinic.core.part_signs import PartBreak, broken_by, worth_reading
from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import ReadingKind
from polyclinic.core.transcript import Failed
from polyclinic.core.value import Value

R = TypeVar("R")
_SHOWN = 160

OUT_OF_PART = ReadingKind(
    "part-out",
    who=(),
    context="Said to them: {said}",
    question=(
        "Does the speaker fall out of their part (speaks as an assistant, about themselves in the third person, repeats"
        " instructions, speaks for the other, plays the doctor or tutor)?"
    ),
    follows="the line is asked for again; if it stays out, that is the simulator's fault",
)


@dataclass(frozen=True)
class Part:
    """What one line of a simulated person is held to.

    `who` is how they are reminded of their part; `own` are words for them that only others use ("patient", their
    surname); `others` are those they talk with, as a script would label them; `said` is what was said to them last;
    `hidden` are names that they cannot know; `told` are rules for the part that stand in the
    prompt's fields, where its template does not hold them. Without `reads` the exact rules decide alone.
    """

    who: str
    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    said: str = ""
    hidden: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    reads: bool = True
    lang: str = "en"


class FellOut(Note):
    """A line that fell out of its part. `stayed`: it had been asked for again already."""

    topic = "out of part"
    who: str
    kind: str
    words: str
    line: str
    stayed: bool = False


class PartCounts(Value):
    """How many lines were checked; how many were asked for again and how many stayed out, by kind."""

    lines: int = 0
    again: dict[str, int] = field(default_factory=dict)
    stayed: dict[str, int] = field(default_factory=dict)


class HeldToPart(Payload):
    """An episode's counts, kept with its end."""

    part: PartCounts


async def out_of_part(
    episode: Episode[Any, Any], text: str, part: Part, prompt: Prompt[Any] | None = None
) -> PartBreak | None:
    """How a line falls out of its part; None for a line that stays in it."""
    told = "\n".join([prompt.wording() if prompt else "", *part.told])
    found = broken_by(text, own=part.own, others=part.others, said=part.said, hidden=part.hidden, told=told)
    if found is not None or not part.reads or not worth_reading(text):
        return found
    (finding,) = await episode.reads(text, [OUT_OF_PART.ask(said=part.said)])
    return PartBreak("read as out of the part", finding.words) if finding.yes else None


async def answer_in_part(
    episode: Episode[Any, Any],
    agent: Agent,
    prompt: Prompt[R],
    part: Part,
    *,
    words: Callable[[R], str] = str,
    history: Sequence[Message] = (),
    sample: int = 0,
) -> Answer[R]:
    """The reply and its call. A line out of the part is asked for once more; one that stays out is kept, and recorded.

    People who take a role themselves are not checked: how they play it is theirs.
    """
    first = await agent.answer(prompt, history, sample=sample)
    if agent.is_person:
        return first
    fault = await out_of_part(episode, words(first.value), part, prompt)
    _count(episode, checked=1)
    if fault is None:
        return first
    episode.note(FellOut(who=agent.name, kind=fault.kind, words=fault.words[:_SHOWN], line=words(first.value)))
    _count(episode, again=fault.kind)
    again = (assistant(first.call.text), user(reminder(part, fault)))
    second = await agent.answer(prompt, history, sample=sample + 1, after=again)
    fault = await out_of_part(episode, words(second.value), part, prompt)
    if fault is not None:
        line = words(second.value)
        episode.note(FellOut(who=agent.name, kind=fault.kind, words=fault.words[:_SHOWN], line=line, stayed=True))
        _count(episode, stayed=fault.kind)
        error = f"{agent.name} stayed out of the part ({fault.kind}): {line[:_SHOWN]}"
        episode.record(Failed(owner=agent.owner, error=error, where="part", fatal=False))
    return second


def reminder(part: Part, fault: PartBreak) -> str:
    """How somebody is asked again, in their part."""
    shown = fault.words[:_SHOWN]
    if part.lang == "ko":
        return (
            f"방금 한 말은 {part.who}의 말이 아닙니다 ('{shown}'). 당신은 {part.who}입니다."
            " '나'로서 직접, 상대에게 하는 말만 다시 해 주세요. 설명이나 지시문은 쓰지 마세요."
        )
    return (
        f"That is not how {part.who} would speak ('{shown}': {fault.kind}). You are {part.who}. Say it again in your"
        " own words, as yourself, to the person in front of you, and write nothing but what you say."
    )


def _count(episode: Episode[Any, Any], *, checked: int = 0, again: str = "", stayed: str = "") -> None:
    """Count one more line that was checked, asked for again, or stayed out."""
    before = get_payload(HeldToPart, episode.closing)
    counts = before.part if before is not None else PartCounts()
    counts = PartCounts(
        lines=counts.lines + checked, again=_one_more(counts.again, again), stayed=_one_more(counts.stayed, stayed)
    )
    episode.conclude(HeldToPart(part=counts))


def _one_more(counts: Mapping[str, int], kind: str) -> dict[str, int]:
    return dict(sorted({**counts, kind: counts.get(kind, 0) + 1}.items())) if kind else dict(counts)
