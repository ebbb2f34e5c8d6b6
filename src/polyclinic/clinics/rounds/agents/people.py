"""The simulated people of a round: the patient and the students. Every line of theirs is checked to fit the part.

If a reply stays unreadable, this person says nothing there and the round goes on; the failure is recorded as theirs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.patient import PatientAnswers, PatientOpens, untold_tests
from polyclinic.clinics.rounds.prompts.people import Present, Sheet
from polyclinic.clinics.rounds.prompts.replies import StudentAction, StudentChoice
from polyclinic.clinics.rounds.prompts.student import StudentActs, StudentAnalyses, StudentChooses
from polyclinic.clinics.rounds.scenario.case import PatientScript, TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import pictures
from polyclinic.clinics.rounds.state import Room, RoomLine
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.message import Image, Message, assistant, user
from polyclinic.core.part import Part, answer_in_part
from polyclinic.core.part_signs import Sign
from polyclinic.core.prompt import Prompt
from polyclinic.errors import SimulatedUserError
from polyclinic.people.personas import Persona
from polyclinic.people.students import Student
from polyclinic.text.phrases import mentioned

EXCHANGES = 6
"""How many exchanges a patient remembers: the opening and five rounds, more than a usual session has."""
_LONG_NAME = 9
"""From this many letters on, a single word such as "terlipressin" is no everyday word."""
_NOT_AT_THE_BEDSIDE = Sign(
    "third person", re.compile(r"\bthe (?:medical )?students? (?:ask|want)(?:s|ed)?\b|\bi saw a patient\b")
)
"""People at the bedside talk to the students, not about them, and have seen no patients."""
_STAFF = ("student", "students", "tutor", "doctor", "expert")


def _is_telling(name: str, known: str) -> bool:
    """Whether a patient who says this gives the answer away: it is no everyday word, and not in their script."""
    return (" " in name or len(name) >= _LONG_NAME) and not mentioned(known, [name])


def _called_by_relation(relation: str) -> Sign:
    """Relatives say "my wife", not "I am a husband", and do not speak as the ill person."""
    who = rf"(?:an?|your) (?:{re.escape(relation)}|patient's \w+|son|daughter|child|brother|sister)"
    return Sign("third person", re.compile(rf"\bi(?:'m| am) {who}\b(?! (?:of|to)\b)"))


class _SeenByPatient(TypedDict):
    """What every prompt of a patient holds."""

    style: str
    speaker: str
    script: PatientScript
    cue: Cue


class _SeenByStudent(TypedDict):
    """What every prompt of a student holds."""

    student: Student
    sheet: Sheet
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    room: Present
    cue: Cue


class Patient:
    """Knows its script and nothing else; speaks in its persona's manner, or through an informant."""

    def __init__(self, episode: Episode, case: TeachingCase, persona: Persona, cue: Cue) -> None:
        script = case.whole_script
        self._episode, self._agent, self._script = episode, episode.agent("patient"), script
        self.name = script.informant.relation if script.informant else "patient"
        self._in_prompts: _SeenByPatient = {
            "style": persona.style_prompt,
            "speaker": self.name,
            "script": script,
            "cue": cue.model_copy(update={"archetype": persona.archetype}),
        }
        self._talk: list[Message] = []
        self._known = " ".join(script.lines())
        self._signs = (_NOT_AT_THE_BEDSIDE, *([_called_by_relation(self.name)] if script.informant else ()))
        self._hidden = [name for name in (case.answer_text, *case.gives_away) if _is_telling(name, self._known)]

    def _part(self, said: str = "") -> Part:
        return Part(
            who=f"the {self.name}" if self._script.informant else "the person who is ill",
            own=("patient",),
            others=_STAFF,
            said=said,
            known=self._known,
            hidden=tuple(name for name in self._hidden if not mentioned(said, [name])),
            ready=(self._script.chief_complaint, self._script.concerns) if self._script.concerns else (),
            reads=not self._script.informant,
            sex="" if self._script.informant else self._script.speaker.sex or "",
            signs=self._signs,
        )

    async def opens(self) -> str:
        """The first words."""
        return await self._says(PatientOpens(**self._in_prompts), self._part(), "What brings you here?")

    async def answers(self, questions: Sequence[str]) -> str:
        """One reply to all questions."""
        asked = tuple(cut(question, 300) for question in questions)
        prompt = PatientAnswers(**self._in_prompts, questions=asked, **untold_tests(asked, self._script))
        return await self._says(prompt, self._part(" ".join(asked)), "\n".join(asked))

    async def _says(self, prompt: Prompt[str], part: Part, heard: str) -> str:
        """The patient's words; empty if they stay unreadable. Then the round and the talk go on without them."""
        history = self._talk[-2 * EXCHANGES :]
        try:
            said = (await answer_in_part(self._episode, self._agent, prompt, part, history=history)).value
        except SimulatedUserError as error:
            self._agent.survives(error, "patient")
            return ""
        self._talk += [user(heard), assistant(said)]
        return said


class Learner:
    """One student in its seat. Sees the case sheet, its own reports and what was said to the group."""

    def __init__(
        self,
        episode: Episode,
        seat: int,
        student: Student,
        names: list[str],
        present: Present,
        cue: Cue,
        played_by: int = 0,
    ) -> None:
        self.student, self.role = student, f"student-{seat}"
        self._episode, self._names, self._present = episode, names, present
        self._agent = episode.agent(f"student-{played_by or seat}", student.name)
        self._cue = cue.model_copy(update={"person": self._agent.is_person})

    @property
    def name(self) -> str:
        """The student's name in the group."""
        return self.student.name

    def _part(self, room: Room) -> Part:
        """The student's part, which its words must fit. Only exact rules check them: students say "the patient", which
        the reader would take for somebody else's line.
        """
        heard = room.heard_by_student(self.name, self._names)
        others = (*_STAFF, "patient", *(name for name in self._names if name != self.name))
        said = heard[-1].text if heard and heard[-1].speaker != self.name else ""
        return Part(
            who=f"the student {self.name}",
            own=(self.name,),
            others=others,
            said=said,
            reads=False,
            may_advise=True,
            heard=tuple(line.text for line in heard if line.speaker not in self._names),
        )

    def _seen(self, case: TeachingCase, room: Room | None) -> _SeenByStudent:
        return {
            "student": self.student,
            "sheet": Sheet.from_case(case),
            "pictures": pictures(case),
            "history": room.heard_by_student(self.name, self._names) if room else (),
            "room": self._present,
            "cue": self._cue.model_copy(update={"case": case.id}),
        }

    async def analyses(self, case: TeachingCase, room: Room, last: bool) -> str:
        """The report to the tutor, or without one the student's own notes."""
        prompt = StudentAnalyses(**self._seen(case, room), last=last)
        try:
            return (await answer_in_part(self._episode, self._agent, prompt, self._part(room))).value
        except SimulatedUserError as error:
            self._agent.survives(error, "report")
            return ""

    async def acts(self, case: TeachingCase, room: Room) -> StudentAction:
        """What the student asks of patient and expert."""
        prompt = StudentActs(**self._seen(case, room))
        try:
            answer = await answer_in_part(
                self._episode, self._agent, prompt, self._part(room), words=StudentAction.words
            )
        except SimulatedUserError as error:
            self._agent.survives(error, "questions")
            return StudentAction(patient_question="", expert_question="")
        return answer.value if self._present.patient else answer.value.model_copy(update={"patient_question": ""})

    async def chooses(self, case: TeachingCase, room: Room | None, notes: str = "") -> StudentChoice | None:
        """The private answer to a case; None if it stays unreadable, and then it is not counted.

        Of a person's free words, the letter of the option that was accepted is kept.
        """
        prompt = StudentChooses(**self._seen(case, room), notes=notes)
        try:
            reply = await self._agent.ask(prompt)
        except SimulatedUserError as error:
            self._agent.survives(error, "choice")
            return None
        if not (prompt.cue.person and case.options):
            return reply
        return reply.model_copy(update={"choice": prompt.letter(reply)})
