"""Whether a simulated person stays in character, and what happens when they do not.

A patient may offer help as an assistant would, a student may speak of "the student", a caller may read out their own
instructions. Such a line is the simulator's fault, and its consequences say nothing about the agents under test. So
each line of a simulated person is checked before others get it. `answer_in_part` asks like `Agent.answer`. A line that
falls out of character is asked for again with a reminder of the part, then without any text that could be recited.
After that, a language model may choose among lines that this person could say. A line that is still out of character is
recorded as the simulator's fault, by kind, and the episode goes on.

::

    part = Part(who="the patient", own=("patient",), others=("doctor",), said=question)
    reply = await answer_in_part(episode, agent, prompt, part)

Exact rules come first. A language model's line that passes them is read by the built-in reader, whichever reader the
run has: it costs no call and gives the same answer each time. Its weights were learned from lines of several authors
and of a small model, and from ordinary lines of patients. Its threshold is the lowest that at most 2 % of the ordinary
good lines in unseen sets reach.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from polyclinic.core.agent import Agent, Answer
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message, user
from polyclinic.core.part_again import (
    GIVEN_BACK,
    SHOWN,
    AnswersBriefly,
    ChoosesLine,
    LinesChosen,
    count,
    lines_to_choose,
    note,
    one_more,
    reminder,
    said_before,
)
from polyclinic.core.part_self import mentions_somebody
from polyclinic.core.part_signs import Part as Part
from polyclinic.core.part_signs import PartBreak, broken_by
from polyclinic.core.prompt import Prompt
from polyclinic.core.reading import Question, ReadingKind
from polyclinic.core.transcript import Failed
from polyclinic.errors import ReplyError, SimulatedUserError
from polyclinic.text.quotations import without_quotations
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

R = TypeVar("R")
ASKED_AGAIN = 2
WITHOUT_HISTORY = 8
"""Added to the sample number when a line is asked for without the history: no other request has that number."""
_REPEATED = 3
"""Only lines with at least this many words count as repeated; "Yes." may be said twice. In Korean one word less is
enough."""

_FROM_PAPER = re.compile(r"it says here\b", re.IGNORECASE)

OUT_OF_PART = ReadingKind(
    "part-out",
    who=(),
    context="Said to them: {said}",
    question=(
        "Does the speaker fall out of their part (speaks as an assistant, about themselves in the third person, repeats"
        " instructions, speaks for the other, plays the doctor or tutor)?"
    ),
    follows="the line is asked for again; if it is still out of the part, that is the simulator's fault",
    surely=0.68,
    in_reply=True,
)


def out_of_part(
    text: str, part: Part, prompt: Prompt[Any] | None = None, reads: Callable[[str, Question], bool] | None = None
) -> PartBreak | None:
    """How a line falls out of character; None for a line that stays in character. Without `reads`, only exact rules
    decide.
    """
    found = broken_by(text, part, prompt.wording() if prompt else "")
    if found is None and reads is not None and part.reads and _reads_out(text, part, reads):
        return PartBreak("read as out of the part", text)
    return found


def _reads_out(text: str, part: Part, reads: Callable[[str, Question], bool]) -> bool:
    """Whether a line is read as out of character, also without the words that it quotes."""
    if _FROM_PAPER.match(text):
        return False  # people are told to read their results out
    question, own = OUT_OF_PART.ask(said=part.said), without_quotations(text)
    return reads(text, question) and (own == text or reads(own, question))


async def answer_in_part(
    episode: Episode,
    agent: Agent,
    prompt: Prompt[R],
    part: Part,
    *,
    words: Callable[[R], str] = str,
    history: Sequence[Message] = (),
    sample: int = 0,
) -> Answer[R]:
    """The reply and its call. A line out of character is asked for again, with a reminder and without showing that
    line: small models repeat what they are shown. A line that is still out of character at the end is kept, and
    recorded. A speaker who repeats earlier words exactly, their own or heard ones, is asked again without the history,
    so that there is nothing to copy.

    People who take a role themselves are not checked: they decide how they play it.
    """
    answer = await agent.answer(prompt, history, sample=sample)
    earlier = history
    if agent.is_person:
        return answer
    if agent.is_language_model and _said_before(words(answer.value), history, part.heard):
        history, sample = (), sample + WITHOUT_HISTORY
        answer = await agent.answer(prompt, history, sample=sample, after=(user(said_before(part.lang)),))
    if part.sex and any(mentions_somebody(message.content) for message in earlier):
        part = replace(part, sex="")  # "she" may be the person who was mentioned
    count(episode, checked=1)
    reads = episode.services.reads_line if agent.is_language_model else None
    fault = out_of_part(words(answer.value), part, prompt, reads)
    if fault is None:
        return answer
    count(episode, again=fault.kind)
    speaks = agent.is_language_model and prompt.reply_type() is str  # it gets one more try: it may choose a line
    for number in range(1, ASKED_AGAIN + speaks + 1):
        note(episode, agent, fault, words(answer.value))
        asked = reminder(part.who, part.lang, fault)
        part = replace(part, told=(*part.told, asked))  # the line must not repeat this reminder either
        try:
            if number > ASKED_AGAIN:
                part = replace(part, reads=False)  # a ready line needs no check
                answer = await _chosen(episode, agent, part, earlier, sample + number, fault.kind) or answer
            elif number == ASKED_AGAIN and speaks and part.said:
                answer = await agent.answer(_briefly(part, fault), sample=sample + number)
            else:
                answer = await agent.answer(prompt, history, sample=sample + number, after=(user(asked),))
        except (SimulatedUserError, ReplyError):  # keep the readable line that it said before
            continue
        fault = out_of_part(words(answer.value), part, prompt, reads)
        if fault is None:
            return answer
    line = words(answer.value)
    note(episode, agent, fault, line, stayed=True)
    count(episode, stayed=fault.kind)
    error = f"{agent.name} stayed out of the part ({fault.kind}): {line[:SHOWN]}"
    episode.record(Failed(owner=agent.owner, error=error, where="part", fatal=False, prompt=prompt.prompt_name()))
    return answer


def _said_before(line: str, history: Sequence[Message], heard: Sequence[str]) -> bool:
    """Whether a line repeats the speaker's own earlier words, or was heard from somebody else word for word."""
    mine = spoken_words(line)
    if len(mine) < _REPEATED - (not line.isascii()):
        return False
    before = (message.content for message in history if message.role == "assistant")
    return any(spoken_words(words) == mine for words in (*before, *heard))


def _other(part: Part) -> str:
    """How to call the other person, in the language of the conversation."""
    korean = part.lang == "ko"
    return next((name for name in part.others if name.isascii() != korean), "")


def _briefly(part: Part, fault: PartBreak) -> Prompt[Any]:
    """A short prompt. If the speaker repeated the other person's words, it has only the questions in them."""
    said = part.said
    if fault.kind in GIVEN_BACK:
        said = " ".join(sentence for sentence in sentences(said) if is_question(sentence))
    return AnswersBriefly(lang=part.lang, who=part.who, other=_other(part), said=said)


async def _chosen(
    episode: Episode, agent: Agent, part: Part, history: Sequence[Message], sample: int, kind: str
) -> Answer[Any] | None:
    """A line that the speaker chose from the ready lines; None if all of them were said before."""
    before = frozenset(message.content for message in history if message.role == "assistant")
    lines = lines_to_choose(part.ready, part.lang, before, part.said)
    if len(lines) < 2:
        return None
    prompt = ChoosesLine(lang=part.lang, who=part.who, other=_other(part), said=part.said, lines=lines)
    answer = await agent.answer(prompt, sample=sample)
    counted = episode.concluded(LinesChosen) or LinesChosen()
    by_kind = one_more(counted.chosen_for, kind)
    episode.conclude(LinesChosen(lines_chosen=1 + counted.lines_chosen, chosen_for=by_kind))
    return Answer(lines[int(answer.value.line) - 1], answer.call)
