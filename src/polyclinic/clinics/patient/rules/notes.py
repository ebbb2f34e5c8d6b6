"""What an interview notes for its judges and its report, besides the words that were said."""

from __future__ import annotations

from dataclasses import field

from polyclinic.clinics.patient.rules.leaks import Leak
from polyclinic.clinics.patient.rules.meaning import Answered, AskedFor
from polyclinic.clinics.patient.rules.recruitment import Call
from polyclinic.core.note import InRound, Note, Payload
from polyclinic.core.value import Value


class QuestionAsked(InRound):
    """A doctor's question: its type, whether it is a cheat question, and the discipline of the doctor.

    `played_by`: the role that asks a cheat question in the doctor's name.
    """

    type: str
    cheat: bool
    by: str
    played_by: str | None = None


class InCrisis(Payload):
    """A line of a crisis: the patient's, or the doctor's answer with the doctor's discipline."""

    crisis: bool
    by: str | None = None


class DiagnosisTold(Payload):
    """The diagnosis, and the discipline of the doctor who gives it."""

    by: str
    diagnosis: str


class AdviceTold(Payload):
    """What happens next, and the discipline of the doctor who says it."""

    by: str
    advice: bool


class InterviewEnded(Payload):
    """The diagnosis, the discipline that the patient was sent to, and how many questions it took."""

    diagnosis: str
    discipline: str
    rounds: int


class PhaseBegun(Note):
    """A phase of the interview begins."""

    topic = "phase"
    name: str


class ComplaintBlurred(Note):
    """What the record says about the arrival, and what is left of it after blurring."""

    topic = "vagueness"
    before: tuple[str, ...]
    after: tuple[str, ...]


class Triaged(Note):
    """Where the complaint was sent, whether there is such a discipline, and how many earlier triages were shown."""

    topic = "triage"
    discipline: str
    reason: str
    known: bool
    earlier: int


class ConcludedEarly(Note):
    """The doctor concluded before the last turn."""

    topic = "conclude early"
    turn: int


class AskedAlready(Note):
    """A doctor's question that was asked before, and that earlier question. The doctor is asked for another one."""

    topic = "asked already"
    question: str
    earlier: str


class Recruited(Note):
    """Who called in whom, the topological order of the doctors, and the order in which they came."""

    topic = "recruitment"
    topology: str
    calls: tuple[Call, ...]
    order: tuple[str, ...]
    heard: tuple[str, ...]


class Consulted(Note):
    """A colleague was called in. `notes_from`: the doctors whose notes this colleague saw."""

    topic = "consults"
    doctor: str
    notes_from: tuple[str, ...]


class AnswerSources(Value):
    """The sources and the cost of an answer."""

    round: int
    cheat: bool
    method: str
    relevance: float
    tokens: int
    calls: int
    context_chars: int
    given: tuple[str, ...]
    entries: tuple[str, ...]
    asked_before: tuple[str, ...] = ()


class Considered(Payload):
    """The facts of the record that a question could be about."""

    considered: tuple[str, ...] = ()


class AnswerGiven(AnswerSources, Considered):
    """What is stored with an answer of the patient."""


class Rival(Note, AnswerSources):
    """What the rival method answers to the same question."""

    topic = "rival"
    text: str


class Understood(Note):
    """What the reader found in one exchange: in the question, in the answer, and what the answer gave away."""

    topic = "understood"
    round: int
    asked: AskedFor
    answered: Answered
    leaks: tuple[Leak, ...] = ()
    scores: dict[str, bool] = field(default_factory=dict)


class Concluded(Note):
    """The doctor's diagnosis, and whether it is the record's."""

    topic = "concluded"
    diagnosis: str
    right: bool


class Validated(Note):
    """The verdicts on one exchange that were made for learning."""

    topic = "validated"
    round: int
    cheat: bool
    faithfulness: int
    robustness: int
    specificity: int
    targetedness: int
    professionalism: int
    path: tuple[str, ...]


class Taught(Note):
    """What a case changed in the libraries: new answers, new steps, and removed entries."""

    topic = "learned"
    case: int
    attention: int
    trajectories: int
    removed: tuple[str, ...]
