"""Whether a simulated person stays in their part, and what happens when they do not.

A patient who offers help as an assistant would, a student who speaks of "the student", a caller who reads out their
own instructions: such a line is the simulator's fault, and what follows from it says nothing about the agents under
test. So each line of a simulated person is checked before it is heard. `answer_in_part` asks as `Agent.answer` does; a
line that falls out of the part is asked for again, twice at most, in the part, the second time without anything that
could be recited; one that stays out is recorded as the simulator's fault, by kind, and the episode goes on.

::

    part = Part(who="the patient", own=("patient",), others=("doctor",), said=question)
    reply = await answer_in_part(episode, agent, prompt, part)

Exact rules come first: they need no reader and are the same for every cast. The built-in reader alone takes many a good
short line for one out of the part, so it is asked only about lines that have a sign of their own: they speak to or
about others by role, and nobody says "I".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, TypeVar

from polyclinic.core.agent import Agent, Answer
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message, user
from polyclinic.core.note import Note, Payload
from polyclinic.core.part_signs import PartBreak, broken_by, worth_reading
from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import ReadingKind
from polyclinic.core.transcript import Failed
from polyclinic.core.value import Value, unchanging
from polyclinic.errors import ReplyError, SimulatedUserError
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

R = TypeVar("R")
ASKED_AGAIN = 2
AFRESH = 8
"""Added to the number of a sample where a line is asked for without the history: no other asking has that number."""
_REPEATED = 3
"""So many words or more; "Yes." may be said twice."""
_SHOWN = 160
_GIVEN_BACK = ("echo of the other", "third person")
"""Faults that come from the other's words: without those words there is nothing to give back."""
_WRONG: dict[str, dict[str, str]] = {
    "en": {
        "speaks as an assistant": "it offered help or refused it, as an assistant does",
        "third person": "it spoke about you as if you were somebody else",
        "form instead of speech": "it was a form, not speech",
        "stage direction": "it described you instead of letting you speak",
        "speaks for the other": "it spoke for the other person as well",
        "echo of the other": "it repeated the other person's words",
        "echo of the instructions": "it repeated your instructions",
        "knows what is hidden": "it named something that you cannot know",
        "read as out of the part": "it was not said by you",
    },
    "ko": {
        "speaks as an assistant": "도우미처럼 말했습니다",
        "third person": "당신을 다른 사람처럼 말했습니다",
        "form instead of speech": "말이 아니라 양식이었습니다",
        "stage direction": "말하지 않고 행동을 묘사했습니다",
        "speaks for the other": "상대의 말까지 했습니다",
        "echo of the other": "상대의 말을 되풀이했습니다",
        "echo of the instructions": "지시문을 되풀이했습니다",
        "knows what is hidden": "당신이 알 수 없는 것을 말했습니다",
        "read as out of the part": "당신이 할 말이 아니었습니다",
    },
}

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


@unchanging
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
    may_advise: bool = False
    lang: str = "en"


class AnswersBriefly(Prompt[str]):
    """The last attempt with somebody who stays out of their part: who they are, what was said, and nothing to recite.

    `said` is empty where the other's words were given back before and asked nothing: shown once more, they would be
    given back once more.
    """

    template: ClassVar[str] = "answers_briefly.md"
    words: ClassVar[int] = 30
    lang: str
    who: str
    other: str
    said: str


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
    told = prompt.wording() if prompt else ""
    if part.told:
        told = "\n".join([told, *part.told])
    found = broken_by(
        text,
        own=part.own,
        others=part.others,
        said=part.said,
        hidden=part.hidden,
        told=told,
        may_advise=part.may_advise,
    )
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
    """The reply and its call. A line out of the part is asked for again, in the part and without being shown: small
    models repeat what they are shown. One that stays out to the end is kept, and recorded. Somebody who says the very
    words that they have said before is asked once more without the history, so that there is nothing to copy.

    People who take a role themselves are not checked: how they play it is theirs.
    """
    answer = await agent.answer(prompt, history, sample=sample)
    if agent.is_person:
        return answer
    if agent.is_language_model and _said_before(words(answer.value), history):
        history, sample = (), sample + AFRESH
        answer = await agent.answer(prompt, history, sample=sample)
    _count(episode, checked=1)
    number = 0
    while (fault := await out_of_part(episode, words(answer.value), part, prompt)) is not None:
        number += 1
        line, stayed = words(answer.value), number > ASKED_AGAIN
        episode.note(FellOut(who=agent.name, kind=fault.kind, words=fault.words[:_SHOWN], line=line, stayed=stayed))
        if number == 1:
            _count(episode, again=fault.kind)
        if stayed:
            break
        asked = reminder(part, fault)
        part = replace(part, told=(*part.told, asked))  # what it is told now, it must not say either
        try:
            if number == ASKED_AGAIN and _can_be_brief(agent, prompt, part):
                answer = await agent.answer(_briefly(part, fault), sample=sample + number)
            else:
                answer = await agent.answer(prompt, history, sample=sample + number, after=(user(asked),))
        except (SimulatedUserError, ReplyError):  # it has said something readable before: that is kept
            break
    if fault is None:
        return answer
    _count(episode, stayed=fault.kind)
    error = f"{agent.name} stayed out of the part ({fault.kind}): {line[:_SHOWN]}"
    episode.record(Failed(owner=agent.owner, error=error, where="part", fatal=False, prompt=prompt.prompt_name()))
    return answer


def _said_before(line: str, history: Sequence[Message]) -> bool:
    mine = spoken_words(line)
    return len(mine) >= _REPEATED and any(
        spoken_words(message.content) == mine for message in history if message.role == "assistant"
    )


def _can_be_brief(agent: Agent, prompt: Prompt[Any], part: Part) -> bool:
    """Whether a language model was asked for speech and nothing else, in answer to somebody."""
    return agent.is_language_model and prompt.reply_type() is str and bool(part.said)


def _briefly(part: Part, fault: PartBreak) -> Prompt[Any]:
    korean = part.lang == "ko"
    other = next((name for name in part.others if name.isascii() != korean), "")
    said = part.said
    if fault.kind in _GIVEN_BACK:
        said = " ".join(sentence for sentence in sentences(said) if is_question(sentence))
    return AnswersBriefly(lang=part.lang, who=part.who, other=other, said=said)


def reminder(part: Part, fault: PartBreak) -> str:
    """How somebody is asked again, in their part."""
    ko = part.lang == "ko"
    wrong = _WRONG["ko" if ko else "en"].get(fault.kind, fault.kind)
    if ko:
        return (
            f"먼저 한 답은 쓸 수 없습니다: {wrong}. 당신은 {part.who}입니다. '저'로서 직접,"
            " 앞에 있는 사람에게 하는 말만 하세요. 모르면 모른다고 하세요. 설명이나 지시문은 쓰지 마세요."
        )
    return (
        f"Your first answer could not be used: {wrong}. You are {part.who}, not an assistant. Speak as yourself, with"
        ' "I" or "my", to the person in front of you. If you do not know something, say so. Write nothing but what you'
        " say."
    )


def _count(episode: Episode[Any, Any], *, checked: int = 0, again: str = "", stayed: str = "") -> None:
    """Count one more line that was checked, asked for again, or stayed out."""
    before = episode.concluded(HeldToPart)
    counts = before.part if before is not None else PartCounts()
    again_, stayed_ = _one_more(counts.again, again), _one_more(counts.stayed, stayed)
    episode.conclude(HeldToPart(part=PartCounts(lines=counts.lines + checked, again=again_, stayed=stayed_)))


def _one_more(counts: dict[str, int], kind: str) -> dict[str, int]:
    return dict(sorted({**counts, kind: counts.get(kind, 0) + 1}.items())) if kind else counts
