"""Each student's private answer: before the teaching, after it, and to an unseen case."""

from __future__ import annotations

from polyclinic.clinics.rounds.agents import Learner
from polyclinic.clinics.rounds.prompts.replies import StudentChoice
from polyclinic.clinics.rounds.rules.heard import settled_on
from polyclinic.clinics.rounds.rules.notes import Chose, When
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.choose import unseen_case
from polyclinic.clinics.rounds.state import Room
from polyclinic.core.episode import Episode


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
