"""The remaining understudies: patient, specialist, supervisor, author.

Mistakes: ``blabs`` (the patient names the diagnosis or treatment), ``lectures`` (the patient talks like a doctor),
``miss`` (a reviewer overlooks what it should catch), ``nonsense`` (a reviewer's reply cannot be read).
"""

from __future__ import annotations

import re
from typing import Any

from polyclinic.clinics.rounds.prompts import (
    AnswersKnowledge,
    ChecksFacts,
    ChecksSafety,
    PatientAnswers,
    PatientOpens,
    WritesScript,
    WritesSteps,
)
from polyclinic.clinics.rounds.prompts.replies import (
    ExpertAnswer,
    FactVerdict,
    PatientSays,
    SafetyVerdict,
    WrittenFact,
    WrittenPerception,
    WrittenScript,
    WrittenStep,
    WrittenSteps,
)
from polyclinic.clinics.rounds.rules.teaching import harms, nearest_fact, said_falsely
from polyclinic.clinics.rounds.rules.words import sentences
from polyclinic.clinics.rounds.scenario.case import SPEAKS_FROM_AGE, PatientScript
from polyclinic.clinics.rounds.scenario.loaders import stated_demographics
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.clinics.rounds.understudies.textbook import glossary, terms_in
from polyclinic.clinics.rounds.understudies.tutor import as_case
from polyclinic.core.understudy import Ask, Understudy, answers

_OPENERS = {
    "anxious worrier": "I am so worried.",
    "stoic endurer": "It will pass.",
    "optimist": "Well, here I am, your star guest.",
    "complainer": "I have been waiting for ages.",
    "dramatiser": "You have no idea what I am going through.",
    "inquisitive analyst": "Let me tell it in order.",
}
_FOR_ANOTHER = {
    "anxious worrier": "Please tell me it is not serious.",
    "stoic endurer": "I will keep it short.",
    "optimist": "I am glad that you are here.",
    "complainer": "Somebody finally comes.",
    "dramatiser": "I have never been so frightened.",
    "inquisitive analyst": "I will tell it in order.",
}
_PARTICULAR = re.compile(
    r"\b(this patient|our patient|this case|the patient's|should we|what should|which option|the diagnosis here|"
    r"next step)\b",
    re.IGNORECASE,
)
_UNCONSCIOUS = re.compile(r"\b(unconscious|unresponsive|comatose|intubated|mute|aphasi)", re.IGNORECASE)


def _opener(archetype: str, script: PatientScript) -> str:
    return (_FOR_ANOTHER if script.informant else _OPENERS)[archetype]


class PatientUnderstudy(Understudy):
    """Finds the memories that a batch of questions asks for and tells them once, in its manner."""

    @answers(PatientOpens)
    def opens(self, ask: Ask[PatientOpens]) -> PatientSays:
        """The chief complaint, coloured."""
        prompt = ask.prompt
        return PatientSays(
            response=f"{_opener(prompt.archetype, prompt.script)} {prompt.script.chief_complaint} {prompt.script.story}"
        )

    @answers(PatientAnswers)
    def responds(self, ask: Ask[PatientAnswers]) -> PatientSays:
        """All questions in one reply; what it does not know it says so."""
        prompt, script = ask.prompt, ask.prompt.script
        keywords = [fact.about for fact in script.facts]
        told: list[str] = []
        unknown = False
        for question in prompt.questions:
            number = nearest_fact(question, keywords)
            if number is None:
                unknown = True
            elif script.facts[number].says not in told:
                told.append(script.facts[number].says)
        if unknown:
            told.append("About the rest I really could not say.")
        if not told:
            told.append(script.chief_complaint)
        if ask.mistake("blabs"):
            told.append(self._blab(script.chief_complaint))
        if ask.mistake("lectures"):
            told.append("I suspect a tachycardia with hypotension.")
        heard = " ".join(prompt.said_before)
        if script.concerns not in heard:
            told.append(script.concerns)
        if len(prompt.said_before) < 2:
            told.insert(0, _opener(prompt.archetype, script))
        return PatientSays(response=" ".join(told))

    @staticmethod
    def _blab(complaint: str) -> str:
        case = next(
            case for case in shipped_cases() if case.script is not None and case.script.chief_complaint == complaint
        )
        return f"Somebody said that it is about {case.gives_away[0]}."


class SpecialistUnderstudy(Understudy):
    """Knows the pitfalls of the case it checks, and a glossary for general questions."""

    @answers(ChecksFacts)
    def checks(self, ask: Ask[ChecksFacts]) -> FactVerdict | str:
        """Refuses what the case lists as often said wrongly."""
        if ask.mistake("nonsense"):
            return "well, who knows"
        found = said_falsely(as_case(ask.prompt.sheet, ask.prompt.key), ask.prompt.statement)
        if not found or ask.mistake("miss"):
            return FactVerdict(is_correct=True, feedback="")
        return FactVerdict(is_correct=False, feedback=" ".join(f"{pitfall.right}." for pitfall in found))

    @answers(AnswersKnowledge)
    def explains(self, ask: Ask[AnswersKnowledge]) -> ExpertAnswer:
        """A glossary entry; nothing for questions about a particular patient."""
        question = ask.prompt.question
        terms = terms_in(question)
        if _PARTICULAR.search(question) or not terms:
            return ExpertAnswer(answer_provided=False, explanation="")
        return ExpertAnswer(answer_provided=True, explanation=glossary()[terms[0]])


class SupervisorUnderstudy(Understudy):
    """Listens for words that harm."""

    @answers(ChecksSafety)
    def checks(self, ask: Ask[ChecksSafety]) -> SafetyVerdict | str:
        """Refuses what is unsafe, unethical, biased, demeaning or private."""
        if ask.mistake("nonsense"):
            return "no comment"
        found = harms(ask.prompt.statement)
        if not found or ask.mistake("miss"):
            return SafetyVerdict(is_safe=True, issue_category="", feedback_and_suggestion="")
        category, phrase = found[0]
        advice = f"Leave out '{phrase}' and invite the group to think instead."
        return SafetyVerdict(is_safe=False, issue_category=category, feedback_and_suggestion=advice)


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
