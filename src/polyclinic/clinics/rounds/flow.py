"""Who speaks when: the patient presents, students report unseen, the tutor guides after review, students ask, the
patient answers once; up to five rounds. Each student answers the case privately before and after.
"""

from __future__ import annotations

from functools import partial
from typing import cast

from polyclinic.clinics.rounds.agents import Author, Draft, Learner, Patient, Specialist, Supervisor, Tutor, reports
from polyclinic.clinics.rounds.prompts.replies import StudentAction, StudentChoice
from polyclinic.clinics.rounds.rules.leak import leak
from polyclinic.clinics.rounds.rules.matching import match_persona
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, RoomOpened, Seated, Thought, When, Withheld
from polyclinic.clinics.rounds.rules.teaching import holds
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.clinics.rounds.scenario.case import Case, PatientScript
from polyclinic.clinics.rounds.scenario.choose import unseen_case
from polyclinic.clinics.rounds.scenario.phrases import jargon
from polyclinic.clinics.rounds.state import Room
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.episode import Episode
from polyclinic.core.review import Reviewer, Verdict, review
from polyclinic.people.personas import personas
from polyclinic.people.students import sample_group
from polyclinic.text.phrases import contains_phrase

LEAK = "answer_leak"
PATIENT_LEAK = "patient_leak"
PATIENT_JARGON = "patient_jargon"
EXPERT_LEAK = "expert_leak"
THINKING = "thinking_form"


async def flow(episode: Episode[Case, RoundsVariant]) -> str:
    """One session. Ends as ``reached`` (every student holds the conclusion) or ``not_reached``."""
    variant = episode.variant
    case = await Author(episode).completes(episode.scenario)
    script = cast(PatientScript, case.script)
    learners = seat(episode, variant)
    room = Room(patient=script.informant.relation if script.informant else "patient")
    persona = match_persona(script, personas(), episode.random("persona", paired=True))
    patient = Patient(episode, script, persona) if variant.patient else None
    tutor = Tutor(episode, case, variant) if variant.tutor != "none" else None
    specialist, supervisor = Specialist(episode, case), Supervisor(episode)
    introduce(episode, case, learners, persona.id if patient else "")

    presented = await patient.opens() if patient else ""
    if patient:
        patient_says(episode, case, patient.name, presented, 1)
    await choices(episode, case, learners, None, "first")
    for number in range(1, variant.rounds + 1):
        episode.take_turn()
        room.begin_round(presented)
        await analyse(episode, case, learners, room)
        if tutor:
            reviewers = review_board(case, room, variant, specialist, supervisor)
            await guide(episode, case, tutor, reviewers, variant.revisions, learners, room)
        if number == variant.rounds or nothing_is_missing(case, room):
            break
        presented = await explore(episode, case, learners, room, patient, specialist)
    await choices(episode, case, learners, room, "final")
    if variant.transfer:
        await transfer(episode, case, learners, room)
    return "reached" if everybody_concludes(case, room) else "not_reached"


def seat(episode: Episode, variant: RoundsVariant) -> list[Learner]:
    """The group: drawn without the variant, so that every variant teaches the same students."""
    group = sample_group(variant.students, episode.random("students", paired=True))
    names = [student.name for student in group]
    return [Learner(episode, number, student, names) for number, student in enumerate(group, start=1)]


def introduce(episode: Episode, case: Case, learners: list[Learner], persona: str) -> None:
    """Who is in the room, and the case as it is taught, for judges and readers."""
    seated = tuple(Seated(seat=learner.role, **learner.student.model_dump()) for learner in learners)
    taught = case.model_dump(mode="json", exclude={"image_folder"})
    episode.note(RoomOpened(students=seated, persona=persona, case=taught))


async def choices(episode: Episode, case: Case, learners: list[Learner], room: Room | None, when: When) -> None:
    """Every student's private answer."""
    made = await episode.together(
        *(learner.chooses(case, room, room.own_last(learner.name) if room else "") for learner in learners)
    )
    note_choices(episode, case, learners, made, when)


def note_choices(episode: Episode, case: Case, learners: list[Learner], made: list[StudentChoice], when: When) -> None:
    """Keep the answers and whether they are right."""
    for learner, choice in zip(learners, made, strict=True):
        episode.note(
            Chose(
                when=when,
                case=case.id,
                student=learner.name,
                choice=choice.choice,
                reason=choice.reason,
                right=case.is_right(choice.choice),
            )
        )


async def analyse(episode: Episode, case: Case, learners: list[Learner], room: Room) -> None:
    """Phase 1: in random order, and none sees another's report, because all are asked before any is written down."""
    order = list(learners)
    episode.random(f"order-{room.now.number}", paired=True).shuffle(order)
    texts = await episode.together(*(learner.analyses(case, room) for learner in order))
    for learner, text in zip(order, texts, strict=True):
        room.now.analyses[learner.name] = text
        episode.note(Analysed(round=room.now.number, student=learner.name, text=text))


def review_board(
    case: Case, room: Room, variant: RoundsVariant, specialist: Specialist, supervisor: Supervisor
) -> dict[str, Reviewer[Draft]]:
    """Who must approve: code for leaks, always; the specialist and the supervisor where the variant has them."""
    board: dict[str, Reviewer[Draft]] = {"leak check": partial(no_leak, case, room)}
    if variant.specialist:
        board["specialist"] = specialist.checks
    if variant.supervisor:
        board["supervisor"] = supervisor.checks
    return board


async def no_leak(case: Case, room: Room, draft: Draft) -> Verdict:
    """The reviewer that is code: the answer is never given away."""
    words = leak(case, draft.guidance, room.said_by_students())
    if words:
        return Verdict(approved=False, code=LEAK, feedback=f"this gives the answer away: {words} Ask for it instead.")
    return Verdict(approved=True)


async def guide(
    episode: Episode,
    case: Case,
    tutor: Tutor,
    reviewers: dict[str, Reviewer[Draft]],
    revisions: int,
    learners: list[Learner],
    room: Room,
) -> None:
    """Phase 2: draft, review, revise. Only what every reviewer approved is said; otherwise nothing is."""
    analyses = reports(learners, room)
    drafts: list[Draft] = []

    async def draft(objections: list[Verdict]) -> Draft:
        made = await (tutor.revises(drafts[-1], objections, analyses) if objections else tutor.drafts(room, analyses))
        drafts.append(made)
        return made

    outcome = await review(episode, draft, reviewers, rounds=revisions)
    number, names = room.now.number, [learner.name for learner in learners]
    monologue = outcome.final.monologue
    if monologue:
        form = read_thinking(monologue, names, bool(case.images))
        if not form.well_formed:
            faults = "; ".join((*form.missing, *form.faults))
            episode.violated(THINKING, "tutor", severity=1, words=monologue[:300], rationale=faults)
    spoken = tuple(made.guidance for made in outcome.drafts)
    episode.note(Thought(round=number, monologue=monologue, drafts=spoken, approved=outcome.resolved))
    if outcome.resolved:
        room.now.guidance = outcome.final.guidance
        episode.say("tutor", outcome.final.guidance, to="all", round=number, drafts=len(spoken))
        return
    open_codes = [verdict.code or "error" for verdict in outcome.open_verdicts]
    if LEAK in open_codes:
        episode.violated(
            LEAK, "tutor", severity=3, words=outcome.final.guidance, rationale="no draft kept the answer back"
        )
    episode.note(Withheld(round=number, objections=tuple(open_codes)))


def everybody_concludes(case: Case, room: Room) -> bool:
    """Whether every student's newest report holds the last step."""
    return all(holds(text, case.steps[-1]) for text in room.now.analyses.values())


def nothing_is_missing(case: Case, room: Room) -> bool:
    """Whether every student's newest report holds every step: there is nothing left to teach here."""
    return all(holds(text, step) for text in room.now.analyses.values() for step in case.steps)


async def explore(
    episode: Episode, case: Case, learners: list[Learner], room: Room, patient: Patient | None, specialist: Specialist
) -> str:
    """Phase 3: students ask; the expert answers each, the patient all in one reply, opening the next round."""
    actions = await episode.together(*(learner.acts(case, room, patient is not None) for learner in learners))
    number = room.now.number
    await ask_expert(episode, case, learners, actions, room, specialist)
    asked = {
        learner.name: action.query_for_patient.strip()
        for learner, action in zip(learners, actions, strict=True)
        if action.query_for_patient and action.query_for_patient.strip()
    }
    for name, question in asked.items():
        episode.say(name, question, to=room.patient, round=number)
    if patient is None or not asked:
        return ""
    reply = await patient.answers(list(asked.values()))
    room.now.patient_reply = reply
    patient_says(episode, case, patient.name, reply, number)
    return reply


async def ask_expert(
    episode: Episode,
    case: Case,
    learners: list[Learner],
    actions: list[StudentAction],
    room: Room,
    specialist: Specialist,
) -> None:
    """General questions, each answered to the student who asked; an answer that solves the case is held back."""
    asking = [
        (learner, action.query_for_expert.strip())
        for learner, action in zip(learners, actions, strict=True)
        if action.query_for_expert and action.query_for_expert.strip()
    ]
    answered = await episode.together(*(specialist.answers(question) for _, question in asking))
    for (learner, question), answer in zip(asking, answered, strict=True):
        given = answer.answer_provided
        if given and leak(case, answer.explanation, [*room.said_by_students(), question]):
            episode.violated(
                EXPERT_LEAK, "specialist", severity=2, words=answer.explanation, rationale="names the answer"
            )
            given = False
        words = answer.explanation if given else "That is not a question of general knowledge."
        room.now.expert_answers[learner.name] = (question, words)
        episode.say(learner.name, question, to="expert", round=room.now.number)
        episode.say("expert", words, to=learner.name, round=room.now.number, answered=given)


def patient_says(episode: Episode, case: Case, name: str, words: str, number: int) -> None:
    """The patient speaks; giving the answer away or talking like a doctor is the simulator's fault, and recorded so."""
    episode.say(name, words, to="all", round=number)
    given = [phrase for phrase in case.gives_away if contains_phrase(words, phrase)]
    if given:
        episode.violated(PATIENT_LEAK, "patient", severity=2, words=words, rationale=f"names '{given[0]}'")
    technical = jargon(words)
    if technical:
        episode.violated(PATIENT_JARGON, "patient", severity=1, words=words, rationale=f"says '{technical}'")


async def transfer(episode: Episode, case: Case, learners: list[Learner], room: Room) -> None:
    """An unseen case, alone with one's own notes: did anything stay that works elsewhere?"""
    other = unseen_case(case, episode.random("transfer", paired=True))
    made = await episode.together(*(learner.chooses(other, None, room.own_last(learner.name)) for learner in learners))
    note_choices(episode, other, learners, made, "transfer")
