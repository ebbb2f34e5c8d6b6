"""The cast of a round: patient, students, tutor, specialist, supervisor, and the author of what a case lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from polyclinic.clinics.rounds.prompts import (
    AnswersKnowledge,
    ChecksFacts,
    ChecksSafety,
    Key,
    Objection,
    PatientAnswers,
    PatientOpens,
    Sheet,
    StudentActs,
    StudentAnalyses,
    StudentChooses,
    TutorAsks,
    TutorGuides,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    WritesScript,
    WritesSteps,
)
from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer, StudentAction, StudentChoice, WrittenScript
from polyclinic.clinics.rounds.scenario.case import Case, Demographics, Fact, Informant, PatientScript, SocraticStep
from polyclinic.clinics.rounds.scenario.shipped import pictures
from polyclinic.clinics.rounds.state import ANALYSIS_CHARS, Analysis, Room, profile_of
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.core.review import Verdict
from polyclinic.people.personas import Persona
from polyclinic.people.students import Student


class Draft(Frozen):
    """What the tutor wants to say, and what it thought before saying it."""

    guidance: str
    monologue: str = ""


class Author:
    """Writes the steps and the script of a case that came without."""

    def __init__(self, episode: Episode) -> None:
        self._agent = episode.agent("author")

    async def completes(self, case: Case) -> Case:
        """The case with steps and script."""
        ids = tuple(image.id for image in case.images)
        sheet = Sheet.from_case(case)
        if not case.steps:
            written = await self._agent.ask(
                WritesSteps(sheet=sheet, answer=case.answer_text, image_ids=ids, pictures=pictures(case))
            )
            steps = tuple(SocraticStep.model_validate(step.model_dump()) for step in written.steps)
            steps = tuple(step if step.image in ids else step.model_copy(update={"image": None}) for step in steps)
            case = case.model_copy(update={"steps": steps})
        if case.script is None:
            script = await self._agent.ask(WritesScript(sheet=sheet, image_ids=ids))
            case = case.model_copy(update={"script": _as_script(script)})
        return case


def _as_script(written: WrittenScript) -> PatientScript:
    known = written.age is not None or written.sex is not None
    informant = (
        Informant(relation=written.informant, why="the patient cannot speak") if written.informant.strip() else None
    )
    return PatientScript(
        demographics=Demographics(age=written.age, sex=written.sex) if known else None,
        informant=informant,
        persona_tags=written.persona_tags,
        chief_complaint=written.chief_complaint,
        story=written.story,
        facts=tuple(Fact(about=fact.about, says=fact.says) for fact in written.facts),
        concerns=written.concerns,
        images={perception.image: perception.says for perception in written.images},
    )


class Patient:
    """Knows its script and nothing else; speaks in its persona's manner, or through an informant."""

    def __init__(self, episode: Episode, script: PatientScript, persona: Persona) -> None:
        self._agent, self._script, self._persona = episode.agent("patient"), script, persona
        self.name = script.informant.relation if script.informant else "patient"
        self._said: list[str] = []

    async def opens(self) -> str:
        """The first words."""
        reply = await self._agent.ask(
            PatientOpens(
                style=self._persona.style_prompt,
                archetype=self._persona.archetype,
                speaker=self.name,
                script=self._script,
            )
        )
        self._said.append(reply.response)
        return reply.response

    async def answers(self, questions: Sequence[str]) -> str:
        """One reply to all questions."""
        reply = await self._agent.ask(
            PatientAnswers(
                style=self._persona.style_prompt,
                archetype=self._persona.archetype,
                speaker=self.name,
                script=self._script,
                said_before=tuple(cut(words, 300) for words in self._said[-2:]),
                questions=tuple(cut(question, 300) for question in questions),
            )
        )
        self._said.append(reply.response)
        return reply.response


class Learner:
    """One student in its seat. Sees the case sheet, its own reports and what was said to the group."""

    def __init__(self, episode: Episode, seat: int, student: Student, names: list[str]) -> None:
        self.student, self.role = student, f"student-{seat}"
        self._agent, self._names = episode.agent(self.role, student.name), names

    @property
    def name(self) -> str:
        """What the group calls this student."""
        return self.student.name

    async def analyses(self, case: Case, room: Room) -> str:
        """The report to the tutor."""
        report = await self._agent.ask(
            StudentAnalyses(
                student=self.student,
                sheet=Sheet.from_case(case),
                pictures=pictures(case),
                own_last=room.own_last(self.name),
                history=room.heard_by_student(self.name, self._names),
            )
        )
        return report.analysis

    async def acts(self, case: Case, room: Room, has_patient: bool) -> StudentAction:
        """What the student asks of patient and expert."""
        action = await self._agent.ask(
            StudentActs(
                student=self.student,
                sheet=Sheet.from_case(case),
                pictures=pictures(case),
                own_last=room.own_last(self.name),
                history=room.heard_by_student(self.name, self._names),
                has_patient=has_patient,
            )
        )
        return (
            action if has_patient else StudentAction(query_for_patient=None, query_for_expert=action.query_for_expert)
        )

    async def chooses(self, case: Case, room: Room | None, notes: str = "") -> StudentChoice:
        """The private answer to a case."""
        return await self._agent.ask(
            StudentChooses(
                student=self.student,
                sheet=Sheet.from_case(case),
                pictures=pictures(case),
                notes=notes,
                history=room.heard_by_student(self.name, self._names) if room else (),
            )
        )


class Tutor:
    """Drafts guidance in the manner of its variant, and mends what reviewers refuse."""

    def __init__(self, episode: Episode, case: Case, variant: RoundsVariant) -> None:
        self._agent, self._case, self._kind = episode.agent("tutor"), case, variant.tutor

    async def drafts(self, room: Room, analyses: tuple[Analysis, ...]) -> Draft:
        """A first draft."""
        case, history, number = self._case, room.heard_by_tutor(), room.now.number
        sheet, key, images = Sheet.from_case(case), Key.from_case(case), pictures(case)
        if self._kind == "socratic":
            turn = await self._agent.ask(
                TutorGuides(sheet=sheet, key=key, pictures=images, history=history, round=number, analyses=analyses)
            )
            return Draft(guidance=turn.guidance, monologue=turn.internal_monologue)
        if self._kind == "no_thinking":
            words = await self._agent.ask(
                TutorAsks(sheet=sheet, key=key, pictures=images, history=history, round=number, analyses=analyses)
            )
        elif self._kind == "lecture":
            words = await self._agent.ask(
                TutorLectures(sheet=sheet, key=key, pictures=images, history=history, round=number, analyses=analyses)
            )
        elif self._kind == "plain":
            words = await self._agent.ask(
                TutorHelps(
                    sheet=sheet,
                    answer=case.answer_text,
                    pictures=images,
                    history=history,
                    round=number,
                    analyses=analyses,
                )
            )
        elif self._kind == "none":
            raise ValueError("the untutored variant has no tutor to draft anything")
        else:
            assert_never(self._kind)
        return Draft(guidance=words.guidance)

    async def revises(self, draft: Draft, objections: Sequence[Verdict], analyses: tuple[Analysis, ...]) -> Draft:
        """The same aim, mended."""
        revision = await self._agent.ask(
            TutorRevises(
                sheet=Sheet.from_case(self._case),
                key=Key.from_case(self._case),
                analyses=analyses,
                previous_guidance=draft.guidance,
                objections=tuple(
                    Objection(reviewer=verdict.reviewer, category=verdict.code, feedback=cut(verdict.feedback, 600))
                    for verdict in objections
                ),
            )
        )
        return Draft(guidance=revision.revised_guidance, monologue=draft.monologue)


class Specialist:
    """Two separate tasks: checks a draft's facts with the case in hand; answers general questions without it."""

    def __init__(self, episode: Episode, case: Case) -> None:
        self._agent, self._case = episode.agent("specialist"), case

    async def checks(self, draft: Draft) -> Verdict:
        """The fact check."""
        verdict = await self._agent.ask(
            ChecksFacts(sheet=Sheet.from_case(self._case), key=Key.from_case(self._case), statement=draft.guidance)
        )
        return Verdict(
            approved=verdict.is_correct, code="" if verdict.is_correct else "fact", feedback=verdict.feedback
        )

    async def answers(self, question: str) -> ExpertAnswer:
        """The textbook's answer."""
        return await self._agent.ask(AnswersKnowledge(question=cut(question, 400)))


class Supervisor:
    """Checks a draft's safety and tone. Sees the words only."""

    def __init__(self, episode: Episode) -> None:
        self._agent = episode.agent("supervisor")

    async def checks(self, draft: Draft) -> Verdict:
        """The safety check."""
        verdict = await self._agent.ask(ChecksSafety(statement=draft.guidance))
        return Verdict(
            approved=verdict.is_safe,
            code="" if verdict.is_safe else verdict.issue_category,
            feedback=verdict.feedback_and_suggestion,
        )


def reports(learners: Sequence[Learner], room: Room) -> tuple[Analysis, ...]:
    """This round's analyses as the tutor reads them, in the order they came."""
    by_name = {learner.name: learner for learner in learners}
    return tuple(
        Analysis(student=name, profile=profile_of(by_name[name].student), text=cut(text, ANALYSIS_CHARS))
        for name, text in room.now.analyses.items()
    )
