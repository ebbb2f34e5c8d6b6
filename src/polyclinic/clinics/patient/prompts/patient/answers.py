"""How the patient answers a question, by each method. Speech is plain text."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from polyclinic.clinics.patient.prompts.patient.facts import KnownFact, Player, TalkSoFar
from polyclinic.clinics.patient.prompts.patient.replies import Picked, Plans, Thought
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import with_choices
from polyclinic.text.layout import blocks, bullets


class Interviewed(BaseModel):
    """The fields of every answering prompt: who the patient is, what it knows, what was said, and the question.

    `child` is "son" or "daughter" if a parent speaks for the patient, and empty otherwise.
    """

    person: str
    child: str = ""
    earlier: str
    information: tuple[KnownFact, ...]
    heard: str
    question: str
    memory: TalkSoFar
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient has to know to answer this question."""
        known = [f"{line.test}: {line.text}" if line.test else line.text for line in self.information]
        head = f"You are the patient: {self.person}"
        return blocks(head, f"What you know about it:\n{bullets(known)}", "Answer the doctor.")


class AnswersAttended(Prompt[str], Interviewed):
    """The patient answers with attention requirements and demonstrations."""

    template = "answers_attended.md"
    words: ClassVar[int] = 60
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]


class AnswersOverall(Prompt[str], Interviewed):
    """The patient answers; the prompt holds all requirements, and a plan if there is one."""

    template = "answers_overall.md"
    words: ClassVar[int] = 60
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]
    plan: str


class ThinksFirst(Prompt[Thought], Interviewed):
    """The patient answers after thinking. A person does not write the thoughts down."""

    def form_hints(self) -> FormHints:
        """The form for a person has only the answer."""
        return FormHints(hidden=("thoughts",), labels={"answer": "What you say"})

    @classmethod
    def from_human(cls, text: str) -> Thought:
        """Read the answer that a person typed; the thoughts stay empty."""
        return Thought(thoughts="", answer=text.strip())


class AnswersStepwise(ThinksFirst):
    """The patient answers with all the requirements, thinking first."""

    template = "answers_stepwise.md"
    words: ClassVar[int] = 110
    requirements: tuple[str, ...]


class Aligns(ThinksFirst):
    """The patient answers by principles, saying first which of them apply."""

    template = "aligns.md"
    words: ClassVar[int] = 110
    principles: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]


class Thinks(Prompt[Plans], Interviewed):
    """The patient proposes ways to answer (the branches of a tree of thoughts)."""

    template = "thinks.md"
    words: ClassVar[int] = 70
    requirements: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> Plans:
        """Read the one plan that a person typed; it counts as all three plans."""
        return Plans(first=text.strip(), second=text.strip(), third=text.strip())


class PicksAnswer(Prompt[Picked]):
    """The patient picks among candidates: plans to follow, or answers to give."""

    template = "picks_answer.md"
    words: ClassVar[int] = 30
    requirements: tuple[str, ...]
    question: str
    candidates: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """The candidates with their numbers."""
        known = "\n".join(f"{number}. {words}" for number, words in enumerate(self.candidates, 1))
        return f"{known}\n\nWhich answers “{self.question}” best? Type its number."

    def reply_form(self) -> type[Picked]:
        """The reply schema; it allows only the numbers of the candidates."""
        count = len(self.candidates)
        return with_choices(Picked, f"PickedOf{count}", number=tuple(range(1, count + 1)))

    def form_hints(self) -> FormHints:
        """The form for a person: a list of the candidates."""
        numbered = {str(number): words for number, words in enumerate(self.candidates, 1)}
        asked = f"Which answers “{self.question}” best?"
        return FormHints(ask=asked, hidden=("reason",), choices={"number": numbered}, labels={"number": "The best"})

    @classmethod
    def from_human(cls, text: str) -> Picked:
        """Read the number that a person typed."""
        if not text.strip().isdigit():
            raise ValueError("type the number of the answer that you choose")
        return Picked(reason="", number=int(text))
