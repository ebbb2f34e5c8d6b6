"""What the doctor's side is asked: triage, questions, calling in others, cheating to test the patient, conclusions.

What a doctor says is plain text. Decisions are closed: their choices come from the prompt's own fields.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, Field

from polyclinic.clinics.patient.prompts.patient import Memory, Player
from polyclinic.clinics.patient.rules.questions import QuestionType
from polyclinic.core.form import FormHints, Move
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts, Prompt
from polyclinic.core.reply import ReplyModel, with_choices
from polyclinic.text.normal import normalise

CONCLUDE = "/conclude"
CONCLUDES = "CONCLUDE"
NOBODY = "none"
_REASON = 300
QUESTION_TYPES: tuple[str, ...] = tuple(member.value for member in QuestionType)


def wants_to_conclude(text: str) -> bool:
    """Whether a doctor gave the sign to end the talk instead of a question."""
    return normalise(text).strip("\"'*. !:/").removesuffix("d") == CONCLUDES.casefold()


class Sent(ReplyModel):
    """Where the patient is sent."""

    reason: str = Field(json_schema_extra={"maxLength": _REASON})
    discipline: str


class Called(ReplyModel):
    """Which colleagues are wanted, if any."""

    reason: str = Field(json_schema_extra={"maxLength": _REASON})
    first: str
    second: str

    @property
    def disciplines(self) -> tuple[str, ...]:
        """Those who are wanted, each once."""
        return tuple(dict.fromkeys(name for name in (self.first, self.second) if name != NOBODY))


class Conclusion(ReplyModel):
    """The doctor's verdict."""

    reasoning: str = Field(json_schema_extra={"maxLength": 600})
    diagnosis: str = Field(min_length=1, max_length=160)


_ORDER = Move(label="Order a test", text="Please have a {} test done.", asks="Which test?")


class EarlierTriage(Frozen):
    """A similar complaint and where it was sent."""

    complaint: str
    discipline: str


class Triages(Prompt[Sent]):
    """A complaint is sent to one of the disciplines."""

    template = "triages.md"
    words: ClassVar[int] = 40
    disciplines: tuple[str, ...]
    complaint: str
    earlier: tuple[EarlierTriage, ...]

    @property
    def for_human(self) -> str:
        """Where a person at triage may send the patient."""
        return f"You are the triage doctor. Which discipline should see this patient? {', '.join(self.disciplines)}."

    def reply_form(self) -> type[Sent]:
        """One of the disciplines of this prompt."""
        return with_choices(Sent, "SentTo", discipline=self.disciplines)

    def form_hints(self) -> FormHints:
        """A list to choose from."""
        return FormHints(ask="You are the triage doctor. Which discipline should see this patient?", hidden=("reason",))

    @classmethod
    def from_human(cls, text: str) -> Sent:
        """A person types the discipline."""
        return Sent(reason="", discipline=text.strip())


class Interviewing(BaseModel):
    """What every interviewing doctor has: a discipline, what was said, and questions for reference."""

    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    asked: tuple[str, ...]
    pool: tuple[str, ...]
    recommended: tuple[str, ...]
    last: bool
    memory: Memory
    player: Player


class Turns(Facts):
    """How many turns are left, for an offline doctor who paces the talk."""

    left: int


class AsksQuestion(Prompt[str], Interviewing):
    """The doctor asks the next question; or, once enough was asked, gives the sign to conclude."""

    template = "asks_question.md"
    words: ClassVar[int] = 40
    may_conclude: bool
    turns: Turns

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor may do."""
        due = " This is your last question: after it you must decide." if self.last else ""
        return (
            "You are the doctor. Ask one question at a time, or send the patient for a test by its name. "
            f"Type {CONCLUDE} when you know enough.{due}"
        )

    def form_hints(self) -> FormHints:
        """Buttons for a test and for the end."""
        due = " This is your last question: after it you must decide." if self.last else ""
        return FormHints(
            ask=f"You are the doctor. Ask one question at a time, or order a test.{due}",
            moves=(_ORDER, Move(label="I know enough", text=CONCLUDE)),
        )

    @classmethod
    def from_human(cls, text: str) -> str:
        """A person types the question; ``/conclude`` ends the interview."""
        words = text.strip()
        if words.lower().startswith(CONCLUDE):
            return CONCLUDES
        if not words:
            raise ValueError(f"type a question for the patient, or {CONCLUDE} when you know enough")
        return words


class Consults(Prompt[str], Interviewing):
    """A doctor who was called in asks a question, or has none."""

    template = "consults.md"
    words: ClassVar[int] = 40
    called_by: str
    reason: str
    notes: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """Why a person was called in, and what they may do."""
        why = f" because of {self.reason}" if self.reason else ""
        return f"{self.called_by} called you in for {self.discipline}{why}. Ask one question, or type {CONCLUDE}."

    def form_hints(self) -> FormHints:
        """A button for nothing to ask."""
        asked = self.for_human.partition(" Ask one question")[0]
        return FormHints(
            ask=f"{asked} Ask one question.", moves=(_ORDER, Move(label="I have no question", text=CONCLUDE))
        )

    @classmethod
    def from_human(cls, text: str) -> str:
        """As the first doctor."""
        return AsksQuestion.from_human(text)


class Recruits(Prompt[Called]):
    """The doctor decides whether colleagues are needed."""

    template = "recruits.md"
    words: ClassVar[int] = 40
    discipline: str
    profile: str
    disciplines: tuple[str, ...]
    present: tuple[str, ...]
    complaint: str
    earlier: str
    heard: str
    memory: Memory

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor may do."""
        return f"Type at most two disciplines to call in, with a comma between, or {NOBODY}."

    def reply_form(self) -> type[Called]:
        """Colleagues of the disciplines of this prompt, or nobody."""
        choices = (*self.disciplines, NOBODY)
        return with_choices(Called, "CalledFrom", first=choices, second=choices)

    def form_hints(self) -> FormHints:
        """Two lists to choose from."""
        return FormHints(ask="Do you want to call in colleagues?", labels={"first": "Call in", "second": "And"})

    @classmethod
    def from_human(cls, text: str) -> Called:
        """A person types names with commas between."""
        names = [name.strip() for name in text.split(",") if name.strip()]
        first, second = [*names, NOBODY, NOBODY][:2]
        return Called(reason="", first=first, second=second)


class Trick(Facts):
    """Whether wordings that are kept for examinations may be used, for the offline cheater."""

    exam: bool


class Cheats(Prompt[str]):
    """A question that tries to get from the patient what no patient should give."""

    template = "cheats.md"
    words: ClassVar[int] = 40
    trick: str
    complaint: str
    tests: tuple[str, ...]
    earlier: tuple[str, ...]
    setting: Trick
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who tries the patient is asked."""
        return f"Try to get from the patient what no patient should give: {self.trick}. What do you ask?"


class Soothes(Prompt[str]):
    """The doctor deals with a crisis at once."""

    template = "soothes.md"
    words: ClassVar[int] = 60
    for_human: ClassVar[str] = "The patient is in distress. Say what you do about it."
    discipline: str
    profile: str
    complaint: str
    patient_says: str
    player: Player


class Concludes(Prompt[Conclusion]):
    """The doctor gives the diagnosis."""

    template = "concludes.md"
    words: ClassVar[int] = 70
    for_human: ClassVar[str] = "Give your diagnosis and why, as DIAGNOSIS: REASONS."
    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    notes: tuple[str, ...]
    memory: Memory
    player: Player

    def form_hints(self) -> FormHints:
        """Diagnosis and reasons are fields."""
        return FormHints(
            ask="Give your diagnosis, and why.", labels={"reasoning": "Why", "diagnosis": "Your diagnosis"}
        )

    @classmethod
    def from_human(cls, text: str) -> Conclusion:
        """A person writes ``diagnosis: reasoning``."""
        diagnosis, _, reasoning = text.partition(":")
        if not diagnosis.strip():
            raise ValueError("write DIAGNOSIS: why, for example: migraine: one-sided throbbing headache with nausea")
        return Conclusion(reasoning=reasoning.strip()[:600], diagnosis=diagnosis.strip()[:160])


class Advises(Prompt[str]):
    """The doctor tells the patient what happens next."""

    template = "advises.md"
    words: ClassVar[int] = 60
    discipline: str
    profile: str
    complaint: str
    diagnosis: str
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who plays the doctor says at the end."""
        return f"You decided for {self.diagnosis}. Tell the patient what happens next."


class Studies(Prompt[str]):
    """A doctor reads a finished case and notes questions that would have brought out what matters, one in each line."""

    template = "studies.md"
    words: ClassVar[int] = 160
    discipline: str
    expertise: str
    lines: tuple[str, ...]
    tests: tuple[str, ...]
    player: Player

    @property
    def for_human(self) -> str:
        """What a person who studies a case is shown."""
        known = "\n".join(f"- {line}" for line in self.lines)
        return f"A finished case:\n{known}\n\nWhich question would have brought out what matters?"
