"""Phase 2 of a round: the tutor drafts, reviewers read, the tutor revises. Only guidance that all reviewers approve is
said.
"""

from __future__ import annotations

from polyclinic.clinics.rounds.agents import Draft, Learner, Specialist, Supervisor, Tutor
from polyclinic.clinics.rounds.rules.heard import hear_tutor
from polyclinic.clinics.rounds.rules.notes import LISTENERS, Guidance, Thought, Withheld
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.state import Room
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.episode import Episode
from polyclinic.core.review import Reviewer, Verdict, review
from polyclinic.errors import ReplyError

LEAK = "answer_leak"
THINKING = "thinking_form"
UNREADABLE = "unreadable"


def review_board(
    episode: Episode,
    case: TeachingCase,
    room: Room,
    variant: RoundsVariant,
    specialist: Specialist,
    supervisor: Supervisor,
) -> dict[str, Reviewer[Draft]]:
    """Who must approve: always the leak check, and the specialist and the supervisor if the variant has them."""

    async def no_leak(draft: Draft) -> Verdict:
        """Refuses a draft that gives the answer away: exact names first, then the reader. The judges use the other
        findings of the same call.
        """
        heard = await hear_tutor(episode.reads, case, draft.guidance, room.reports())
        if not heard.leak.yes:
            return Verdict(approved=True)
        words = heard.leak.words or draft.guidance
        feedback = f"“{words}” gives the answer away: ask for it instead"
        return Verdict(approved=False, code=LEAK, feedback=feedback)

    board: dict[str, Reviewer[Draft]] = {"leak check": no_leak}
    if variant.specialist:
        board["specialist"] = specialist.checks
    if variant.supervisor:
        board["supervisor"] = supervisor.checks
    return board


async def guide(
    episode: Episode,
    case: TeachingCase,
    tutor: Tutor,
    reviewers: dict[str, Reviewer[Draft]],
    revisions: int,
    learners: list[Learner],
    room: Room,
    last: bool,
) -> None:
    """Draft, review, revise. If no draft is approved by every reviewer, nothing is said."""
    analyses = room.read_by_tutor({learner.name: learner.student for learner in learners})
    drafts: list[Draft] = []

    async def draft(objections: list[Verdict]) -> Draft:
        if objections:
            made = await tutor.revises(drafts[-1], objections, analyses)
        else:
            made = await tutor.drafts(room, analyses, last)
        drafts.append(made)
        return made

    number = room.now.number
    try:
        outcome = await review(episode, draft, reviewers, rounds=revisions)
    except ReplyError as error:  # unreadable: the group goes on without guidance
        tutor.survives(error)
        episode.note(Withheld(round=number, objections=(UNREADABLE,)))
        return
    said = outcome.final
    if tutor.thinks:
        form = read_thinking(said.monologue, [learner.name for learner in learners], bool(case.images))
        if not form.well_formed:
            faults = "; ".join((*form.missing, *form.faults))
            words = (said.monologue or said.guidance)[:300]
            episode.violated(THINKING, "tutor", severity=1, words=words, rationale=faults)
    spoken = tuple(made.guidance for made in outcome.drafts)
    asked = (await hear_tutor(episode.reads, case, said.guidance, ())).asked if outcome.resolved else ()
    episode.note(Thought(round=number, monologue=said.monologue, drafts=spoken, approved=outcome.resolved, asked=asked))
    if outcome.resolved:
        room.now.guidance = said.guidance
        hear = ("tutor", "supervisor", *LISTENERS, *(learner.role for learner in learners))
        episode.say("tutor", said.guidance, to="all", payload=Guidance(round=number, drafts=len(spoken), heard_by=hear))
        return
    open_codes = [verdict.code or "error" for verdict in outcome.open_verdicts]
    if LEAK in open_codes:
        episode.violated(LEAK, "tutor", severity=3, words=said.guidance, rationale="the last draft leaks the answer")
    episode.note(Withheld(round=number, objections=tuple(open_codes)))
