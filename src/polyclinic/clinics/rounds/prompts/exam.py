"""An exam question for the tutor's model: it tests what the model knows without any teaching."""

from __future__ import annotations

import re
from typing import ClassVar

from polyclinic.core.message import Image
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable
from polyclinic.text.layout import blocks

_LETTER = re.compile(r"\b([A-J])\b(?![a-z'])")


class AnswersExam(Prompt[str]):
    """One question with lettered options; the letter of the answer is read from the end of the reply."""

    template: ClassVar[str] = "answers_exam.md"
    words: ClassVar[int] = 120
    question: str
    options: dict[str, str]
    pictures: tuple[Image, ...] = ()

    @property
    def for_human(self) -> str:
        """What is shown to a person who takes the exam."""
        options = [f"{letter}. {words}" for letter, words in self.options.items()]
        return blocks(self.question, "\n".join(options), "Write the letter of your answer.")

    def letter(self, reply: str) -> str:
        """The option that a reply names last; empty where it names none."""
        found = [letter for letter in _LETTER.findall(reply) if letter in self.options]
        return found[-1] if found else ""

    def check(self, reply: str) -> None:
        """Refuses a reply without any of the letters, so that the question is asked again."""
        if not self.letter(reply):
            raise Unreadable(f"end with the letter of your answer: one of {', '.join(self.options)}")
