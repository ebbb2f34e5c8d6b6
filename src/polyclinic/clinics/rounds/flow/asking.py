"""Phase 3 of a round: students ask, the expert answers each, and the patient answers all in one reply."""

from __future__ import annotations

from polyclinic.clinics.rounds.agents import Learner, Patient, Specialist
from polyclinic.clinics.rounds.prompts.replies import StudentAction
from polyclinic.clinics.rounds.rules.leak import named_answer
from polyclinic.clinics.rounds.rules.notes import LISTENERS, ExpertSaid, ToSome
from polyclinic.clinics.rounds.rules.teaching import asked_in
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.checks import jargon
from polyclinic.clinics.rounds.state import Room
from polyclinic.core.episode import Episode
from polyclinic.core.note import InRound
from polyclinic.text.words import spoken_words

PATIENT_LEAK = "patient_leak"
PATIENT_JARGON = "patient_jargon"
EXPERT_LEAK = "expert_leak"
SAME = 0.75
"""Two questions are the same if this share of all their words is in both."""
NOT_GENERAL = "That is not a question of general knowledge."


async def explore(
    episode: Episode,
    case: TeachingCase,
    learners: list[Learner],
    room: Room,
    patient: Patient | None,
    specialist: Specialist,
) -> str:
    """Students ask; the patient's reply opens the next round."""
    actions = await episode.together(*(learner.acts(case, room) for learner in learners))
    number = room.now.number
    await ask_expert(episode, case, learners, actions, room, specialist)
    asked: dict[str, str] = {}
    for learner, action in zip(learners, actions, strict=True):
        question = action.patient_question.strip()
        if question and not any(_same(question, other) for other in asked.values()):
            asked[learner.name] = question
    for name, question in asked.items():
        room.now.patient_questions[name] = question
        episode.say(name, question, to=room.patient, payload=InRound(round=number))
    if patient is None or not asked:
        return ""
    reply = await patient.answers(list(asked.values()))
    if not reply:
        return ""
    room.now.patient_reply = reply
    patient_says(episode, case, patient.name, reply, number)
    return reply


async def ask_expert(
    episode: Episode,
    case: TeachingCase,
    learners: list[Learner],
    actions: list[StudentAction],
    room: Room,
    specialist: Specialist,
) -> None:
    """The expert answers general questions, each only to the students who asked it. An answer that names the answer of
    the case is withheld.
    """
    asking = [
        (learner, action.expert_question.strip())
        for learner, action in zip(learners, actions, strict=True)
        if action.expert_question.strip()
    ]
    different = list(dict.fromkeys(question for _, question in asking))
    answered = dict(
        zip(different, await episode.together(*(specialist.answers(each) for each in different)), strict=True)
    )
    for learner, question in asking:
        answer = answered[question]
        if answer is None:
            continue
        given = answer.general and bool(answer.explanation.strip())
        reported = " ".join(past.analyses.get(learner.name, "") for past in room.rounds)
        named = named_answer(case, answer.explanation, f"{reported} {question}") if given else ""
        if named:
            episode.violated(
                EXPERT_LEAK, "specialist", severity=2, words=answer.explanation, rationale=f"names '{named}'"
            )
            given = False
        words = answer.explanation if given else NOT_GENERAL
        room.now.expert_answers[learner.name] = (question, words)
        number = room.now.number
        hear = (learner.role, *LISTENERS)
        episode.say(learner.name, question, to="expert", payload=ToSome(round=number, heard_by=hear))
        said = ExpertSaid(round=number, answered=given, heard_by=hear)
        episode.say("expert", words, to=learner.name, payload=said)


def patient_says(episode: Episode, case: TeachingCase, name: str, words: str, number: int) -> None:
    """The patient speaks; if it names the answer or a technical term, this is recorded as a fault of the simulation."""
    episode.say(name, words, to="all", payload=InRound(round=number))
    named = named_answer(case, words)
    if named:
        episode.violated(PATIENT_LEAK, "patient", severity=2, words=words, rationale=f"names '{named}'")
    technical = jargon(words)
    if technical:
        episode.violated(PATIENT_JARGON, "patient", severity=1, words=words, rationale=f"says '{technical}'")


def _same(question: str, other: str) -> bool:
    """Whether two students ask the patient the same in nearly the same words: then it is asked once."""
    mine, theirs = (set(spoken_words(asked_in(text) or text)) for text in (question, other))
    return len(mine & theirs) >= SAME * len(mine | theirs)
