"""The author offline: plain steps and a plain script for cases from other collections."""

from __future__ import annotations

import re

from polyclinic.clinics.rounds.prompts.author import NO_IMAGE, WritesMemories, WritesScript, WritesStep
from polyclinic.clinics.rounds.prompts.replies import WrittenMemories, WrittenScript, WrittenStep, memories_form
from polyclinic.clinics.rounds.scenario.case import SPEAKS_FROM_AGE, TeachingStage
from polyclinic.clinics.rounds.scenario.loaders import stated_demographics
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.sentences import sentences

_UNCONSCIOUS = re.compile(r"\b(unconscious|unresponsive|comatose|intubated|mute|aphasi)", re.IGNORECASE)
_MEMORIES = (
    (("start", "when", "long"), "It started not long ago."),
    (("pain", "hurt", "feel"), "It bothers me a good deal."),
    (("medicine", "tablets"), "I cannot say more about medicines."),
    (("family", "before", "history"), "Nobody told me of anything like it before."),
)


class AuthorUnderstudy(Understudy):
    """Writes plain steps and a plain script for cases from other collections, from the sheet alone."""

    @answers(WritesStep)
    def step(self, ask: Ask[WritesStep]) -> WrittenStep:
        """The next step: gather, look at each picture, interpret, conclude."""
        prompt = ask.prompt
        story = sentences(prompt.sheet.vignette)
        first = "Which features of the story matter most here, and why?"
        made: list[tuple[TeachingStage, str, str, str]] = [("observe", first, " ".join(story[:2]), NO_IMAGE)]
        for number, image in enumerate(prompt.image_ids, start=1):
            question = f"What do you see in picture {number}, before you interpret it?"
            made.append(("observe", question, f"A description of picture {number} without a conclusion.", image))
        question = "Which mechanism or disease could join these findings, and what speaks against it?"
        made.append(("interpret", question, story[-1], NO_IMAGE))
        made.append(("conclude", prompt.sheet.question, f"The answer is {prompt.answer}.", NO_IMAGE))
        stage, question, summary, image = made[-1 if prompt.last else min(len(prompt.written), len(made) - 1)]
        return WrittenStep(key_question=question, step_summary=summary, stage=stage, image=image or NO_IMAGE)

    @answers(WritesScript)
    def script(self, ask: Ask[WritesScript]) -> WrittenScript:
        """A plain story; a small child or an unconscious patient gets an informant."""
        prompt = ask.prompt
        who = stated_demographics(prompt.sheet.vignette)
        age, sex = (who.age, who.sex) if who else (None, None)
        silent = (age is not None and age < SPEAKS_FROM_AGE) or _UNCONSCIOUS.search(prompt.sheet.vignette) is not None
        speaker = "parent" if age is not None and age < SPEAKS_FROM_AGE else "relative"
        return WrittenScript(
            age=age,
            sex=sex,
            informant=speaker if silent else "",
            persona_tags=tuple(filter(None, (sex or "", "adult" if age is None or age >= 18 else "child"))),
            chief_complaint="I have not been well and they told me to come here.",
            story="I can only tell you how it feels; the rest is on the sheet that you have.",
            concerns="I would like to know what comes next.",
        )

    @answers(WritesMemories)
    def memories(self, ask: Ask[WritesMemories]) -> WrittenMemories:
        """Memories so general that they fit any case."""
        said: dict[str, tuple[str, ...] | str] = {}
        for number, (asked, memory) in enumerate(_MEMORIES, start=1):
            said |= {f"memory_{number}_asked": asked, f"memory_{number}": memory}
        many = len(ask.prompt.sheet.captions)
        pictures = [f"picture_{number}" for number in range(1, many + 1)]
        said |= dict.fromkeys(pictures, "They took a picture; I did not see much.")
        return memories_form(many).model_validate(said)
