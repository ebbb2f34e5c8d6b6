"""The end of a learning case: exchanges are validated, good ones are added to the libraries, and bad entries are
removed.
"""

from __future__ import annotations

from polyclinic.clinics.patient.evolve import (
    Judged,
    correct,
    learn_attention,
    learn_pool,
    learn_trajectories,
    learn_triage,
)
from polyclinic.clinics.patient.flow.room import Room
from polyclinic.clinics.patient.rules.nodes import material
from polyclinic.clinics.patient.rules.notes import Taught, Validated
from polyclinic.clinics.patient.state import CaseTaught
from polyclinic.clinics.patient.tools.validation import judge_answer, judge_question

UNIVERSAL = "universal"


async def learn(room: Room) -> None:
    """Validate every exchange, add good ones to the libraries, and remove entries that have failed twice."""
    episode, record, case = room.episode, room.scenario.record, room.episode.spec.position
    judged: list[Judged] = []
    for item in room.interview.exchanges:
        read = await material(episode.reads, record, item)
        judged.append(Judged(exchange=item, answer=judge_answer(read), question=judge_question(read)))
    removed = correct(episode, judged)
    new = learn_attention(episode, judged, case, record.disease.name)
    steps = learn_trajectories(episode, judged, case, record.disease.name)
    if room.interview.complaint:
        learn_triage(episode, room.interview.complaint, record.disease.discipline, case)
        await study(room, case)
    for found in judged:
        episode.note(
            Validated(
                round=found.exchange.round,
                cheat=found.exchange.cheat,
                faithfulness=found.answer.faithfulness,
                robustness=found.answer.robustness,
                specificity=found.question.specificity,
                targetedness=found.question.targetedness,
                professionalism=found.question.professionalism,
                path=(*found.answer.path, *found.question.path),
            )
        )
    episode.effect(CaseTaught(case=case, wave=episode.spec.wave, new=new + steps))
    episode.note(Taught(case=case, attention=new, trajectories=steps, removed=tuple(removed)))


async def study(room: Room, case: int) -> None:
    """The case is over: the doctors read its record and note questions for the pool."""
    record = room.scenario.record
    readers = list(dict.fromkeys([record.disease.discipline, *record.disease.consult]))
    rows = {reader: await room.doctors.studies(reader, record) for reader in readers}
    shared = [question for question in rows[readers[0]] if any(question in rows[other] for other in readers[1:])]
    rows = {UNIVERSAL: shared, **{reader: [q for q in found if q not in shared] for reader, found in rows.items()}}
    learn_pool(room.episode, room.interview.complaint, rows, case)
