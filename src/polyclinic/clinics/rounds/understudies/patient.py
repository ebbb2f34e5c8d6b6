"""The patient offline: finds the memories that a question asks for and tells each of them once.

Mistakes: ``blabs`` (names the diagnosis or treatment), ``lectures`` (talks like a doctor).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyclinic.clinics.rounds.prompts.patient import PatientAnswers, PatientOpens
from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.clinics.rounds.understudies.textbook import look_up
from polyclinic.clinics.rounds.understudies.voices import PatientVoice, voice
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.reading.words import content
from polyclinic.text.words import STOP_WORDS, ContentWords

_words = ContentWords(STOP_WORDS, least=4, digits=True, same={"medicines": "medicine"})
_WHEN = re.compile(
    r"\b(?:when|since|how long|how did)\b.*\b(?:start|begin|began|come on|happen|like this)", re.IGNORECASE
)


def nearest_fact(question: str, keywords: Sequence[Sequence[str]]) -> int | None:
    """The memory that a question brings back: the memory that shares most words with the question; None if no memory
    shares any.
    """
    asked = _words(question)
    scores = [sum(bool(_words(keyword) & asked) for keyword in group) for group in keywords]
    best = max(scores, default=0)
    return scores.index(best) if best else None


def _remembers(question: str, keywords: Sequence[Sequence[str]], script: PatientScript) -> str:
    """What a question brings back: a memory, the story for a question about how it began, or for a question about pain
    a line about pain, in any word for it; empty if there is none.
    """
    number = nearest_fact(question, keywords)
    if number is not None:
        return script.facts[number].says
    if _WHEN.search(question):
        return script.story
    pain = content("pain") & content(question)
    lines = (script.chief_complaint, *(fact.says for fact in script.facts), script.story)
    return next((line for line in lines if pain & content(line)), "")


def _opener(mine: PatientVoice, archetype: str, script: PatientScript) -> str:
    return (mine.for_another if script.informant else mine.openers)[archetype]


class PatientUnderstudy(Understudy):
    """Finds the memories that a batch of questions asks for, and tells each once, in the persona's manner."""

    @answers(PatientOpens)
    def opens(self, ask: Ask[PatientOpens]) -> str:
        """The chief complaint, in the persona's manner."""
        prompt, mine = ask.prompt, voice(ask.prompt.cue.voice).patient
        opener = _opener(mine, prompt.cue.archetype, prompt.script)
        return f"{opener} {prompt.script.chief_complaint} {prompt.script.story}"

    @answers(PatientAnswers)
    def responds(self, ask: Ask[PatientAnswers]) -> str:
        """Answers all questions in one reply, and says so if it does not know something."""
        prompt, script = ask.prompt, ask.prompt.script
        mine = voice(prompt.cue.voice).patient
        keywords = [fact.about for fact in script.facts]
        found = [_remembers(question, keywords, script) for question in prompt.questions]
        told = list(dict.fromkeys(filter(None, found)))
        if "" in found:
            told.append(mine.unknown if told else mine.no_memory)
        if ask.mistake("blabs"):
            case = look_up(prompt.cue.case)
            told.append(mine.blabs.format(name=case.gives_away[0] if case else script.chief_complaint))
        if ask.mistake("lectures"):
            told.append(mine.lectures)
        said = [message.content for message in ask.request.messages if message.role == "assistant"]
        if script.concerns not in " ".join(said):
            told.append(script.concerns)
        if len(said) < 2:
            told.insert(0, _opener(mine, prompt.cue.archetype, script))
        return " ".join(told)
