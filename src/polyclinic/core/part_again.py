"""How a speaker who fell out of character is asked again, in three steps, and how this is noted and counted.

First comes a reminder, then a short prompt, then a choice among sentences. Each request contains less text that could
be recited. `reminder` is added to the same prompt. `AnswersBriefly` says who they are and what was said to them, and
nothing else. `ChoosesLine` offers whole sentences that this person could say at any time: those of their own case, and
a few that anybody could say. A model that cannot speak in character can still choose a sentence.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Generic, TypeVar

from polyclinic.core.agent import Agent
from polyclinic.core.episode import Episode
from polyclinic.core.note import Note, Payload
from polyclinic.core.part_signs import PartBreak
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel, with_choices
from polyclinic.core.value import Value

R = TypeVar("R")
MOST_OFFERED = 6
SHOWN = 160
GIVEN_BACK = ("echo of the other", "third person")
"""Faults in which the speaker repeats the other person's words: without these words there is nothing to repeat."""
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
_ANYBODY: dict[str, tuple[str, ...]] = {
    "en": (
        "I have to think about that.",
        "I am not sure.",
        "Could you say that in other words?",
        "I find it hard to put this into words.",
    ),
    "ko": (
        "그건 좀 생각해 봐야겠어요.",
        "저도 잘 모르겠어요.",
        "다시 한번 쉽게 말해 주시겠어요?",
        "뭐라고 말해야 할지 모르겠어요.",
    ),
}
"""Lines that anybody can say at any time: they state no fact and agree to nothing."""


class _InBrief(Prompt[R], Generic[R]):
    """Who somebody is, whom they talk to, and what was said to them."""

    lang: str
    who: str
    other: str
    said: str


class AnswersBriefly(_InBrief[str]):
    """A short prompt: who they are, what was said, and nothing that could be recited.

    `said` is empty if the speaker repeated the other person's words and these contain no question: shown again, they
    would be repeated again.
    """

    template: ClassVar[str] = "answers_briefly.md"
    words: ClassVar[int] = 30


class ChosenLine(ReplyModel):
    """The number of the line that is said."""

    line: str


class ChoosesLine(_InBrief[ChosenLine]):
    """Which of these lines this person says now."""

    template: ClassVar[str] = "chooses_line.md"
    words: ClassVar[int] = 10
    lines: tuple[str, ...]

    def reply_form(self) -> type[ChosenLine]:
        """The reply type: it accepts only the numbers that were shown."""
        return with_choices(ChosenLine, line=tuple(str(number) for number in range(1, len(self.lines) + 1)))


class FellOut(Note):
    """A line that fell out of character. `stayed`: no more tries were left, and the line was kept."""

    topic = "out of part"
    who: str
    kind: str
    words: str
    line: str
    stayed: bool = False


class PartCounts(Value):
    """How many lines were checked; how many were asked for again and how many stayed out of character, by kind."""

    lines: int = 0
    again: dict[str, int] = field(default_factory=dict)
    stayed: dict[str, int] = field(default_factory=dict)


class HeldToPart(Payload):
    """An episode's counts, kept with its end."""

    part: PartCounts


class LinesChosen(Payload):
    """How many lines of an episode were chosen from a list, because the speaker's own words stayed out of character;
    and how often for each kind of fault.
    """

    lines_chosen: int = 0
    chosen_for: dict[str, int] = field(default_factory=dict)


def reminder(who: str, lang: str, fault: PartBreak) -> str:
    """The reminder with which a speaker is asked again: what was wrong, who they are, and how to speak."""
    ko = lang == "ko"
    wrong = _WRONG["ko" if ko else "en"].get(fault.kind, fault.kind)
    if ko:
        return (
            f"먼저 한 답은 쓸 수 없습니다: {wrong}. 당신은 {who}입니다. '저'로서 직접,"
            " 앞에 있는 사람에게 하는 말만 하세요. 모르면 모른다고 하세요. 설명이나 지시문은 쓰지 마세요."
        )
    return (
        f"Your first answer could not be used: {wrong}. You are {who}, not an assistant. Speak as yourself, with"
        ' "I" or "my", to the person in front of you. If you do not know something, say so. Write nothing but what you'
        " say."
    )


def said_before(lang: str) -> str:
    """What a speaker is told who repeated earlier words."""
    if lang == "ko":
        return "그 말은 이미 했습니다. 이번에는 다른 말을 하세요."
    return "That has been said before. Say something else this time."


def lines_to_choose(own: tuple[str, ...], lang: str, before: frozenset[str], said: str) -> tuple[str, ...]:
    """The lines that can be chosen now: the person's own lines first, and no line that was said before. The lines that
    anybody can say are answers: where nothing was said yet, they do not fit.
    """
    anybody = _ANYBODY["ko" if lang == "ko" else "en"] if said else ()
    return tuple(line for line in (*own, *anybody) if line not in before)[:MOST_OFFERED]


def note(episode: Episode, agent: Agent, fault: PartBreak, line: str, *, stayed: bool = False) -> None:
    """Note a line that fell out of character."""
    episode.note(FellOut(who=agent.name, kind=fault.kind, words=fault.words[:SHOWN], line=line, stayed=stayed))


def count(episode: Episode, *, checked: int = 0, again: str = "", stayed: str = "") -> None:
    """Count one more line that was checked, was asked for again, or stayed out of character."""
    before = episode.concluded(HeldToPart)
    counts = before.part if before is not None else PartCounts()
    again_, stayed_ = one_more(counts.again, again), one_more(counts.stayed, stayed)
    episode.conclude(HeldToPart(part=PartCounts(lines=counts.lines + checked, again=again_, stayed=stayed_)))


def one_more(counts: dict[str, int], kind: str) -> dict[str, int]:
    """The counts with one more of a kind; unchanged for an empty kind."""
    return dict(sorted({**counts, kind: counts.get(kind, 0) + 1}.items())) if kind else counts
