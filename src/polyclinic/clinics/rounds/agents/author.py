"""The author of what a case lacks: its steps, and the patient's memory of it."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts import Sheet, WritesScript, WritesSteps
from polyclinic.clinics.rounds.prompts.replies import WrittenScript
from polyclinic.clinics.rounds.scenario.case import (
    Demographics,
    Fact,
    Informant,
    PatientScript,
    SocraticStep,
    TeachingCase,
)
from polyclinic.clinics.rounds.scenario.shipped import pictures
from polyclinic.core.episode import Episode


class Author:
    """Writes the steps and the script of a case that came without."""

    def __init__(self, episode: Episode) -> None:
        self._agent = episode.agent("author")

    async def completes(self, case: TeachingCase) -> TeachingCase:
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
