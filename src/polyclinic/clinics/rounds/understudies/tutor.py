"""The tutor's understudies: one that asks for the next Socratic step, one plain, one that lectures; and their mistakes.
They read reports by meaning, as a tutor does.

Mistakes: ``leak`` (names the answer), ``false_fact`` (states one of the case's pitfalls and no more), ``harm`` (an
unsafe or demeaning sentence and no more), ``tells`` (explains the step instead of asking), ``ignores`` (speaks to one
student only), ``aimless`` (asks nothing that leads to the next step), ``bad_form`` (breaks the form of its thinking),
``stubborn`` (does not correct a refused draft).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.prompts.people import CaseKey
from polyclinic.clinics.rounds.prompts.replies import TutorThoughts, thoughts_about
from polyclinic.clinics.rounds.prompts.tutor import (
    TutorAsks,
    TutorGuides,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    TutorThinks,
)
from polyclinic.clinics.rounds.readings import HARM, CaseRead
from polyclinic.clinics.rounds.rules.thinking import write_output
from polyclinic.clinics.rounds.state import Analysis
from polyclinic.clinics.rounds.understudies.textbook import look_up, read_of, sounds_false, steps_in
from polyclinic.clinics.rounds.understudies.voices import TutorVoice, voice
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.text.sentences import is_question, sentences

P = TypeVar("P", TutorGuides, TutorThinks, TutorAsks, TutorLectures, TutorRevises)
SLIPS = 0.35
"""How often the plain tutor repeats a common error, and also how often it says something harmful."""


def _made(ask: Ask[Any], analysis: Analysis, read: CaseRead) -> tuple[int, ...]:
    """The steps that a student has shown, now or earlier."""
    return tuple(sorted({*steps_in(ask, analysis.text, read), *steps_in(ask, analysis.earlier, read)}))


class ReportGroup:
    """The reports of a round as the tutor understands them: who holds which step, and which step is next."""

    def __init__(self, ask: Ask[P]) -> None:
        prompt = ask.prompt
        self.key, self.analyses, self.speaks = prompt.key, prompt.analyses, voice(prompt.cue.voice)
        self.case = look_up(prompt.cue.case)
        read = read_of(prompt.sheet, prompt.key)
        self.held = {analysis.student: _made(ask, analysis, read) for analysis in self.analyses}

    @property
    def next(self) -> int:
        """The first step that not every student holds yet; the last step if all students hold all steps."""
        steps = range(len(self.key.steps))
        return next((n for n in steps if not all(n in held for held in self.held.values())), len(self.key.steps) - 1)

    def holders(self, number: int) -> list[str]:
        """Who holds a step."""
        return [name for name, held in self.held.items() if number in held]

    def question(self, number: int) -> str:
        """How this tutor asks for a step."""
        own = self.speaks.step(self.case, number)
        return own.asks if own else self.key.steps[number].key_question

    def says(self, number: int) -> str:
        """What this tutor says of a step."""
        own = self.speaks.step(self.case, number)
        return own.says if own else self.key.steps[number].step_summary

    def names(self, number: int) -> list[str]:
        """All students; those who need the step come first."""
        got = self.holders(number)
        return [*(name for name in self.held if name not in got), *got]


def _about(mine: TutorVoice, analysis: Analysis, held: Sequence[int], key: CaseKey) -> str:
    missing = next((step for number, step in enumerate(key.steps) if number not in held), None)
    steps = ", ".join(str(number + 1) for number in held)
    name = f"{analysis.student} ({analysis.profile.partition(';')[0]})"
    has = mine.has.format(name=name, steps=steps) if held else mine.has_none.format(name=name)
    return has + (mine.needs.format(find=missing.step_summary) if missing else mine.complete)


def thinking(group: ReportGroup, with_images: bool) -> str:
    """A monologue in the right form, about this group."""
    return thoughts(group, with_images).written([item.student for item in group.analyses])


def thoughts(group: ReportGroup, with_images: bool) -> TutorThoughts:
    """The thoughts about this group, part by part."""
    mine, key, number = group.speaks.tutor, group.key, group.next
    step, got = key.steps[number], group.holders(number)
    others = [name for name in group.held if name not in got]
    lead = mine.holding.format(names=", ".join(got)) if got else mine.nobody
    picture = mine.picture.format(find=step.step_summary) if step.image is not None else mine.no_picture
    about = {
        f"student_{place}": _about(mine, item, group.held[item.student], key)
        for place, item in enumerate(group.analyses, start=1)
    }
    form = thoughts_about(tuple(item.student for item in group.analyses), with_images)
    parts = {
        "history": mine.history.format(made=number, all=len(key.steps)),
        "question": mine.aim.format(number=number + 1, find=step.step_summary),
        **about,
        "group": f"{lead}{mine.blind.format(names=', '.join(others) or 'nobody')}",
    }
    return form.model_validate(parts | ({"image": picture} if with_images else {}))


def socratic_words(ask: Ask[TutorGuides], group: ReportGroup) -> str:
    """Summarise, affirm, connect, ask: every student is named; those who need the step come first."""
    mine, number = group.speaks.tutor, group.next
    names = group.names(number)
    if len(names) == 1:
        return f"{mine.alone.format(name=names[0])} {group.question(number)}"
    thanks = ask.random.choice(mine.thanks).format(names=f"{', '.join(names[:-1])} and {names[-1]}")
    link = ask.random.choice(mine.links).format(first=names[0], last=names[-1])
    return f"{thanks} {group.question(number)} {link}"


class TutorUnderstudy(Understudy):
    """Asks for the next step; with mistakes, does what a bad tutor does."""

    @answers(TutorThinks)
    def thinks(self, ask: Ask[TutorThinks]) -> TutorThoughts:
        """Only the thinking."""
        return thoughts(ReportGroup(ask), bool(ask.prompt.sheet.captions))

    @answers(TutorGuides)
    def guides(self, ask: Ask[TutorGuides]) -> str:
        """Thinking and guidance."""
        group = ReportGroup(ask)
        monologue = thinking(group, bool(ask.prompt.sheet.captions))
        if ask.mistake("bad_form"):
            monologue = monologue.replace("<think_group>", "<think_everyone>").replace(
                "</think_group>", "</think_everyone>"
            )
        return write_output(monologue, _spoiled(ask, group, socratic_words(ask, group)))

    @answers(TutorAsks)
    def asks_only(self, ask: Ask[TutorAsks]) -> str:
        """The same question without thinking about who needs it; it addresses nobody in particular."""
        group = ReportGroup(ask)
        return _spoiled(ask, group, f"{group.speaks.tutor.bare} {group.question(group.next)}")

    @answers(AnswersExam)
    def answers_exam(self, ask: Ask[AnswersExam]) -> str:
        """It has no knowledge for exams, so it guesses."""
        return f"Answer: {ask.random.choice(list(ask.prompt.options))}"

    @answers(TutorHelps)
    def helps(self, ask: Ask[TutorHelps]) -> str:
        """Explains a little, asks a little, has no plan; now and then it repeats a common error or loses patience."""
        prompt, mine = ask.prompt, voice(ask.prompt.cue.voice).tutor
        story = sentences(prompt.sheet.vignette)
        spoken = sum(line.speaker == "tutor" for line in prompt.history)
        words = mine.helps.format(pick=story[spoken % len(story)], name=prompt.analyses[0].student)
        known = look_up(prompt.cue.case)
        if known is not None and known.pitfalls and ask.chance("slip", SLIPS):
            words = f"{known.pitfalls[ask.random.randrange(len(known.pitfalls))].wrong}."
        if ask.chance("temper", SLIPS):
            words = ask.random.choice(mine.harms)
        return words

    @answers(TutorLectures)
    def lectures(self, ask: Ask[TutorLectures]) -> str:
        """Explains one step after the other, for any group; leaves out what it takes for the answer."""
        prompt, group = ask.prompt, ReportGroup(ask)
        mine, read = group.speaks.tutor, read_of(prompt.sheet, prompt.key)
        number = min(sum(line.speaker == "tutor" for line in prompt.history), len(prompt.key.steps) - 1)
        lesson = " ".join(part for part in sentences(group.says(number)) if not ask.understands(part, read.leak()))
        return f"{mine.lectures} {lesson or mine.lecture_ends}"

    @answers(TutorRevises)
    def revises(self, ask: Ask[TutorRevises]) -> str:
        """Removes sentences that it finds harmful, false or giving the answer away, and keeps its way of teaching. If
        it finds nothing to remove, or nothing useful is left, it starts over.
        """
        prompt = ask.prompt
        if ask.mistake("stubborn"):
            return prompt.previous_guidance
        group, read = ReportGroup(ask), read_of(prompt.sheet, prompt.key)
        mine, said = group.speaks.tutor, sentences(prompt.previous_guidance)
        kept = [part for part in said if not _bad(ask, read, part)]
        lecture = prompt.previous_guidance.startswith((mine.lectures, mine.lecture_ends))
        if len(kept) < len(said) and any(is_question(part) or lecture for part in kept):
            return " ".join(kept)
        return mine.lecture_ends if lecture else f"{mine.bare} {group.question(group.next)}"


def _bad(ask: Ask[TutorRevises], read: CaseRead, part: str) -> bool:
    return sounds_false(ask, part, read) or any(ask.understands(part, each) for each in (HARM.ask(), read.leak()))


def _spoiled(ask: Ask[P], group: ReportGroup, words: str) -> str:
    """The words with the mistakes that this tutor was told to make."""
    mine, number = group.speaks.tutor, group.next
    first = group.analyses[0].student
    if ask.mistake("tells"):
        words = f"{mine.tells} {group.says(number)}"
    if ask.mistake("aimless"):
        words = mine.aimless.format(name=first)
    if ask.mistake("ignores"):
        words = f"{mine.ignores.format(name=first)} {group.question(number)}"
    if ask.mistake("false_fact") and group.key.pitfalls:
        words = f"{group.key.pitfalls[ask.random.randrange(len(group.key.pitfalls))].wrong}."
    if ask.mistake("harm"):
        words = ask.random.choice(mine.harms)
    if ask.mistake("leak"):
        words = f"{mine.leaks.format(answer=group.key.answer)} {words}"
    return words
