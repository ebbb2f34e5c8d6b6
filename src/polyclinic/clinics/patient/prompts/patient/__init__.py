"""What the patient's side is asked: the complaint, the answers by each method, a crisis."""

from __future__ import annotations

from pydantic import BaseModel, Field

from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.core.memory import Turn
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel


class Known(Frozen):
    """One line of the patient's information: a fact in the informant's words, or a result with its test's name."""

    text: str
    topic: str
    test: str = ""


class Spoken(ReplyModel):
    """What the patient says."""

    answer: str = Field(min_length=1, description="what the patient says, nothing else")


class Thought(ReplyModel):
    """What the patient says, after thinking it through."""

    thoughts: str = Field("", description="step by step: what is asked, which requirements matter, what may be told")
    answer: str = Field(min_length=1, description="what the patient says, nothing else")


class Lines(ReplyModel):
    """Requirement lines that matter for one question."""

    lines: list[str] = Field(description="one requirement each, short and to the point; empty when none matters")


class Plans(ReplyModel):
    """Several ways in which the question could be answered."""

    plans: list[str] = Field(min_length=1, max_length=5, description="one way each, in one sentence")


class Picked(ReplyModel):
    """Which of several candidates is best."""

    reason: str
    number: int = Field(ge=1, description="the number of the best one")


class Blurs(Prompt[str]):
    """The vagueness agent removes results and blurs times."""

    template = "blurs.md"
    lines: tuple[str, ...]


class Complains(Prompt[str]):
    """The patient arrives and says what is the matter."""

    template = "complains.md"
    person: str
    lines: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person who plays the patient starts from."""
        known = "\n".join(f"  - {line}" for line in self.lines)
        return f"You are the patient: {self.person}\nTell the reception what is the matter:\n{known}"


class Attends(Prompt[Lines]):
    """The attention agent picks the key lines out of one chunk of the requirements."""

    template = "attends.md"
    chunk: tuple[str, ...]
    question: str


class Merges(Prompt[Lines]):
    """The attention agent merges the key lines of all chunks."""

    template = "merges.md"
    lines: tuple[str, ...]
    question: str


class Interviewed(BaseModel):
    """What every way of answering has: who one is, what one knows, what was said, what is asked."""

    person: str
    summary: str
    recent: tuple[Turn, ...]
    information: tuple[Known, ...]
    question: str

    @property
    def for_human(self) -> str:
        """What a person who plays the patient has to know to answer this question."""
        known = "\n".join(f"  - {line.test + ': ' if line.test else ''}{line.text}" for line in self.information)
        return f"You are the patient: {self.person}\nWhat you know:\n{known}\nThe doctor asks: {self.question}"


class AnswersAttended(Prompt[Spoken], Interviewed):
    """The patient answers with attention requirements and demonstrations."""

    template = "answers_attended.md"
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]


class AnswersOverall(Prompt[Thought], Interviewed):
    """The patient answers with all the requirements, thinking first when told to, along a plan when there is one."""

    template = "answers_overall.md"
    requirements: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]
    think: bool
    plan: str


class Thinks(Prompt[Plans], Interviewed):
    """The patient proposes ways to answer (the branches of a tree of thoughts)."""

    template = "thinks.md"
    requirements: tuple[str, ...]


class PicksAnswer(Prompt[Picked]):
    """The patient picks among candidates: plans to follow, or answers to give."""

    template = "picks_answer.md"
    requirements: tuple[str, ...]
    question: str
    candidates: tuple[str, ...]


class Aligns(Prompt[Thought], Interviewed):
    """The patient answers by principles, saying first which of them apply."""

    template = "aligns.md"
    principles: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...]


class Panics(Prompt[str]):
    """The patient interrupts with something urgent."""

    template = "panics.md"
    person: str
    complaint: str
