"""Questions that no episode of a rehearsal asks: to the author, whom shipped cases never need, and of an exam."""

from __future__ import annotations

from polyclinic.clinics.rounds.prompts.author import WritesMemories, WritesScript, WritesStep
from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.prompts.people import Sheet
from polyclinic.clinics.rounds.scenario.shipped import pictures, shipped_cases
from polyclinic.core.known_scene import KnownScene

CASES = 6


def known_scenes() -> tuple[KnownScene, ...]:
    """Asks for steps and script of a few cases, as if these had none, and one case as an exam question."""
    found: list[KnownScene] = []
    for case in shipped_cases()[:CASES]:
        sheet, ids = Sheet.from_case(case), tuple(image.id for image in case.images)
        step = WritesStep(sheet=sheet, answer=case.answer_text, image_ids=ids, pictures=pictures(case))
        memories = WritesMemories(sheet=sheet, speaker="", story=sheet.vignette)
        found += [KnownScene("author", prompt) for prompt in (step, WritesScript(sheet=sheet), memories)]
    case = shipped_cases()[0]
    asked = f"{case.vignette} {case.question}"
    exam = AnswersExam(question=asked, options=case.options, pictures=pictures(case))
    return (*found, KnownScene("tutor", exam, auditioned=False))
