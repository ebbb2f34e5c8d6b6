"""What the doctor's side is asked: triage, questions, calling in others, cheating for the sake of the test,
conclusions.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from polyclinic.clinics.patient.rules.questions import QuestionType, type_of
from polyclinic.core.memory import Turn
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel

TypeName = Literal[
    "basic information",
    "chief complaint",
    "detailed symptom",
    "lifestyle",
    "psychological condition",
    "social environment",
    "physical examination",
    "treatment and medication response",
    "preventive health",
    "other",
]
CONCLUDE = "/conclude"


class DoctorSays(ReplyModel):
    """The doctor's next question and its type, or the wish to conclude."""

    question: str = Field(description="one question to the patient; may be empty when you conclude")
    type: TypeName
    conclude: bool = Field(description="true when enough is known for a diagnosis")


class Sent(ReplyModel):
    """Where the patient is sent."""

    reason: str
    discipline: str


class Called(ReplyModel):
    """Which colleagues are wanted, if any."""

    reason: str
    disciplines: list[str] = Field(max_length=3, description="empty when nobody else is needed")


class Conclusion(ReplyModel):
    """The doctor's verdict."""

    reasoning: str = Field(description="what was learned and what it points to")
    diagnosis: str = Field(min_length=1)


class Studied(ReplyModel):
    """Questions worth asking in a case like this."""

    questions: list[str] = Field(max_length=12)


class EarlierTriage(Frozen):
    """A similar complaint and where it was sent."""

    complaint: str
    discipline: str


class Triages(Prompt[Sent]):
    """A complaint is sent to one of the disciplines."""

    template = "triages.md"
    disciplines: tuple[str, ...]
    complaint: str
    earlier: tuple[EarlierTriage, ...]


class Interviewing(BaseModel):
    """What every interviewing doctor has: a discipline, what was said, and questions for reference."""

    discipline: str
    profile: str
    complaint: str
    summary: str
    recent: tuple[Turn, ...]
    asked: tuple[str, ...]
    pool: tuple[str, ...]
    recommended: tuple[str, ...]
    turns_left: int


class AsksQuestion(Prompt[DoctorSays], Interviewing):
    """The doctor asks the next question or concludes."""

    template = "asks_question.md"
    for_human: ClassVar[str] = (
        "You are the doctor. Ask one question at a time, or send the patient for a test by its name. "
        "Type /conclude when you know enough."
    )

    @classmethod
    def from_human(cls, text: str) -> DoctorSays:
        """A person types the question; ``/conclude`` ends the interview."""
        words = text.strip()
        if words.lower().startswith(CONCLUDE):
            return DoctorSays(question="", type="other", conclude=True)
        if not words:
            raise ValueError(f"type a question for the patient, or {CONCLUDE} when you know enough")
        return DoctorSays(question=words, type=type_of(words).value, conclude=False)


class Consults(Prompt[DoctorSays], Interviewing):
    """A doctor who was called in asks a question, or has none."""

    template = "consults.md"
    called_by: str
    reason: str
    notes: tuple[str, ...]


class Recruits(Prompt[Called]):
    """The doctor decides whether colleagues are needed."""

    template = "recruits.md"
    discipline: str
    profile: str
    disciplines: tuple[str, ...]
    present: tuple[str, ...]
    complaint: str
    summary: str
    recent: tuple[Turn, ...]


class Cheats(Prompt[str]):
    """A question that tries to get from the patient what no patient should give."""

    template = "cheats.md"
    trick: str
    exam: bool
    complaint: str
    tests: tuple[str, ...]
    earlier: tuple[str, ...]


class Soothes(Prompt[str]):
    """The doctor deals with a crisis at once."""

    template = "soothes.md"
    for_human: ClassVar[str] = "The patient is in distress. Say what you do about it."
    discipline: str
    complaint: str
    patient_says: str


class Concludes(Prompt[Conclusion]):
    """The doctor gives the diagnosis."""

    template = "concludes.md"
    for_human: ClassVar[str] = "Give your diagnosis and why, as DIAGNOSIS: REASONS."
    discipline: str
    profile: str
    complaint: str
    summary: str
    recent: tuple[Turn, ...]
    notes: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> Conclusion:
        """A person writes ``diagnosis: reasoning``."""
        diagnosis, _, reasoning = text.partition(":")
        if not diagnosis.strip():
            raise ValueError("write DIAGNOSIS: why, for example: migraine: one-sided throbbing headache with nausea")
        return Conclusion(reasoning=reasoning.strip(), diagnosis=diagnosis.strip())


class Advises(Prompt[str]):
    """The doctor tells the patient what happens next."""

    template = "advises.md"
    discipline: str
    complaint: str
    diagnosis: str


class Studies(Prompt[Studied]):
    """A doctor reads a finished case and notes questions that would have brought out what matters."""

    template = "studies.md"
    discipline: str
    expertise: str
    lines: tuple[str, ...]
    tests: tuple[str, ...]


QUESTION_TYPES: tuple[str, ...] = tuple(member.value for member in QuestionType)
