"""What the judges read out of a transcript: the exchanges of the interview, in order."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from polyclinic.clinics.patient.rules.nodes import Material, material
from polyclinic.clinics.patient.rules.notes import AnswerGiven, QuestionAsked
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.judge import Bench, Case
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Transcript


@dataclass(frozen=True)
class HeardExchange:
    """One question and its answer as the transcript has them."""

    question: str
    answer: str
    asked: QuestionAsked
    given: AnswerGiven

    @property
    def round(self) -> int:
        """The number of the question."""
        return self.asked.round

    @property
    def cheat(self) -> bool:
        """Whether it is a cheat question."""
        return self.asked.cheat

    @property
    def exchange(self) -> Exchange:
        """The question and answer as input for the reader."""
        return Exchange(
            question=self.question,
            answer=self.answer,
            asked_before=self.given.asked_before,
            cheat=self.asked.cheat,
            considered=self.given.considered,
        )


class Replied(Facts):
    """One answer to one question, for the offline judge of duels."""

    question: str
    answer: str


def heard(transcript: Transcript) -> list[HeardExchange]:
    """The exchanges, in order. Complaint, crisis and conclusion are not among them."""
    found: list[HeardExchange] = []
    question, asked = "", None
    for said in transcript.said():
        if said.speaker == "doctor":
            latest = said.get(QuestionAsked)
            question, asked = (said.text, latest) if latest is not None else (question, asked)
        elif asked is not None and (given := said.get(AnswerGiven)) is not None and given.round == asked.round:
            found.append(HeardExchange(question=question, answer=said.text, asked=asked, given=given))
            asked = None
    return found


def scored(case: Case[PatientScenario]) -> list[HeardExchange]:
    """The exchanges that count: none of a case that only prepares for an exam."""
    return [] if case.scenario.practice else heard(case.transcript)


_READ: WeakKeyDictionary[Transcript, list[Material]] = WeakKeyDictionary()


async def read_exchanges(case: Case[PatientScenario], bench: Bench) -> list[Material]:
    """What the reader found in all exchanges. Three judges need it, so it is cached for each transcript."""
    if case.transcript not in _READ:
        items = heard(case.transcript)
        _READ[case.transcript] = [await material(bench.reads, record_of(case), item.exchange) for item in items]
    return _READ[case.transcript]


def record_of(case: Case[PatientScenario]) -> Record:
    """The patient's record."""
    return case.scenario.record
