"""What the judges read out of a transcript: the exchanges of the interview, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from polyclinic.clinics.patient.rules.meaning import Exchange
from polyclinic.clinics.patient.rules.nodes import Material, material
from polyclinic.clinics.patient.rules.notes import Validated
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.judge import Bench, Case
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Said, Transcript


@dataclass(frozen=True)
class Heard:
    """One question and its answer as the transcript has them."""

    round: int
    question: str
    answer: str
    by: str
    type: str
    cheat: bool
    data: dict[str, Any]

    @property
    def exchange(self) -> Exchange:
        """What is read of it."""
        return Exchange(
            question=self.question,
            answer=self.answer,
            asked_before=tuple(self.data.get("asked_before", ())),
            cheat=self.cheat,
            considered=tuple(self.data.get("considered", ())),
        )


class Replied(Facts):
    """One answer to one question, for the offline judge of duels."""

    question: str
    answer: str


def heard(transcript: Transcript) -> list[Heard]:
    """The exchanges, in order. Complaint, crisis and conclusion are not among them."""
    found: list[Heard] = []
    asked: Said | None = None
    for said in transcript.said():
        if said.data.get("crisis") or "round" not in said.data:
            continue
        if said.speaker == "doctor":
            asked = said
        elif asked is not None and said.data["round"] == asked.data["round"]:
            found.append(
                Heard(
                    round=asked.data["round"],
                    question=asked.text,
                    answer=said.text,
                    by=asked.data["by"],
                    type=asked.data["type"],
                    cheat=asked.data["cheat"],
                    data=said.data,
                )
            )
            asked = None
    return found


_READ: WeakKeyDictionary[Transcript, list[Material]] = WeakKeyDictionary()


async def read_exchanges(case: Case[PatientScenario], bench: Bench) -> list[Material]:
    """What all exchanges were read to mean. Three judges need it; a transcript is read once."""
    if case.transcript not in _READ:
        items = heard(case.transcript)
        _READ[case.transcript] = [await material(bench.reads, record_of(case), item.exchange) for item in items]
    return _READ[case.transcript]


def record_of(case: Case[PatientScenario]) -> Record:
    """The record the patient lives."""
    return case.scenario.record


def learned_from(transcript: Transcript) -> bool:
    """Whether the case was one to learn from, so that its questions count too."""
    return bool(transcript.notes(Validated))
