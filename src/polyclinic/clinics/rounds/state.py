"""Who knows what in the room: it separates what happened from what each role may be told.

Everybody has their own earlier words as they were given; only where these are far longer than was asked for, all but
the newest are shortened, and a remark says so. Words of others are cut, and only the last two rounds of them are given
in full. A student reads the reports of at most two other students, whom the
tutor named, and at most four of the questions that others asked the patient aloud. So a student's context does not
grow with the size of the group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.people.students import Student
from polyclinic.text.sentences import sentences

ANALYSIS_CHARS = 1200
EARLIER_CHARS = 600
SAID_CHARS = 900
BRIEF_CHARS = 180
FULL_ROUNDS = 2
PEERS_HEARD = 2
QUESTIONS_HEARD = 4
LEFT_OUT = "(The rest of these long words is left out here.)"


class RoomLine(Frozen):
    """One utterance as somebody in the room remembers it; `to` is empty for words to all."""

    round: int
    speaker: str
    text: str
    to: str = ""


class Analysis(Frozen):
    """One student's report to the tutor, with what the tutor knows about the student. `earlier` is what the student
    wrote in earlier rounds and does not say again.
    """

    student: str
    profile: str
    text: str
    earlier: str = ""


def own_words(text: str, newest: bool) -> str:
    """Somebody's own earlier words as they were given. If they are too long, all but the newest are shortened."""
    return text if newest or len(text) <= ANALYSIS_CHARS else f"{cut(text, ANALYSIS_CHARS)} {LEFT_OUT}"


def profile_of(student: Student) -> str:
    """What the tutor is told about a student."""
    strong, weak = ", ".join(student.strengths), ", ".join(student.weaknesses)
    return f"{student.level}; strengths: {strong}; weaknesses: {weak}; {student.learning_style}; {student.team_role}"


def not_said_again(earlier: Iterable[str], text: str) -> str:
    """What a student wrote in earlier reports and does not say again in this one."""
    before = dict.fromkeys(part for report in earlier for part in sentences(report))
    return cut(" ".join(part for part in before if part not in text), EARLIER_CHARS)


@dataclass
class Round:
    """All that happened in one round. Only the tutor sees `analyses` before the round's guidance is out."""

    number: int
    presented: str = ""
    analyses: dict[str, str] = field(default_factory=dict)
    guidance: str = ""
    expert_answers: dict[str, tuple[str, str]] = field(default_factory=dict)
    patient_questions: dict[str, str] = field(default_factory=dict)
    patient_reply: str = ""


@dataclass
class Room:
    """The session so far. Its methods return what a role may be told."""

    patient: str
    rounds: list[Round] = field(default_factory=list)

    @property
    def now(self) -> Round:
        """The round that is going on."""
        return self.rounds[-1]

    def begin_round(self, presented: str) -> Round:
        """Begin a new round, opened by what the patient says."""
        self.rounds.append(Round(number=len(self.rounds) + 1, presented=presented))
        return self.now

    def own_last(self, student: str) -> str:
        """The student's own newest analysis."""
        last = self._last_reported(student)
        return last.analyses[student] if last else ""

    def _last_reported(self, student: str) -> Round | None:
        return next((past for past in reversed(self.rounds) if student in past.analyses), None)

    def heard_by_student(self, student: str, names: list[str]) -> tuple[RoomLine, ...]:
        """What a student may know of the session, in order: the patient's words, its own reports and questions,
        approved guidance, expert answers, and the reports that the tutor mentioned.

        Other students' analyses appear only for rounds whose guidance is out, and only those that the guidance names.
        """
        lines: list[RoomLine] = []
        last = self._last_reported(student)
        for past in self.rounds:
            full = past.number > len(self.rounds) - FULL_ROUNDS
            limit = SAID_CHARS if full else BRIEF_CHARS
            if past.presented:
                lines.append(RoomLine(round=past.number, speaker=self.patient, text=cut(past.presented, limit)))
            if past.analyses.get(student):
                report = own_words(past.analyses[student], past is last)
                lines.append(RoomLine(round=past.number, speaker=student, to="tutor", text=report))
            if past.guidance:
                if full:
                    taken_up = [name for name in names if name != student and name in past.guidance]
                    for name in taken_up[:PEERS_HEARD]:
                        peer = cut(past.analyses.get(name, ""), BRIEF_CHARS)
                        lines.append(RoomLine(round=past.number, speaker=name, to="tutor", text=peer))
                lines.append(RoomLine(round=past.number, speaker="tutor", text=cut(past.guidance, limit)))
            if student in past.expert_answers:
                question, answer = past.expert_answers[student]
                lines.append(RoomLine(round=past.number, speaker=student, to="expert", text=own_words(question, False)))
                lines.append(RoomLine(round=past.number, speaker="expert", text=cut(answer, limit)))
            lines.extend(self._asked_aloud(past, student))
            if past.patient_reply and past is self.now:
                lines.append(RoomLine(round=past.number, speaker=self.patient, text=cut(past.patient_reply, limit)))
        return tuple(lines)

    def read_by_tutor(self, students: Mapping[str, Student]) -> tuple[Analysis, ...]:
        """The reports of this round as the tutor reads them, in the order they came."""
        return tuple(
            Analysis(
                student=name,
                profile=profile_of(students[name]),
                text=cut(text, ANALYSIS_CHARS),
                earlier=not_said_again([past.analyses.get(name, "") for past in self.rounds[:-1]], text),
            )
            for name, text in self.now.analyses.items()
        )

    def heard_by_tutor(self) -> tuple[RoomLine, ...]:
        """What the tutor remembers: its own words as they were given, the patient's newest words in full, older ones in
        brief.
        """
        lines: list[RoomLine] = []
        for past in self.rounds:
            newest = past.number == len(self.rounds) - 1
            limit = SAID_CHARS if past is self.now else BRIEF_CHARS
            if past.presented:
                lines.append(RoomLine(round=past.number, speaker=self.patient, text=cut(past.presented, limit)))
            if past is not self.now and past.guidance:
                lines.append(RoomLine(round=past.number, speaker="tutor", text=own_words(past.guidance, newest)))
            lines.extend(self._asked_aloud(past) if newest else ())
        return tuple(lines)

    def _asked_aloud(self, past: Round, student: str = "") -> list[RoomLine]:
        """Questions to the patient, which everybody in the room heard: a student's own always, others' while the answer
        is new.
        """
        new = past.number >= len(self.rounds) - 1
        others = [name for name in past.patient_questions if name != student][: QUESTIONS_HEARD if new else 0]
        return [
            RoomLine(
                round=past.number,
                speaker=name,
                to=self.patient,
                text=own_words(asked, False) if name == student else cut(asked, BRIEF_CHARS),
            )
            for name, asked in past.patient_questions.items()
            if name == student or name in others
        ]

    def reports(self) -> list[str]:
        """All students' reports so far."""
        return [text for past in self.rounds for text in past.analyses.values()]
