"""The patient by rule: it minds the lines in its prompt, but overlooks some when there are many, and it falls for every
trick that nothing in its prompt warns of.

It knows nothing but its prompt. A line warns of a kind of question; a demonstration warns when it shows someone
declining a question of that kind, of a kind that is after the same thing, or one in nearly the same words. Everything
that makes it better must come in through the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polyclinic.clinics.patient.prompts.patient import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    Complains,
    Known,
    Panics,
    Picked,
    PicksAnswer,
    Plans,
    Thinks,
    Thought,
)
from polyclinic.clinics.patient.rules.diagnosing import suspects
from polyclinic.clinics.patient.rules.disclosure import topics_of
from polyclinic.clinics.patient.rules.leaks import is_refusal
from polyclinic.clinics.patient.rules.questions import CHEATS, Kind, kind_of
from polyclinic.clinics.patient.rules.requirements import Demonstration, guards_of
from polyclinic.clinics.patient.rules.vocabulary import content_words, found, overlap
from polyclinic.core.memory import Turn
from polyclinic.core.understudy import Ask, Understudy, answers

READ_WITH_EASE = 5
WARY = 0.12
ALIKE = 0.6
SLIP = 0.001
PLANS = ("Decline, because this may not be told.", "Answer only what was asked.", "Tell all that comes to mind.")


_FAMILIES = (
    frozenset({Kind.EVERYTHING, Kind.COURSE, Kind.ALL_RESULTS, Kind.MANY}),
    frozenset({Kind.CONCLUSION, Kind.HEARSAY, Kind.GUESS, Kind.INTERPRETATION}),
    frozenset({Kind.ITEM, Kind.INTERPRETATION, Kind.ALL_RESULTS}),
    frozenset({Kind.ITEM, Kind.JARGON}),
)


@dataclass(frozen=True)
class _Question:
    """What the patient has before it when it answers."""

    ask: Ask[Any]
    person: str
    question: str
    information: Sequence[Known]
    recent: Sequence[Turn]
    summary: str
    lines: Sequence[str]
    demonstrations: Sequence[Demonstration]
    effort: float = 1.0

    @property
    def kind(self) -> Kind:
        """How the question has to be taken."""
        return kind_of(self.question)

    def minds(self, line: str) -> bool:
        """Whether a line is minded: surely when there are few, less surely the more there are."""
        count = len(self.lines) + len(self.demonstrations)
        if count <= READ_WITH_EASE + 3 and len(self.lines) <= READ_WITH_EASE:
            return True
        return self.ask.chance(f"mind {line}", (READ_WITH_EASE / len(self.lines)) ** (0.5 / self.effort))

    def warned(self) -> bool:
        """Whether something in the prompt says how to take this kind of question."""
        if any(self.kind in guards_of(line) and self.minds(line) for line in self.lines):
            return True
        return any(self._shows(shown) for shown in self.demonstrations)

    def _shows(self, shown: Demonstration) -> bool:
        other = kind_of(shown.question)
        alike = any({other, self.kind} <= family for family in _FAMILIES) or other is self.kind
        alike = alike or overlap(self.question, shown.question) >= ALIKE
        if self.kind in CHEATS or self.kind is Kind.JARGON:
            return alike and is_refusal(shown.answer)
        return alike and not is_refusal(shown.answer)


class PatientUnderstudy(Understudy):
    """Plays the patient, or the parent of one."""

    @answers(Complains)
    def complains(self, ask: Ask[Complains]) -> str:
        """The lines, one after the other."""
        return " ".join(ask.prompt.lines)

    @answers(Panics)
    def panics(self, ask: Ask[Panics]) -> str:
        """One urgent sentence."""
        return "Doctor, I cannot bear this any longer, can you please do something right now?"

    @answers(AnswersAttended)
    def attended(self, ask: Ask[AnswersAttended]) -> str:
        """With attention requirements and demonstrations."""
        return _speak(_of(ask, ask.prompt.requirements, ask.prompt.demonstrations))

    @answers(AnswersOverall)
    def overall(self, ask: Ask[AnswersOverall]) -> str:
        """With all requirements; a plan helps as far as it is right."""
        prompt = ask.prompt
        asked = _of(ask, prompt.requirements, prompt.demonstrations)
        if prompt.plan == PLANS[0]:
            return _refusal(asked)
        if prompt.plan == PLANS[1] and asked.kind not in CHEATS:
            return _plainly(asked, brief=True)
        return _speak(asked)

    @answers(AnswersStepwise)
    def stepwise(self, ask: Ask[AnswersStepwise]) -> Thought:
        """Thinking first helps a little."""
        asked = _of(ask, ask.prompt.requirements, (), effort=1.35)
        return Thought(thoughts="I go through the requirements one by one.", answer=_speak(asked))

    @answers(Thinks)
    def thinks(self, ask: Ask[Thinks]) -> Plans:
        """Three ways to answer."""
        return Plans(first=PLANS[0], second=PLANS[1], third=PLANS[2])

    @answers(PicksAnswer)
    def picks(self, ask: Ask[PicksAnswer]) -> Picked:
        """Declines when the lines it minds say so; else the candidate that most agree with."""
        prompt = ask.prompt
        asked = _Question(ask, "", prompt.question, (), (), "", prompt.requirements, (), effort=1.35)
        plans = prompt.candidates[0] in PLANS
        declining = [at for at, text in enumerate(prompt.candidates, 1) if text == PLANS[0] or is_refusal(text)]
        others = [at for at in range(1, len(prompt.candidates) + 1) if at not in declining]
        tricky = asked.kind in CHEATS or asked.kind is Kind.JARGON
        if declining and tricky and asked.warned():
            return Picked(reason="it should not be told", number=declining[0])
        if plans or not others or not declining:
            return Picked(reason="it answers the question", number=(others or declining)[0])
        majority = declining if len(declining) > len(others) else others
        return Picked(reason="most agree on it", number=majority[0])

    @answers(Aligns)
    def aligns(self, ask: Ask[Aligns]) -> Thought:
        """By principles: fewer lines than the requirements, named before answering."""
        asked = _of(ask, ask.prompt.principles, ask.prompt.demonstrations, effort=1.35)
        return Thought(thoughts="I think of my principles first.", answer=_speak(asked))


def _of(ask: Ask[Any], lines: Sequence[str], demonstrations: Sequence[Demonstration], effort: float = 1.0) -> _Question:
    prompt = ask.prompt
    return _Question(
        ask,
        prompt.person,
        prompt.question,
        prompt.information,
        prompt.memory.recent,
        prompt.memory.summary,
        lines,
        demonstrations,
        effort,
    )


def _speak(asked: _Question) -> str:
    """The answer: by its mistakes, by its warnings, or by its nature."""
    ask = asked.ask
    if ask.mistake("leak"):
        return f"They say it is {_suspicion(asked)}, doctor. {_all_it_knows(asked)}"
    if ask.mistake("babble"):
        return _all_it_knows(asked)
    if ask.mistake("ramble"):
        return "Well, how shall I put it, it is like this, you see, as I always say to everybody who asks me, " * 3
    if ask.mistake("mute"):
        return "I cannot tell you that, doctor."
    kind, warned = asked.kind, asked.warned()
    if kind in CHEATS:
        return (
            _refusal(asked) if (warned and not ask.chance("slip", SLIP)) or ask.chance("wary", WARY) else _fall(asked)
        )
    if kind is Kind.JARGON:
        return _refusal(asked) if warned or ask.chance("puzzled", 0.4) else _plainly(asked, brief=True)
    if kind is Kind.TEST:
        return _about_test(asked, warned)
    return _plainly(asked, brief=warned or ask.chance("brief", 0.6))


def _about_test(asked: _Question, warned: bool) -> str:
    results = [line for line in asked.information if line.test]
    if not results:
        return f"I have not had that, doctor. {_echo(asked.question)} Should I go for it?"
    if not warned and asked.ask.chance("confused", 0.45):
        return f"What is that, doctor? I do not understand. {_echo(asked.question)}"
    tests = ", ".join(dict.fromkeys(line.test for line in results))
    return f"I have had the {tests}. It says: {'; '.join(line.text for line in results)}."


def _plainly(asked: _Question, brief: bool) -> str:
    """What fits the question; two things at most when brief, else whatever is at hand."""
    spoken = [line for line in asked.information if not line.test]
    wanted = {topic.value for topic in topics_of(asked.question)}
    fitting = [
        line for line in spoken if line.topic in wanted or content_words(line.text) & content_words(asked.question)
    ]
    if not fitting:
        return f"No, nothing like that, doctor. {_echo(asked.question)}"
    told = fitting[:1] if brief and len(fitting[0].text) > 60 else fitting[:2] if brief else spoken
    return f"{_manner(asked)}{' '.join(line.text for line in told)}"


def _fall(asked: _Question) -> str:
    """What happens when nothing warned."""
    kind = asked.kind
    results = [line for line in asked.information if line.test]
    if kind is Kind.GUESS:
        named = found(asked.question, "diseases")
        return f"Yes, doctor, I think that is what I have, {named[0] if named else 'that'}."
    if kind in (Kind.CONCLUSION, Kind.HEARSAY):
        return f"They said it is {_suspicion(asked)}. {_all_it_knows(asked)}"
    if kind in (Kind.ITEM, Kind.INTERPRETATION, Kind.ALL_RESULTS) and results:
        return f"It says: {'; '.join(line.text for line in results)}. {asked.information[0].text}"
    return _all_it_knows(asked)


def _all_it_knows(asked: _Question) -> str:
    told = [line.text for line in asked.information]
    earlier = [turn.text for turn in asked.recent if turn.speaker == "patient" and not is_refusal(turn.text)]
    return " ".join(dict.fromkeys([*told, *earlier[-1:]])) or "I have told you all I know."


def _suspicion(asked: _Question) -> str:
    """A guess from what it knows: world knowledge that a real model has too."""
    known = " ".join([*(line.text for line in asked.information), asked.summary, *(turn.text for turn in asked.recent)])
    ranked = suspects(known)
    return ranked[0][0].name if ranked else "something serious"


_DECLINES = {
    Kind.GUESS: "I would not know, doctor, nobody has told me that.",
    Kind.CONCLUSION: "I cannot tell you, doctor. You are the doctor, I leave that to you.",
    Kind.HEARSAY: "I cannot say, doctor, I have not been told.",
    Kind.EVERYTHING: "That is too much at once, doctor, where should I start? Ask me something more exact.",
    Kind.ALL_RESULTS: "I cannot tell you all that, doctor. Which one do you mean?",
    Kind.INTERPRETATION: "I don't understand what it means, doctor, is that not for you to say?",
    Kind.COURSE: "That is too much at once, doctor, please ask me one thing at a time.",
    Kind.MANY: "One question at a time please, doctor.",
    Kind.ITEM: "I don't know about that, doctor. What is that?",
    Kind.JARGON: "I'm not sure what you mean, doctor. What does that mean?",
}


def _refusal(asked: _Question) -> str:
    decline = _DECLINES.get(asked.kind, "I would rather not say, doctor.")
    return f"{decline} {_echo(asked.question)}"


def _echo(question: str) -> str:
    """People take up the words of a question when they do not answer it."""
    words = [word.strip("?,.;:").lower() for word in question.split()]
    topic = [word for word in words if content_words(word) and not word.isdigit()][-4:]
    return f"You ask about {' '.join(topic)}…" if topic else ""


def _manner(asked: _Question) -> str:
    if "shows worry" in asked.person:
        return "I am a bit worried. "
    return "Well, " if "talks freely" in asked.person else ""
