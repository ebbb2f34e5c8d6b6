"""The tutor's prompts of a session, rebuilt from the transcript, with what the tutor answered."""

from __future__ import annotations

from collections.abc import Iterator

from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.tutor import TutorGuides
from polyclinic.clinics.rounds.rules.view import TutorRound, room_note, round_of, taught_case, tutor_rounds
from polyclinic.clinics.rounds.state import Room, Round, read_by_tutor
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.message import Image
from polyclinic.core.transcript import Started, Transcript


def prompts_of(transcript: Transcript) -> Iterator[tuple[TutorGuides, TutorRound]]:
    """The tutor's prompt of every round, rebuilt from the transcript, with what the tutor answered."""
    case = taught_case(transcript)
    cast = {student.name: student for student in room_note(transcript).students}
    speaker = case.script.informant.relation if case.script and case.script.informant else "patient"
    spoken = [said.text for said in transcript.said(speaker)]
    replies = {round_of(said): said.text for said in transcript.said(speaker)[1:]}
    asked = [said for said in transcript.said() if said.to == speaker and said.speaker in cast]
    room = Room(patient=speaker)
    rounds = VARIANTS[transcript.of(Started)[0].variant].rounds

    def presented(number: int) -> str:
        return (spoken[0] if spoken else "") if number == 1 else replies.get(number - 1, "")

    def begin(number: int) -> Round:
        begun = room.begin_round(presented(number))
        begun.patient_questions.update({said.speaker: said.text for said in asked if round_of(said) == number})
        return begun

    for turn in tutor_rounds(transcript):
        while len(room.rounds) + 1 < turn.round:  # a round in which the tutor's reply was unreadable
            begin(len(room.rounds) + 1)
        begin(turn.round).analyses.update(turn.analyses)
        prompt = TutorGuides(
            sheet=Sheet.from_case(case),
            key=CaseKey.from_case(case),
            pictures=tuple(Image(data="", caption=image.caption) for image in case.images),
            history=room.heard_by_tutor(),
            last=turn.round == rounds,
            analyses=read_by_tutor(turn.analyses, cast),
        )
        yield prompt, turn
        room.now.guidance = turn.guidance


def later_turn(prompt: TutorGuides, number: int) -> str:
    """What is new in a later round of a conversation: the patient's words and the students' reports. Earlier reports
    are in earlier turns, so that a tutor who thinks about the history can see them.
    """
    words = [line.text for line in prompt.history if line.round == number]
    heard = f"The patient says: {' '.join(words)}\n" if words else ""
    reported = "\n".join(f"{item.student} ({item.profile}): {item.text}" for item in prompt.analyses)
    ends = "The session ends after your words: ask what brings the group to its conclusion.\n" if prompt.last else ""
    asks = f"{ends}Write your thinking in the tags, then your words to the group."
    return f"{heard}What the students write to you now\n{reported}\n{asks}"
