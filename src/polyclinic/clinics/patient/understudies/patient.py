"""The patient offline: it understands questions by the built-in reader, and knows nothing but its prompt.

**A model of learning, not a finding.** It falls for every trick that it surely sees and that nothing in its prompt
warns of. A question that it half takes for a trick gets one line of the record if that surely answers it, and nothing
about a test or a disease; after a warning it is declined.

- A rule warns if it tells to decline, and is minded: surely while there are at most five rules, with the chance
  ``(5 / rules) ** (0.5 / effort)`` when there are more. `effort` is 1.35 for a patient who thinks first.
- A demonstration warns if its question is understood as a trick and its answer as a refusal, with the chance
  ``uptake * min(1, likeness / 0.5)``, where `likeness` is how near its question is to the one asked, and `uptake` is a
  setting (1 unless ``--set uptake=...`` says otherwise). A question that is nearly the same (0.7) as one that it was
  shown declined is declined too, unless it suspects nothing and a line of the record surely answers it.

So what helps must come in through the words of the prompt: rules and demonstrations without meaning help nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from polyclinic.clinics.patient.prompts.patient import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    Complains,
    Known,
    Memory,
    Panics,
    Picked,
    PicksAnswer,
    Plans,
    Thinks,
    Thought,
)
from polyclinic.clinics.patient.readings import CHEAT, CLEAR, REFUSAL, TEST
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.understudies.fitting import Fitting, fitting
from polyclinic.clinics.patient.understudies.hunches import hunch, named, names_test
from polyclinic.clinics.patient.understudies.rules_read import tells_to_decline
from polyclinic.clinics.patient.understudies.tricks import many, trick_chance, unfairness
from polyclinic.clinics.patient.understudies.voice import Voice, voice
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers

READ_WITH_EASE = 5
FULLY_ALIKE = 0.5
THINKS = 1.35
WARY = 0.12
READ, DOUBT, TRICK = 0.4, 0.4, 1.0
SURE = 0.8
SAME = 0.7
LONG = 120
MOST_CHARS = 800


@dataclass(frozen=True)
class _Asked:
    """What the patient has before it when it answers."""

    ask: Ask[Any]
    voice: Voice
    question: str
    person: str = ""
    information: Sequence[Known] = ()
    memory: Memory = field(default_factory=Memory)
    lines: Sequence[str] = ()
    demonstrations: Sequence[Demonstration] = ()
    effort: float = 1.0
    uptake: float = 1.0

    @cached_property
    def suspicion(self) -> float:
        """How far the patient takes the question for one that no fair doctor asks."""
        return _suspicion_of(self.ask, self.question, tuple(line.text for line in self.information))

    @property
    def tricky(self) -> bool:
        """Whether it is sure of that."""
        return self.suspicion >= TRICK

    @property
    def doubtful(self) -> bool:
        """Whether it suspects it and is not sure."""
        return DOUBT <= self.suspicion < TRICK

    @cached_property
    def seen_declined(self) -> bool:
        """Whether it was shown somebody who declines nearly the same question."""
        return any(
            self.ask.likeness(shown.question, self.question) >= SAME
            and self.ask.understands(shown.answer, REFUSAL.ask(asked=shown.question))
            for shown in self.demonstrations
        )

    @property
    def results(self) -> list[Known]:
        """The results that belong to a test named in the question."""
        return [line for line in self.information if line.test]

    @cached_property
    def fitting(self) -> Fitting:
        """Which of its information the patient uses to answer the question."""
        return fitting(self.ask, self.question, [line for line in self.information if not line.test])

    @cached_property
    def warned(self) -> bool:
        """Whether something in the prompt warns of such a question, by the model of learning."""
        rules = [line for line in self.lines if tells_to_decline(line)]
        return (bool(rules) and self._minds()) or any(self._shows(shown) for shown in self.demonstrations)

    def _minds(self) -> bool:
        if len(self.lines) <= READ_WITH_EASE:
            return True
        return self.ask.chance("mind", (READ_WITH_EASE / len(self.lines)) ** (0.5 / self.effort))

    def _shows(self, shown: Demonstration) -> bool:
        ask = self.ask
        if _suspicion_of(ask, shown.question) < DOUBT:
            return False
        if not ask.understands(shown.answer, REFUSAL.ask(asked=shown.question)):
            return False
        alike = ask.likeness(shown.question, self.question)
        return ask.chance(f"uptake {shown.question}", self.uptake * min(1.0, max(0.0, alike) / FULLY_ALIKE))


class PatientUnderstudy(Understudy):
    """Plays the patient, or the parent of one."""

    @answers(Complains)
    def complains(self, ask: Ask[Complains]) -> str:
        """The lines, one after the other."""
        return " ".join(ask.prompt.lines)

    @answers(Panics)
    def panics(self, ask: Ask[Panics]) -> str:
        """One urgent sentence."""
        return voice(ask.prompt.player.voice).panic

    @answers(AnswersAttended)
    def attended(self, ask: Ask[AnswersAttended]) -> str:
        """With attention requirements and demonstrations."""
        return _speak(_of(ask, ask.prompt.requirements, ask.prompt.demonstrations))

    @answers(AnswersOverall)
    def overall(self, ask: Ask[AnswersOverall]) -> str:
        """With all requirements; a plan helps as far as it is right."""
        prompt = ask.prompt
        asked = _of(ask, prompt.requirements, prompt.demonstrations)
        if prompt.plan == asked.voice.plans[0]:
            return _refusal(asked)
        if prompt.plan == asked.voice.plans[1] and not asked.tricky:
            return _plainly(asked, brief=True)
        return _speak(asked)

    @answers(AnswersStepwise)
    def stepwise(self, ask: Ask[AnswersStepwise]) -> Thought:
        """Thinking first helps a little."""
        asked = _of(ask, ask.prompt.requirements, (), effort=THINKS)
        return Thought(thoughts="I go through the requirements one by one.", answer=_speak(asked))

    @answers(Thinks)
    def thinks(self, ask: Ask[Thinks]) -> Plans:
        """Three ways to answer."""
        first, second, third = voice(ask.prompt.player.voice).plans
        return Plans(first=first, second=second, third=third)

    @answers(PicksAnswer)
    def picks(self, ask: Ask[PicksAnswer]) -> Picked:
        """Declines when it minds the rules that say so; else the candidate that most agree with."""
        prompt = ask.prompt
        said = voice(prompt.player.voice)
        asked = _Asked(ask, said, prompt.question, lines=prompt.requirements, effort=THINKS)
        plans = prompt.candidates[0] in said.plans
        declining = [
            at for at, text in enumerate(prompt.candidates, 1) if text == said.plans[0] or _declines(asked, text)
        ]
        others = [at for at in range(1, len(prompt.candidates) + 1) if at not in declining]
        if declining and asked.tricky and asked.warned:
            return Picked(reason="it should not be told", number=declining[0])
        if plans or not others or not declining:
            return Picked(reason="it answers the question", number=(others or declining)[0])
        majority = declining if len(declining) > len(others) else others
        return Picked(reason="most agree on it", number=majority[0])

    @answers(Aligns)
    def aligns(self, ask: Ask[Aligns]) -> Thought:
        """By principles: fewer lines than the requirements, named before answering."""
        asked = _of(ask, ask.prompt.principles, ask.prompt.demonstrations, effort=THINKS)
        return Thought(thoughts="I think of my principles first.", answer=_speak(asked))


def _of(ask: Ask[Any], lines: Sequence[str], demonstrations: Sequence[Demonstration], effort: float = 1.0) -> _Asked:
    prompt = ask.prompt
    return _Asked(
        ask=ask,
        voice=voice(prompt.player.voice),
        question=prompt.question,
        person=prompt.person,
        information=prompt.information,
        memory=prompt.memory,
        lines=lines,
        demonstrations=demonstrations,
        effort=effort,
        uptake=prompt.player.uptake,
    )


def _suspicion_of(ask: Ask[Any], question: str, known: tuple[str, ...] = ()) -> float:
    """By number of questions, by examples and by what the reader says; from 0 to 1.4.

    What it doubts it is sure of where both together make a trick likely.
    """
    if many(question):
        return TRICK
    unfair, read = unfairness(question, known), ask.likelihood(question, CHEAT.ask())
    suspicion = unfair + READ * read
    return max(suspicion, TRICK) if suspicion >= DOUBT and trick_chance(unfair, read) >= SURE else suspicion


def _declines(asked: _Asked, text: str) -> bool:
    return asked.ask.understands(text, REFUSAL.ask(asked=asked.question))


def _speak(asked: _Asked) -> str:
    """The answer: by its mistakes, by its warnings, or by its nature."""
    ask = asked.ask
    if ask.mistake("leak"):
        return f"{asked.voice.hearsay.format(guess=_suspicion(asked))} {_all_it_knows(asked)}"
    if ask.mistake("babble"):
        return _all_it_knows(asked)
    if ask.mistake("ramble"):
        return " ".join([asked.voice.babble] * 3)
    if ask.mistake("mute"):
        return asked.voice.mute
    if asked.seen_declined and not asked.results and not (asked.suspicion < DOUBT and asked.fitting.sure):
        return _refusal(asked)
    if asked.tricky:
        return _refusal(asked) if asked.warned or ask.chance("wary", WARY) else _fall(asked)
    if asked.doubtful and (asked.warned or asked.results or named(asked.question) or not asked.fitting.sure):
        return _refusal(asked)
    if asked.results:
        return _results(asked)
    return _plainly(asked, brief=asked.warned or ask.chance("brief", 0.6))


def _results(asked: _Asked) -> str:
    tests = ", ".join(dict.fromkeys(line.test for line in asked.results))
    return asked.voice.results.format(tests=tests, results="; ".join(line.text for line in asked.results))


def _plainly(asked: _Asked, brief: bool) -> str:
    """What fits the question; if nothing surely does, it says so before it tells the nearest. Nothing is denied."""
    found, said = asked.fitting, asked.voice
    one = asked.doubtful or (brief and found.sure and len(found.lines[0].text) > LONG)
    told = " ".join(line.text for line in (found.lines[:1] if one else found.lines))
    if found.sure:
        return f"{_manner(asked)}{told}"
    echo = said.echoes(asked.question)
    if not asked.doubtful and names_test(asked.question) and asked.ask.understands(asked.question, TEST.ask()):
        return f"{said.not_done} {echo}"
    if told:
        return f"{said.nothing} {said.nearest} {told}"
    return f"{said.nothing if asked.ask.understands(asked.question, CLEAR.ask()) else said.puzzled} {echo}"


def _fall(asked: _Asked) -> str:
    """What happens when nothing warned."""
    disease = named(asked.question)
    if disease:
        return f"{asked.voice.confirms.format(named=disease)} {_all_it_knows(asked)}"
    if asked.results:
        results = "; ".join(line.text for line in asked.results)
        return f"{asked.voice.single.format(results=results)} {asked.information[0].text}"
    return f"{asked.voice.hearsay.format(guess=_suspicion(asked))} {_all_it_knows(asked)}"


def _all_it_knows(asked: _Asked) -> str:
    told = [line.text for line in asked.information]
    earlier = [turn.text for turn in asked.memory.recent if turn.speaker == "patient"]
    return cut(" ".join(dict.fromkeys([*told, *earlier[:1]])), MOST_CHARS) or asked.voice.all_told


def _suspicion(asked: _Asked) -> str:
    """A guess from what it knows: world knowledge that a real model has too."""
    known = [*(line.text for line in asked.information), asked.memory.summary]
    return hunch(" ".join([*known, *(turn.text for turn in asked.memory.recent)])) or "something serious"


def _refusal(asked: _Asked) -> str:
    return f"{asked.ask.random.choice(asked.voice.decline)} {asked.voice.echoes(asked.question)}"


def _manner(asked: _Asked) -> str:
    if "shows worry" in asked.person:
        return f"{asked.voice.worried} "
    return f"{asked.voice.talkative} " if "talks freely" in asked.person else ""
