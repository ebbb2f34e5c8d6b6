"""The tutor's understudies: one that asks from the next Socratic step, one plain, one that lectures; and their
mistakes.

Mistakes: ``leak`` (names the answer), ``false_fact`` (states one of the case's pitfalls), ``harm`` (an unsafe or
demeaning sentence), ``tells`` (explains the step instead of asking), ``ignores`` (speaks to one student only),
``aimless`` (asks for nothing that leads on), ``bad_form`` (breaks the form of its thinking), ``stubborn`` (does not
mend a refused draft).
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from polyclinic.clinics.rounds.prompts import (
    Key,
    Sheet,
    TutorAsks,
    TutorGuides,
    TutorHelps,
    TutorLectures,
    TutorRevises,
)
from polyclinic.clinics.rounds.prompts.replies import Revision, TutorTurn, TutorWords
from polyclinic.clinics.rounds.rules.leak import leak
from polyclinic.clinics.rounds.rules.teaching import harms, holds, said_falsely
from polyclinic.clinics.rounds.rules.thinking import write_thinking
from polyclinic.clinics.rounds.scenario.case import Case, SocraticStep
from polyclinic.clinics.rounds.scenario.shipped import PACKAGE
from polyclinic.clinics.rounds.state import Analysis
from polyclinic.clinics.rounds.understudies.textbook import look_up
from polyclinic.core.files import package_data
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.sentences import is_question, sentences

SLIPS = 0.35
"""How often the plain tutor repeats a common error, and how often it says something it should not."""


@lru_cache(maxsize=1)
def planted_harms() -> tuple[str, ...]:
    """The unsafe and demeaning sentences that a misbehaving tutor plants."""
    plain = package_data(PACKAGE, "data/harm.yaml")
    return tuple(str(entry["says"]) for entry in plain["planted"])


def next_step(key: Key, analyses: tuple[Analysis, ...]) -> int:
    """The first step that not yet every student holds; the last when all do."""
    for number, step in enumerate(key.steps):
        if not all(holds(analysis.text, step) for analysis in analyses):
            return number
    return len(key.steps) - 1


def as_case(sheet: Sheet, key: Key) -> Case:
    """The case as the prompt tells it, with the textbook's words that give the answer away where it knows them."""
    known = look_up(sheet.case_id)
    letter = next((letter for letter, words in sheet.options.items() if words == key.answer), key.answer)
    return Case(
        id=sheet.case_id,
        title="",
        specialty="",
        vignette=sheet.vignette,
        question=sheet.question,
        options=sheet.options,
        answer=letter,
        gives_away=known.gives_away if known else (),
        pitfalls=key.pitfalls,
    )


def _holders(step: SocraticStep, analyses: tuple[Analysis, ...]) -> list[str]:
    return [analysis.student for analysis in analyses if holds(analysis.text, step)]


def _summary(analysis: Analysis, key: Key) -> str:
    held = [str(n) for n, step in enumerate(key.steps, start=1) if holds(analysis.text, step)]
    missing = next((step for step in key.steps if not holds(analysis.text, step)), None)
    has = f"{analysis.student} has made step {', '.join(held)}" if held else f"{analysis.student} has made no step yet"
    needs = f" and still needs this: {missing.step_summary}" if missing else " and holds the whole chain."
    return f"{has}{needs} Profile: {cut(analysis.profile, 80)}"


def _picture_thought(key: Key, number: int) -> str:
    step = key.steps[number]
    if step.image is not None:
        return f"The picture matters now: {step.step_summary}"
    return "The picture is not the matter of this step; it stays in view."


def thinking(key: Key, analyses: tuple[Analysis, ...], number: int, round_number: int, with_images: bool) -> str:
    """A monologue in the right form, about this very group."""
    step = key.steps[number]
    got = _holders(step, analyses)
    others = [analysis.student for analysis in analyses if analysis.student not in got]
    group = f"{', '.join(got)} already hold this step; " if got else "Nobody holds this step yet; "
    return write_thinking(
        f"This is round {round_number}. The group as a whole has made {number} of {len(key.steps)} steps.",
        f"The aim now is step {number + 1}: {step.step_summary}",
        [(analysis.student, _summary(analysis, key)) for analysis in analyses],
        f"{group}the shared blind spot is with {', '.join(others) or 'nobody'}. They report different leanings.",
        _picture_thought(key, number) if with_images else None,
    )


_THANKS = (
    "Thank you all; {names}, your views differ and that helps us.",
    "{names}, I have read your reports with pleasure; let us put them side by side.",
    "Good work, {names}: each of you holds a piece.",
    "You have thought about this, {names}, and not all in the same way.",
)
_LINKS = (
    "{first}, how would you answer {last} on this?",
    "{first}, what would you say to {last}, and where do you two differ?",
    "{first}, could you and {last} test each other's view of it?",
)


def socratic_words(key: Key, analyses: tuple[Analysis, ...], number: int, chance: random.Random) -> str:
    """Summarise, affirm, connect, ask: every student is named, those who need it first."""
    step = key.steps[number]
    got = _holders(step, analyses)
    waiting = [analysis.student for analysis in analyses if analysis.student not in got]
    names = [*waiting, *got]
    if len(names) == 1:
        return f"Thank you, {names[0]}, that is a careful start. {step.key_question}"
    thanks = chance.choice(_THANKS).format(names=f"{', '.join(names[:-1])} and {names[-1]}")
    link = chance.choice(_LINKS).format(first=names[0], last=names[-1])
    return f"{thanks} {step.key_question} {link}"


class TutorUnderstudy(Understudy):
    """Asks from the next step; with mistakes, does what a bad tutor does."""

    @answers(TutorGuides)
    def guides(self, ask: Ask[TutorGuides]) -> TutorTurn:
        """Thinking and guidance."""
        prompt = ask.prompt
        number = next_step(prompt.key, prompt.analyses)
        with_images = bool(prompt.sheet.captions)
        monologue = thinking(prompt.key, prompt.analyses, number, prompt.round, with_images)
        if ask.mistake("bad_form"):
            monologue = monologue.replace("<think_group>", "<think_everyone>").replace(
                "</think_group>", "</think_everyone>"
            )
        asked = socratic_words(prompt.key, prompt.analyses, number, ask.random)
        words = self._spoil(ask, prompt.key, prompt.analyses, number, asked)
        return TutorTurn(internal_monologue=monologue, guidance=words)

    @answers(TutorAsks)
    def asks_only(self, ask: Ask[TutorAsks]) -> TutorWords:
        """The same question without thinking about who needs it: a bare question to nobody in particular."""
        prompt = ask.prompt
        number = next_step(prompt.key, prompt.analyses)
        words = f"Let us go on. {prompt.key.steps[number].key_question}"
        return TutorWords(guidance=self._spoil(ask, prompt.key, prompt.analyses, number, words))

    @answers(TutorHelps)
    def helps(self, ask: Ask[TutorHelps]) -> TutorWords:
        """Explains a little, asks a little, has no plan; now and then it repeats a common error or loses patience."""
        prompt = ask.prompt
        story = sentences(prompt.sheet.vignette)
        pick = story[(prompt.round - 1) % len(story)]
        first = prompt.analyses[0].student
        words = f"Good effort. Remember this from the story: {pick} {first}, what do you make of it?"
        known = look_up(prompt.sheet.case_id)
        if known is not None and known.pitfalls and ask.chance("slip", SLIPS):
            words = f"{known.pitfalls[ask.random.randrange(len(known.pitfalls))].wrong}. {words}"
        if ask.chance("temper", SLIPS):
            planted = planted_harms()
            words = f"{planted[ask.random.randrange(len(planted))]} {words}"
        return TutorWords(guidance=words)

    @answers(TutorLectures)
    def lectures(self, ask: Ask[TutorLectures]) -> TutorWords:
        """Explains the step that the round's number says, whoever sits there; keeps the answer's name back."""
        prompt = ask.prompt
        step = prompt.key.steps[min(prompt.round, len(prompt.key.steps)) - 1]
        said = sentences(step.step_summary)
        case = as_case(prompt.sheet, prompt.key)
        heard = [analysis.text for analysis in prompt.analyses]
        kept = [part for part in said if not leak(case, part, heard)]
        lesson = (
            " ".join(kept) or "The last step follows from all that I have explained; go through it once more at home."
        )
        return TutorWords(guidance=f"Please write this down. {lesson}")

    @answers(TutorRevises)
    def revises(self, ask: Ask[TutorRevises]) -> Revision:
        """Takes out the sentences that were objected to, and keeps the question."""
        prompt = ask.prompt
        if ask.mistake("stubborn"):
            return Revision(revised_guidance=prompt.previous_guidance)
        case = as_case(prompt.sheet, prompt.key)
        heard = [analysis.text for analysis in prompt.analyses]
        kept = [
            part
            for part in sentences(prompt.previous_guidance)
            if not harms(part) and not said_falsely(case, part) and not leak(case, part, heard)
        ]
        if not any(map(is_question, kept)):
            kept.append(prompt.key.steps[next_step(prompt.key, prompt.analyses)].key_question)
        return Revision(revised_guidance=" ".join(kept))

    @staticmethod
    def _spoil(ask: Ask[Any], key: Key, analyses: tuple[Analysis, ...], number: int, words: str) -> str:
        step = key.steps[number]
        if ask.mistake("tells"):
            words = f"I will tell you. {step.step_summary}"
        if ask.mistake("aimless"):
            words = f"{analyses[0].student} and all, how do you like the weather today?"
        if ask.mistake("ignores"):
            words = f"{analyses[0].student}, only you now. {step.key_question}"
        if ask.mistake("false_fact") and key.pitfalls:
            words = f"{key.pitfalls[ask.random.randrange(len(key.pitfalls))].wrong}. {words}"
        if ask.mistake("harm"):
            planted = planted_harms()
            words = f"{planted[ask.random.randrange(len(planted))]} {words}"
        if ask.mistake("leak"):
            words = f"The answer is {key.answer}. {words}"
        return words
