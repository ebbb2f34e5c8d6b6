"""What the patient's side is asked: the complaint, the answers by each method, a crisis. Speech is plain text."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, Field

from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.scenario.record import headed
from polyclinic.core.form import FormHints
from polyclinic.core.memory import Turn
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel, with_choices

NONE = "none"


class Known(Frozen):
    """One line of the patient's information: a fact in the informant's words, or a result with its test's name."""

    text: str
    topic: str
    test: str = ""

    @property
    def as_told(self) -> str:
        """The line with the heading of its topic."""
        return headed(self.topic, self.text)


class Player(Facts):
    """How an offline player plays: in which voice, and how readily it learns from what it is shown."""

    voice: str = "first"
    uptake: float = 1.0


class Memory(Facts):
    """The talk so far, for offline players; a language model gets the same turns as messages."""

    summary: str = ""
    recent: tuple[Turn, ...] = ()


class Thought(ReplyModel):
    """What the patient says, after thinking it through."""

    thoughts: str = Field(json_schema_extra={"maxLength": 400})
    answer: str = Field(min_length=1, max_length=1000, description="the words you say to the doctor")


class Plans(ReplyModel):
    """Three ways in which the question could be answered."""

    first: str = Field(min_length=1, max_length=200)
    second: str = Field(min_length=1, max_length=200)
    third: str = Field(min_length=1, max_length=200)

    @property
    def all(self) -> tuple[str, ...]:
        """The plans, each once."""
        return tuple(dict.fromkeys((self.first, self.second, self.third)))


class Picked(ReplyModel):
    """Which of several candidates is best."""

    reason: str = Field(json_schema_extra={"maxLength": 200})
    number: int = Field(ge=1)


def lines_of(text: str) -> tuple[str, ...]:
    """A reply of one thing in each line: marks and numbers before the words go, and so does the word "none"."""
    found = (line.strip().lstrip("-*•0123456789.) ").strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in found if line and line.strip(".").casefold() != NONE))


class Blurs(Prompt[str]):
    """The vagueness agent removes results and blurs times."""

    template = "blurs.md"
    words: ClassVar[int] = 120
    lines: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person is asked instead of a program."""
        known = "\n".join(f"- {line}" for line in self.lines)
        return f"{known}\n\nSay this again without results and with vague times."


class Complains(Prompt[str]):
    """The patient arrives and says what is the matter."""

    template = "complains.md"
    words: ClassVar[int] = 60
    person: str
    lines: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient starts from."""
        known = "\n".join(f"- {line}" for line in self.lines)
        return f"You are the patient: {self.person}\n\n{known}\n\nTell the reception what is the matter."


class Attends(Prompt[str]):
    """The attention agent picks the key lines out of one chunk of the requirements, one in each line."""

    template = "attends.md"
    words: ClassVar[int] = 80
    chunk: tuple[str, ...]
    question: str

    @property
    def for_human(self) -> str:
        """What a person is asked instead of a program."""
        known = "\n".join(f"- {line}" for line in self.chunk)
        return f"{known}\n\nWhich of these matter for “{self.question}”?"


class Merges(Prompt[str]):
    """The attention agent merges the key lines of all chunks, one in each line."""

    template = "merges.md"
    words: ClassVar[int] = 60
    lines: tuple[str, ...]
    question: str

    @property
    def for_human(self) -> str:
        """What a person is asked instead of a program."""
        known = "\n".join(f"- {line}" for line in self.lines)
        return f"{known}\n\nSay what matters for “{self.question}” in one line."


class Interviewed(BaseModel):
    """What every way of answering has: who one is, what one knows, what was said, what is asked."""

    person: str
    earlier: str
    information: tuple[Known, ...]
    heard: str
    question: str
    memory: Memory
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient has to know to answer this question."""
        known = "\n".join(f"- {line.test + ': ' if line.test else ''}{line.text}" for line in self.information)
        return f"You are the patient: {self.person}\n\nWhat you know about it:\n{known}\n\nAnswer the doctor."


class AnswersAttended(Prompt[str], Interviewed):
    """The patient answers with attention requirements and demonstrations."""

    template = "answers_attended.md"
    words: ClassVar[int] = 60
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]


class AnswersOverall(Prompt[str], Interviewed):
    """The patient answers with all the requirements, along a plan when there is one."""

    template = "answers_overall.md"
    words: ClassVar[int] = 60
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]
    plan: str


class AnswersStepwise(Prompt[Thought], Interviewed):
    """The patient answers with all the requirements, thinking first."""

    template = "answers_stepwise.md"
    words: ClassVar[int] = 110
    requirements: tuple[str, ...]

    def form_hints(self) -> FormHints:
        """Only the answer."""
        return FormHints(hidden=("thoughts",), labels={"answer": "What you say"})

    @classmethod
    def from_human(cls, text: str) -> Thought:
        """A person keeps the thoughts to themselves."""
        return Thought(thoughts="", answer=text.strip())


class Thinks(Prompt[Plans], Interviewed):
    """The patient proposes ways to answer (the branches of a tree of thoughts)."""

    template = "thinks.md"
    words: ClassVar[int] = 70
    requirements: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> Plans:
        """A person has one plan: what they are going to say."""
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
        """The candidates, by number."""
        known = "\n".join(f"{number}. {words}" for number, words in enumerate(self.candidates, 1))
        return f"{known}\n\nWhich answers “{self.question}” best? Type its number."

    def reply_form(self) -> type[Picked]:
        """As many numbers as there are candidates."""
        count = len(self.candidates)
        return with_choices(Picked, f"PickedOf{count}", number=tuple(range(1, count + 1)))

    def form_hints(self) -> FormHints:
        """The candidates to choose from."""
        numbered = {str(number): words for number, words in enumerate(self.candidates, 1)}
        asked = f"Which answers “{self.question}” best?"
        return FormHints(ask=asked, hidden=("reason",), choices={"number": numbered}, labels={"number": "The best"})

    @classmethod
    def from_human(cls, text: str) -> Picked:
        """A person types the number."""
        if not text.strip().isdigit():
            raise ValueError("type the number of the answer that you choose")
        return Picked(reason="", number=int(text))


class Aligns(Prompt[Thought], Interviewed):
    """The patient answers by principles, saying first which of them apply."""

    template = "aligns.md"
    words: ClassVar[int] = 110
    principles: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]

    def form_hints(self) -> FormHints:
        """Only the answer."""
        return FormHints(hidden=("thoughts",), labels={"answer": "What you say"})

    @classmethod
    def from_human(cls, text: str) -> Thought:
        """A person keeps the thoughts to themselves."""
        return Thought(thoughts="", answer=text.strip())


class Panics(Prompt[str]):
    """The patient interrupts with something urgent."""

    template = "panics.md"
    words: ClassVar[int] = 30
    person: str
    complaint: str
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the patient does now."""
        return (
            f"You came because of: {self.complaint}\n\nIt suddenly gets worse. Interrupt, and say what happens to you."
        )
