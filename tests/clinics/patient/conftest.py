from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pytest

from polyclinic.clinics.patient.prompts.patient.answers import AnswersOverall
from polyclinic.clinics.patient.prompts.patient.facts import KnownFact, Player, TalkSoFar
from polyclinic.clinics.patient.readings import READINGS
from polyclinic.clinics.patient.rules.disclosure import brief, nearest
from polyclinic.clinics.patient.rules.meaning import read_question
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.scenario.record import Fact, Record
from polyclinic.clinics.patient.understudies.patient import PatientUnderstudy
from polyclinic.core.model import Request, Settings
from polyclinic.core.reading import Finding, Question, Reads
from polyclinic.core.understudy import Ask
from polyclinic.reading.reader import BuiltInReader


@lru_cache(maxsize=1)
def reader() -> BuiltInReader:
    return BuiltInReader({kind.name: kind for kind in READINGS})


async def built_in(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    return tuple(Finding(*reader().read(text, question)) for question in questions)


@pytest.fixture
def reads() -> Reads:
    """The built-in reader, called as flow and judges call it."""
    return built_in


async def says(
    reads: Reads,
    case: Record,
    question: str,
    *shown: Demonstration,
    uptake: float = 1.0,
    seed: int = 1,
    speaks: str = "first",
    known: Sequence[Fact] = (),
    rules: Sequence[str] = (),
) -> str:
    """What the offline patient says when it gets the same input as from the flow, or these facts only. Only these rules
    may warn it of tricks.
    """
    near = nearest(case, question, lambda text, others: [reader().likeness(text, other) for other in others])
    given = brief(case, question, await read_question(reads, case, question, near), near)
    prompt = AnswersOverall(
        person="a calm person",
        earlier="",
        information=tuple(
            KnownFact(text=fact.text, topic=fact.topic.value, test=fact.test)
            for fact in (known or (*given.facts, *given.results))
        ),
        heard="",
        question=question,
        memory=TalkSoFar(),
        player=Player(voice=speaks, uptake=uptake),
        requirements=tuple(rules),
        demonstrations=shown,
        plan="",
    )
    request = Request("patient", prompt, tuple(prompt.render()), (), Settings(seed=seed), "e")
    return str(PatientUnderstudy().play(Ask(prompt, request, {}, reader())))
