"""One answer of the patient: the data that every prompt about its question needs, its cost, and its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeVar

from polyclinic.clinics.patient.prompts.patient.facts import KnownFact, Player, TalkSoFar
from polyclinic.clinics.patient.rules.disclosure import Briefing
from polyclinic.clinics.patient.state import Interview
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.agent import Answer
from polyclinic.core.message import Message

R = TypeVar("R")


@dataclass
class _CommonToAnswers(TypedDict):
    """What every prompt for one answer holds."""

    person: str
    child: str
    earlier: str
    heard: str
    information: tuple[KnownFact, ...]
    question: str
    memory: TalkSoFar
    player: Player


class Bill:
    """What an answer has cost so far, and which requirements and library entries it used."""

    tokens: int = 0
    calls: int = 0
    context_chars: int = 0
    requirements: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


@dataclass
class SpokenAnswer:
    """An answer, its sources and its cost."""

    text: str
    method: str
    briefing: Briefing
    relevance: float
    bill: Bill


def paid(bill: Bill, reply: Answer[R], messages: Sequence[Message]) -> Answer[R]:
    """Add the cost of a model call to the bill."""
    bill.tokens += reply.call.usage.input_tokens + reply.call.usage.output_tokens
    bill.calls += 1
    bill.context_chars = max(bill.context_chars, sum(len(message.content) for message in messages))
    return reply


class QuestionAtHand:
    """One question with the data that every prompt about it needs."""

    def __init__(
        self,
        question: str,
        interview: Interview,
        variant: PatientVariant,
        briefing: Briefing,
        person: str,
        child: str,
        player: Player,
    ) -> None:
        self.question, self.variant = question, variant
        talk = interview.told_to("patient")
        self.history = talk.history
        information = [KnownFact(text=fact.text, topic=fact.topic.value) for fact in briefing.facts]
        information += [KnownFact(text=fact.text, topic=fact.topic.value, test=fact.test) for fact in briefing.results]
        self.common: _CommonToAnswers = {
            "person": person,
            "child": child,
            "earlier": talk.earlier,
            "heard": talk.heard,
            "information": tuple(information),
            "question": question,
            "memory": TalkSoFar(summary=talk.summary, recent=talk.turns),
            "player": player,
        }
