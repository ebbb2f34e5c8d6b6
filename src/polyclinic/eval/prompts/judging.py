"""What judges are asked: one typed prompt for rubrics, one for preferences."""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field

from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.eval.criteria import Criterion, Flag
from polyclinic.eval.sheet import RubricSheet, sheet_form, sheet_from_words
from polyclinic.text.layout import blocks, listed

_OPENING = re.compile(r'\n?<(\w+)(?: \w+="([^"]*)")?>')
_CLOSING = re.compile(r"</\w+>")
_ANSWER = re.compile(r"-?\d+|yes|no", re.IGNORECASE)


class JudgesRubric(Prompt[RubricSheet]):
    """Score a transcript on the criteria of one rubric. `fault` says what was wrong with the previous answer. `facts`
    holds the content of `view` as typed data, for offline judges.
    """

    template: ClassVar[str] = "judges_rubric.md"
    words: ClassVar[int] = 70
    rubric: str
    title: str
    instructions: str
    criteria: tuple[Criterion, ...]
    flags: tuple[Flag, ...]
    view: str
    facts: Facts = Facts()
    fault: str = ""

    def reply_form(self) -> type[RubricSheet]:
        """One required field for each answer, which accepts only the criterion's scale."""
        scales = tuple((item.id, item.low, item.high) for item in self.criteria)
        return sheet_form(scales, tuple(flag.id for flag in self.flags))

    @property
    def for_human(self) -> str:
        """The transcript and the questions, and how a person answers them in one line."""
        asked = [
            f"{item.title or _shown(item.id)} ({item.low} to {item.high}): {item.question}" for item in self.criteria
        ]
        asked += [f"{_shown(flag.id)} (yes or no): {flag.question}" for flag in self.flags]
        example = ", ".join("…" for _ in self._ids())
        ask = "Answer:" if len(asked) == 1 else "Answer all in one line, in this order:"
        return blocks(self.title, _in_plain_words(self.view), listed("Questions:", asked), f"{ask} {example}")

    def form_hints(self) -> FormHints:
        """The names of the questions, as people know them."""
        scores = {f"{item.id}_score": item.title or _shown(item.id) for item in self.criteria}
        return FormHints(labels=scores | {f"{flag.id}_raised": _shown(flag.id) for flag in self.flags})

    def full_answer(self, typed: str) -> str:
        """Answers without names are enough, in the order of the questions."""
        ids, given = self._ids(), typed.split(",")
        if len(given) != len(ids) or not all(_ANSWER.fullmatch(answer.strip()) for answer in given):
            return typed
        return ", ".join(f"{id}={answer.strip()}" for id, answer in zip(ids, given, strict=True))

    def _ids(self) -> list[str]:
        return [*(item.id for item in self.criteria), *(flag.id for flag in self.flags)]

    @classmethod
    def from_human(cls, text: str) -> RubricSheet:
        """Read a person's answer, such as ``warmth=4, promise=no``."""
        pairs = [part.partition("=") for part in text.split(",") if part.strip()]
        if not pairs or not all(equals and value.strip() for _, equals, value in pairs):
            raise ValueError("write an answer to each question; if there are several, in their order, with commas")
        return sheet_from_words({name.strip().replace(" ", "_"): value.strip() for name, _, value in pairs})

    def most_words(self) -> int:
        """The longest reply: `words` for each criterion and each critical question."""
        return self.words * (len(self.criteria) + len(self.flags))


def _in_plain_words(view: str) -> str:
    """A view without the tags that a model wrote: each marked part begins a line, with its name."""

    def heading(tag: re.Match[str]) -> str:
        return f"\n{_shown(tag[1])}{f' ({tag[2]})' if tag[2] else ''}: "

    return _CLOSING.sub("", _OPENING.sub(heading, view)).replace("\n\n\n", "\n\n")


def _shown(name: str) -> str:
    """A criterion's name as people read and type it."""
    return name.replace("_", " ")


class Preferred(ReplyModel):
    """Which of two is better, reason first."""

    reason: str = Field(min_length=1, description="what decides it, before you choose", json_schema_extra=ASIDE)
    better: Literal["first", "second", "neither"]


class JudgesPair(Prompt[Preferred]):
    """Ask which of two texts is better in one quality. Asked twice, in both orders."""

    template: ClassVar[str] = "judges_pair.md"
    words: ClassVar[int] = 80
    judge: str
    question: str
    context: str
    first: str
    second: str
    first_facts: Facts = Facts()
    second_facts: Facts = Facts()

    @property
    def for_human(self) -> str:
        """Both texts, and how a person chooses."""
        ask = "Write first, second or neither, then : and why, if you like."
        return blocks(self.context, f"First:\n{self.first}", f"Second:\n{self.second}", f"{self.question} {ask}")

    def form_hints(self) -> FormHints:
        """What the choice is called."""
        return FormHints(labels={"better": "Your choice"})

    @classmethod
    def from_human(cls, text: str) -> Preferred:
        """Read a person's answer, such as ``first: it answers the fear``."""
        better, _, reason = text.partition(":")
        values = {"reason": reason.strip() or "a person's choice", "better": better.strip().casefold()}
        return Preferred.model_validate(values)
