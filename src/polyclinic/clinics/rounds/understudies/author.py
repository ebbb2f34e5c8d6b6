"""The author offline: plain steps and a plain script for cases from other collections."""

from __future__ import annotations

import re
from typing import Any

from polyclinic.clinics.rounds.prompts import WritesScript, WritesSteps
from polyclinic.clinics.rounds.prompts.replies import (
    WrittenFact,
    WrittenPerception,
    WrittenScript,
    WrittenStep,
    WrittenSteps,
)
from polyclinic.clinics.rounds.scenario.case import SPEAKS_FROM_AGE
from polyclinic.clinics.rounds.scenario.loaders import stated_demographics
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.sentences import sentences

_UNCONSCIOUS = re.compile(r"\b(unconscious|unresponsive|comatose|intubated|mute|aphasi)", re.IGNORECASE)


class AuthorUnderstudy(Understudy):
    """Writes plain steps and a plain script for cases from other collections, from the sheet alone."""

    @answers(WritesSteps)
    def steps(self, ask: Ask[WritesSteps]) -> WrittenSteps:
        """Gather, look at each picture, weigh, conclude."""
        prompt = ask.prompt
        story = sentences(prompt.sheet.vignette)
        made: list[Any] = [
            ("observe", "Which features of the story matter most here, and why?", " ".join(story[:2]), None)
        ]
        for number, image in enumerate(prompt.image_ids, start=1):
            question = f"What do you see in picture {number}, before you interpret it?"
            made.append(("observe", question, f"A description of picture {number} without a conclusion.", image))
        made.append(
            (
                "interpret",
                "Which mechanism or disease could join these findings, and what speaks against it?",
                story[-1],
                None,
            )
        )
        made.append(("conclude", prompt.sheet.question, f"The answer is {prompt.answer}.", None))
        return WrittenSteps(
            steps=tuple(WrittenStep(stage=a, key_question=b, step_summary=c, image=d) for a, b, c, d in made)
        )

    @answers(WritesScript)
    def script(self, ask: Ask[WritesScript]) -> WrittenScript:
        """The story cut into memories; a small child or an unconscious patient gets an informant."""
        prompt = ask.prompt
        who = stated_demographics(prompt.sheet.vignette)
        age, sex = (who.age, who.sex) if who else (None, None)
        silent = (age is not None and age < SPEAKS_FROM_AGE) or _UNCONSCIOUS.search(prompt.sheet.vignette) is not None
        speaker = "parent" if age is not None and age < SPEAKS_FROM_AGE else "relative"
        topics = (
            ("start", "when", "long"),
            ("pain", "hurt", "feel"),
            ("medicine", "tablets"),
            ("family", "before", "history"),
        )
        memories = (
            "It started not long ago.",
            "It bothers me a good deal.",
            "I cannot say more about medicines.",
            "Nobody told me of anything like it before.",
        )
        return WrittenScript(
            age=age,
            sex=sex,
            informant=speaker if silent else "",
            persona_tags=tuple(filter(None, (sex or "", "adult" if age is None or age >= 18 else "child"))),
            chief_complaint="I have not been well and they told me to come here.",
            story="I can only tell you how it feels; the rest is on the sheet that you have.",
            facts=tuple(WrittenFact(about=about, says=says) for about, says in zip(topics, memories, strict=True)),
            concerns="I would like to know what comes next.",
            images=tuple(
                WrittenPerception(image=image, says="They took a picture; I did not see much.")
                for image in prompt.image_ids
            ),
        )
