"""The author, who writes what a case lacks: its steps, and the patient's script."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts.author import MOST_STEPS, NO_IMAGE, WritesMemories, WritesScript, WritesStep
from polyclinic.clinics.rounds.prompts.people import Sheet
from polyclinic.clinics.rounds.prompts.replies import WrittenMemories, WrittenScript
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
    """Writes the steps and the script of a case that has none."""

    def __init__(self, episode: Episode) -> None:
        self._agent = episode.agent("author")

    async def completes(self, case: TeachingCase) -> TeachingCase:
        """The case with steps and script."""
        if not case.steps:
            case = case.model_copy(update={"steps": await self._steps(case)})
        if case.script is None:
            case = case.model_copy(update={"script": await self._script(case)})
        return case

    async def _steps(self, case: TeachingCase) -> tuple[SocraticStep, ...]:
        """One step after the other, until one concludes. The last possible step must conclude: its form requires it."""
        sheet, ids = Sheet.from_case(case), tuple(image.id for image in case.images)
        steps: list[SocraticStep] = []
        while not steps or steps[-1].stage != "conclude":
            prompt = WritesStep(
                sheet=sheet,
                answer=case.answer_text,
                image_ids=ids,
                pictures=pictures(case),
                written=tuple(steps),
                last=len(steps) == MOST_STEPS - 1,
            )
            step = await self._agent.ask(prompt)
            image = step.image if step.image != NO_IMAGE else None
            steps.append(SocraticStep.model_validate(step.model_dump() | {"image": image}))
        return tuple(steps)

    async def _script(self, case: TeachingCase) -> PatientScript:
        """The patient's script: first the story, then what is remembered of it."""
        sheet = Sheet.from_case(case)
        story = await self._agent.ask(WritesScript(sheet=sheet))
        told = f"{story.chief_complaint} {story.story}"
        memories = await self._agent.ask(WritesMemories(sheet=sheet, speaker=story.informant.strip(), story=told))
        return _as_script(story, memories, [image.id for image in case.images])


def _as_script(written: WrittenScript, memories: WrittenMemories, image_ids: list[str]) -> PatientScript:
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
        facts=tuple(Fact(about=about, says=says) for about, says in memories.facts()),
        concerns=written.concerns,
        images=dict(zip(image_ids, memories.perceptions(), strict=True)),
    )
