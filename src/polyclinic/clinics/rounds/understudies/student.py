"""The student's understudy: shows its level, strengths and weaknesses, and gets better when it is asked well."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts import StudentActs, StudentAnalyses, StudentChooses
from polyclinic.clinics.rounds.prompts.replies import StudentAction, StudentChoice, StudentReport
from polyclinic.clinics.rounds.scenario.case import Case
from polyclinic.clinics.rounds.state import Line
from polyclinic.clinics.rounds.understudies.learning import SAYS, chance_right, chance_unseen, learn, picks, remembered
from polyclinic.clinics.rounds.understudies.textbook import look_up, terms_in
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.people.students import Student
from polyclinic.text.sentences import sentences

_MANNER = {
    "active leader": "Let me put this in order.",
    "silent observer": "Briefly.",
    "challenger": "I would not agree too quickly.",
    "insecure follower": "I may be wrong here.",
}
_LEANS = {
    "bold hypothesiser": "I am going for",
    "cautious verifier": "Before I commit I would want more, but I lean towards",
    "data-driven": "The numbers make me lean towards",
    "guidance-dependent": "If I had to choose I would say",
}


def newest_guidance(history: tuple[Line, ...]) -> str:
    """What the tutor said last; empty when it has not spoken since the student's own last report."""
    spoken = [line for line in history if line.speaker == "tutor"]
    return spoken[-1].text if spoken else ""


def _round(history: tuple[Line, ...]) -> int:
    return max((line.round for line in history), default=1)


class StudentUnderstudy(Understudy):
    """Plays any student from its card. Mistake ``silent``: reports next to nothing."""

    @answers(StudentAnalyses)
    def analyses(self, ask: Ask[StudentAnalyses]) -> StudentReport:
        """What it holds, in its own manner, and which answer it leans to."""
        prompt = ask.prompt
        student, case = prompt.student, look_up(prompt.sheet.case_id)
        if ask.mistake("silent"):
            return StudentReport(analysis="I do not know.")
        opening = _MANNER[student.team_role]
        if case is None:
            return StudentReport(analysis=f"{opening} {self._from_sheet(student, prompt)}")
        held = learn(student, case, prompt.own_last, newest_guidance(prompt.history), _round(prompt.history))
        parts = [opening] + [f"{SAYS[how]} {case.steps[number].step_summary}" for number, how in sorted(held.items())]
        if not held:
            parts.append(self._lost(student, prompt.sheet.vignette))
        lean = picks(student, case, chance_right(student, case, held))
        hedge = "Perhaps I am wrong. " if "lacks confidence" in student.weaknesses else ""
        parts.append(f"{hedge}{_LEANS[student.learning_style]} this: {case.options.get(lean, lean)}.")
        return StudentReport(analysis=" ".join(parts))

    @staticmethod
    def _lost(student: Student, vignette: str) -> str:
        first = sentences(vignette)[0]
        if "weak clinical correlation" in student.weaknesses:
            return f"I know the chapter, but I cannot see how it fits this patient: {first}"
        return f"I only have the bare story so far: {first}"

    @staticmethod
    def _from_sheet(student: Student, prompt: StudentAnalyses) -> str:
        story = sentences(prompt.sheet.vignette)
        many = {"beginner": 1, "intermediate": 2, "advanced": 3}[student.level]
        asked = newest_guidance(prompt.history)
        taken_up = f" On the tutor's question I would look again at: {story[len(asked) % len(story)]}" if asked else ""
        return f"What stands out to me: {' '.join(story[:many])}{taken_up}"

    @answers(StudentActs)
    def acts(self, ask: Ask[StudentActs]) -> StudentAction:
        """Questions that its character would ask; a silent observer often passes."""
        prompt, student = ask.prompt, ask.prompt.student
        if student.team_role == "silent observer" and ask.chance("pass", 0.5):
            return StudentAction(query_for_patient=None, query_for_expert=None)
        curious = "diligent and inquisitive" in student.strengths or student.learning_style in (
            "guidance-dependent",
            "data-driven",
        )
        expert = self._for_expert(ask) if ask.chance("expert", 0.6 if curious else 0.2) else None
        wants = prompt.has_patient and ask.chance("patient", 0.85)
        return StudentAction(query_for_patient=self._for_patient(ask) if wants else None, query_for_expert=expert)

    @staticmethod
    def _for_patient(ask: Ask[StudentActs]) -> str:
        prompt, student = ask.prompt, ask.prompt.student
        case = look_up(prompt.sheet.case_id)
        heard = " ".join(line.text for line in prompt.history)
        topics = ["pain", "medicine", "family", "before"]
        if case is not None and case.script is not None:
            topics = [fact.about[0] for fact in case.script.facts if fact.says not in heard] or topics
        topic = topics[ask.random.randrange(len(topics))]
        if "stiff communication" in student.weaknesses:
            return f"Is there any relevant anamnesis with regard to {topic}?"
        if "warm with patients" in student.strengths:
            return f"I can see this is hard. Would you tell me a little about {topic}?"
        return f"Can you tell us more about {topic}?"

    @staticmethod
    def _for_expert(ask: Ask[StudentActs]) -> str | None:
        prompt = ask.prompt
        asked = " ".join(line.text for line in prompt.history if line.speaker == "expert")
        material = (
            f"{prompt.sheet.vignette} {' '.join(prompt.sheet.options.values())} {newest_guidance(prompt.history)}"
        )
        terms = [term for term in terms_in(material) if term not in asked]
        return f"What is meant by {terms[ask.random.randrange(len(terms))]}?" if terms else None

    @answers(StudentChooses)
    def chooses(self, ask: Ask[StudentChooses]) -> StudentChoice:
        """The answer that follows from what it holds; on an unseen case from its ability and what it practised."""
        prompt, student = ask.prompt, ask.prompt.student
        case = look_up(prompt.sheet.case_id)
        if case is None:
            letters = sorted(prompt.sheet.options) or ["?"]
            luck = stream("understudy-student", student.id, prompt.sheet.case_id, "choice").random()
            return StudentChoice(reason="a guess from the sheet", choice=letters[int(luck * len(letters))])
        return StudentChoice(
            reason="what I have worked out so far", choice=picks(student, case, self._chance(prompt, case))
        )

    @staticmethod
    def _chance(prompt: StudentChooses, case: Case) -> float:
        student, notes = prompt.student, prompt.notes
        held = remembered(case, notes)
        if notes and not held and not prompt.history:
            worked, told = notes.count(SAYS["worked"]), notes.count(SAYS["told"])
            return chance_unseen(student, case, worked, told)
        held = learn(student, case, notes, newest_guidance(prompt.history), _round(prompt.history) + 1)
        return chance_right(student, case, held)
