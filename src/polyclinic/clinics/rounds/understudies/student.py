"""The student's understudy: it shows its level, strengths and weaknesses, and improves after good questions, in any
wording.
"""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.rounds.prompts.replies import StudentAction, StudentChoice
from polyclinic.clinics.rounds.prompts.student import StudentActs, StudentAnalyses, StudentChooses
from polyclinic.clinics.rounds.readings import CaseRead
from polyclinic.clinics.rounds.rules.teaching import asked_in, names_in, stated_in
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.state import RoomLine
from polyclinic.clinics.rounds.understudies.learning import How, Taught, chance_right, chance_unseen, learn, picks
from polyclinic.clinics.rounds.understudies.textbook import look_up, terms_in
from polyclinic.clinics.rounds.understudies.voices import Voice, voice
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.people.students import Student
from polyclinic.text.sentences import sentences

_STAFF = ("tutor", "expert")
_HOWS: tuple[How, ...] = ("saw", "worked", "told")


def newest_guidance(history: tuple[RoomLine, ...]) -> str:
    """What the tutor said last; empty when it has not spoken."""
    spoken = [line for line in history if line.speaker == "tutor"]
    return spoken[-1].text if spoken else ""


def own_last(history: tuple[RoomLine, ...], name: str) -> str:
    """The student's own newest report."""
    own = [line.text for line in history if line.speaker == name and line.to == "tutor"]
    return own[-1] if own else ""


def _round(history: tuple[RoomLine, ...]) -> int:
    return max((line.round for line in history), default=1)


def tells(speaks: Voice, case: TeachingCase, number: int, how: How) -> str:
    """A step in the student's words: how the student came to it, and what it is."""
    own = speaks.step(case, number)
    return f"{speaks.student.says[how]} {own.says if own else case.steps[number].step_summary}"


def remembered(speaks: Voice, case: TeachingCase, notes: str) -> dict[int, How]:
    """Which steps the student's notes contain, and how the student came to them."""
    return {
        number: how for number in range(len(case.steps)) for how in _HOWS if tells(speaks, case, number, how) in notes
    }


def understood(ask: Ask[Any], student: Student, case: TeachingCase, guidance: str, number: int) -> Taught:
    """What the student understands of the tutor's words about one step: questions ask for it, other sentences explain
    it.
    """
    if not guidance:
        return Taught()
    read = CaseRead.from_case(case)
    asked = ask.understands(asked_in(guidance), read.asks()[number])
    told = not asked and ask.understands(stated_in(guidance), read.holds()[number])
    step = frozenset({number})
    named = bool(names_in(guidance, [student.name]))
    return Taught(step if asked else frozenset(), step if told else frozenset(), named)


class StudentUnderstudy(Understudy):
    """Plays any student from its card. Mistake ``silent``: reports next to nothing."""

    @answers(StudentAnalyses)
    def analyses(self, ask: Ask[StudentAnalyses]) -> str:
        """The steps that it holds, in its own manner, and the answer that it prefers."""
        prompt, student = ask.prompt, ask.prompt.student
        speaks, case = voice(prompt.cue.voice), look_up(prompt.cue.case)
        mine = speaks.student
        if ask.mistake("silent"):
            return mine.silent
        opening = mine.manner[student.team_role]
        if case is None:
            return f"{opening} {self._from_sheet(speaks, prompt)}"
        held = self._held(ask, student, case, prompt.history, prompt.cue.learning, speaks)
        parts = [opening, *(tells(speaks, case, number, how) for number, how in sorted(held.items()))]
        if not held:
            weak = "weak clinical correlation" in student.weaknesses
            parts.append((mine.lost_weak if weak else mine.lost).format(first=sentences(prompt.sheet.vignette)[0]))
        lean = picks(student, case, chance_right(case, held))
        if "lacks confidence" in student.weaknesses and student.team_role != "insecure follower":
            parts.append(mine.hedge)  # the opening of an insecure follower says so already
        parts.append(mine.leans[student.learning_style].format(option=case.options.get(lean, lean)))
        return " ".join(parts)

    @staticmethod
    def _held(
        ask: Ask[Any], student: Student, case: TeachingCase, history: tuple[RoomLine, ...], learning: float,
        speaks: Voice, later: int = 0,
    ) -> dict[int, How]:  # fmt: skip
        """The steps that it holds now, from its own last report and the tutor's newest words."""
        notes, guidance = own_last(history, student.name), newest_guidance(history)
        before = remembered(speaks, case, notes) if notes else None
        return learn(
            student,
            case,
            before,
            lambda number: understood(ask, student, case, guidance, number),
            _round(history) + later,
            learning,
        )

    @staticmethod
    def _from_sheet(speaks: Voice, prompt: StudentAnalyses) -> str:
        story = sentences(prompt.sheet.vignette)
        many = {"beginner": 1, "intermediate": 2, "advanced": 3}[prompt.student.level]
        said = [speaks.student.sheet.format(story=" ".join(story[:many]))]
        asked = newest_guidance(prompt.history)
        if asked:
            said.append(speaks.student.again.format(line=story[len(asked) % len(story)]))
        return " ".join(said)

    @answers(StudentActs)
    def acts(self, ask: Ask[StudentActs]) -> StudentAction:
        """Questions that its character would ask; a silent observer often passes."""
        prompt, student = ask.prompt, ask.prompt.student
        if student.team_role == "silent observer" and ask.chance("pass", 0.5):
            return StudentAction(patient_question="", expert_question="")
        curious = "diligent and inquisitive" in student.strengths or student.learning_style in (
            "guidance-dependent",
            "data-driven",
        )
        expert = self._for_expert(ask) if ask.chance("expert", 0.6 if curious else 0.2) else ""
        wants = prompt.room.patient and ask.chance("patient", 0.85)
        return StudentAction(patient_question=self._for_patient(ask) if wants else "", expert_question=expert)

    @staticmethod
    def _for_patient(ask: Ask[StudentActs]) -> str:
        prompt, student = ask.prompt, ask.prompt.student
        mine = voice(prompt.cue.voice).student
        asked = " ".join(line.text for line in prompt.history if line.to and line.to not in _STAFF)
        topics = [topic for topic, question in mine.history.items() if question not in asked] or list(mine.history)
        question = mine.history[topics[ask.random.randrange(len(topics))]]
        if "stiff communication" in student.weaknesses:
            return mine.asks_stiff.format(question=question)
        if "warm with patients" in student.strengths:
            return mine.asks_warm.format(question=question)
        return question

    @staticmethod
    def _for_expert(ask: Ask[StudentActs]) -> str:
        prompt = ask.prompt
        asked = " ".join(line.text for line in prompt.history if line.to == "expert")
        material = (
            f"{prompt.sheet.vignette} {' '.join(prompt.sheet.options.values())} {newest_guidance(prompt.history)}"
        )
        terms = [term for term in terms_in(material) if term not in asked]
        if not terms:
            return ""
        return voice(prompt.cue.voice).student.asks_expert.format(term=terms[ask.random.randrange(len(terms))])

    @answers(StudentChooses)
    def chooses(self, ask: Ask[StudentChooses]) -> StudentChoice:
        """The answer that follows from the steps that it holds; for an unseen case, from its ability and practice."""
        prompt, student = ask.prompt, ask.prompt.student
        case, mine = look_up(prompt.cue.case), voice(prompt.cue.voice).student
        if case is None:
            letters = sorted(prompt.sheet.options) or ["?"]
            luck = stream("understudy-student", student.id, prompt.cue.case, "choice").random()
            return StudentChoice(reason=mine.guess, choice=letters[int(luck * len(letters))])
        return StudentChoice(reason=mine.reasons, choice=picks(student, case, self._chance(ask, case)))

    def _chance(self, ask: Ask[StudentChooses], case: TeachingCase) -> float:
        prompt, student, learning = ask.prompt, ask.prompt.student, ask.prompt.cue.learning
        speaks = voice(prompt.cue.voice)
        if prompt.notes and not prompt.history:
            worked, told = (prompt.notes.count(speaks.student.says[how]) for how in ("worked", "told"))
            return chance_unseen(student, case, worked, told, learning)
        held = self._held(ask, student, case, prompt.history, learning, speaks, later=1)
        return chance_right(case, held)
