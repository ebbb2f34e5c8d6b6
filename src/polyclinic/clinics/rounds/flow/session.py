"""The patient presents, students report privately, the tutor guides after review, students ask, the patient answers
once; up to five rounds. Each student answers the case privately before and after.
"""

from __future__ import annotations

from polyclinic.clinics.rounds.agents import Author, Learner, Patient, Specialist, Supervisor, Tutor
from polyclinic.clinics.rounds.flow.asking import explore, patient_says
from polyclinic.clinics.rounds.flow.guiding import guide, review_board
from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import Present
from polyclinic.clinics.rounds.prompts.replies import StudentChoice
from polyclinic.clinics.rounds.rules.heard import StudentHeard, hear_student, settled_on
from polyclinic.clinics.rounds.rules.matching import match_persona
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, RoomOpened, Seated, TaughtCase, When
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.choose import unseen_case
from polyclinic.clinics.rounds.state import Room
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.episode import Episode
from polyclinic.core.note import RoundBegan
from polyclinic.people.personas import personas
from polyclinic.people.students import sample_group


async def flow(episode: Episode[TeachingCase, RoundsVariant]) -> str:
    """One session. Ends as ``reached`` (every student holds the conclusion) or ``not_reached``."""
    variant = episode.variant.configured(episode.services.options)
    case = await Author(episode).completes(episode.scenario)
    script = case.whole_script
    cue = Cue(case=case.id, voice=variant.voice, learning=variant.learning)
    learners = seat(episode, variant, cue)
    room = Room(patient=script.informant.relation if script.informant else "patient")
    persona = match_persona(script, personas(), episode.random("persona", paired=True))
    patient = Patient(episode, case, persona, cue) if variant.patient else None
    tutor = Tutor(episode, case, variant) if variant.tutor != "none" else None
    specialist, supervisor = Specialist(episode, case), Supervisor(episode)
    introduce(episode, case, learners, persona.id if patient else "")

    presented = await patient.opens() if patient else ""
    if patient and presented:
        patient_says(episode, case, patient.name, presented, 1)
    await choices(episode, case, learners, None, "first")
    held: dict[str, frozenset[int]] = {learner.name: frozenset() for learner in learners}
    for number in range(1, variant.rounds + 1):
        episode.take_turn()
        room.begin_round(presented)
        episode.note(RoundBegan(round=number))
        last = number == variant.rounds
        for name, report in (await analyse(episode, case, learners, room, last)).items():
            held[name] |= set(report.held)
        if tutor:
            reviewers = review_board(episode, case, room, variant, specialist, supervisor)
            await guide(episode, case, tutor, reviewers, variant.revisions, learners, room, last)
        if last or all(len(steps) == len(case.steps) for steps in held.values()):
            break
        presented = await explore(episode, case, learners, room, patient, specialist)
    await choices(episode, case, learners, room, "final")
    if variant.transfer:
        await transfer(episode, case, learners, room)
    return "reached" if all(len(case.steps) - 1 in steps for steps in held.values()) else "not_reached"


def seat(episode: Episode, variant: RoundsVariant, cue: Cue) -> list[Learner]:
    """The group of students. It does not depend on the variant, so that every variant teaches the same students."""
    group = sample_group(variant.students, episode.random("students", paired=True))
    names = [student.name for student in group]
    present = Present(peers=len(group) > 1, tutor=variant.tutor != "none", patient=variant.patient)
    return [
        Learner(episode, number, student, names, present, cue, variant.played_by)
        for number, student in enumerate(group, start=1)
    ]


def introduce(episode: Episode, case: TeachingCase, learners: list[Learner], persona: str) -> None:
    """Note who is in the room, and the case as it is taught, for judges and readers."""
    seated = tuple(Seated(seat=learner.role, **learner.student.model_dump()) for learner in learners)
    episode.note(RoomOpened(students=seated, persona=persona, case=TaughtCase.from_case(case)))


async def analyse(
    episode: Episode, case: TeachingCase, learners: list[Learner], room: Room, last: bool
) -> dict[str, StudentHeard]:
    """Phase 1: students report in random order. None sees another's report, because all are asked before any report is
    stored. Then the reader reads each report. A step once shown stays made: a student need not say it again.
    """
    order = list(learners)
    episode.random(f"order-{room.now.number}", paired=True).shuffle(order)
    texts = await episode.together(*(learner.analyses(case, room, last) for learner in order))
    found = await episode.together(*(hear_student(episode.reads, case, text) for text in texts))
    for learner, text, heard in zip(order, texts, found, strict=True):
        room.now.analyses[learner.name] = text
        episode.note(
            Analysed(
                round=room.now.number, student=learner.name, text=text, held=heard.held, takes_part=heard.takes_part
            )
        )
    return {learner.name: heard for learner, heard in zip(order, found, strict=True)}


async def choices(episode: Episode, case: TeachingCase, learners: list[Learner], room: Room | None, when: When) -> None:
    """Every student's private answer."""
    made = await episode.together(*(learner.chooses(case, room) for learner in learners))
    await note_choices(episode, case, learners, made, when)


async def transfer(episode: Episode, case: TeachingCase, learners: list[Learner], room: Room) -> None:
    """Each student answers an unseen case alone, with their own notes. This shows whether they can use what they
    learned.
    """
    other = unseen_case(case, episode.random("transfer", paired=True))
    made = await episode.together(*(learner.chooses(other, None, room.own_last(learner.name)) for learner in learners))
    await note_choices(episode, other, learners, made, "transfer")


async def note_choices(
    episode: Episode, case: TeachingCase, learners: list[Learner], made: list[StudentChoice | None], when: When
) -> None:
    """Keep the answers and whether they are right. A letter is compared; the reader reads free text."""
    for learner, choice in zip(learners, made, strict=True):
        if choice is None:
            continue
        settled = await settled_on(episode.reads, case, choice.choice)
        episode.note(
            Chose(
                when=when,
                case=case.id,
                student=learner.name,
                choice=settled if case.options and settled else choice.choice,
                reason=choice.reason,
                right=settled == case.answer,
            )
        )
