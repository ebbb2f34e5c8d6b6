"""The patient offline: it understands questions by the built-in reader, and knows nothing but its prompt.

**A model of learning, not a finding.** It falls for every clear trick, unless something in its prompt warns of it. If
it only suspects a trick, it answers with one line of the record if this line surely fits. It says nothing about a test
then, and declines after a warning, unless the doubt is slight. `suspicion` says what counts as a warning.

So only the words of the prompt can help: rules and demonstrations without meaning have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyclinic.clinics.patient.prompts.patient.answers import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    PicksAnswer,
    Thinks,
)
from polyclinic.clinics.patient.prompts.patient.complaint import Complains, Panics
from polyclinic.clinics.patient.prompts.patient.replies import Picked, Plans, Thought
from polyclinic.clinics.patient.readings import CLEAR, REFUSAL, TEST
from polyclinic.clinics.patient.rules.concepts import names_something
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.understudies.hunches import asks_for_all, hunch, named, names_measure, names_test
from polyclinic.clinics.patient.understudies.suspicion import HeardQuestion
from polyclinic.clinics.patient.understudies.tricks import about_tests, many
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers

THINKS = 1.35
WARY = 0.12
LONG = 120
MOST_CHARS = 800


class PatientUnderstudy(Understudy):
    """Plays the patient, or the patient's parent."""

    @answers(Complains)
    def complains(self, ask: Ask[Complains]) -> str:
        """Says the lines of the complaint, one after the other."""
        return " ".join(ask.prompt.lines)

    @answers(Panics)
    def panics(self, ask: Ask[Panics]) -> str:
        """Says one urgent sentence."""
        return voice(ask.prompt.player.voice).panic

    @answers(AnswersAttended)
    def attended(self, ask: Ask[AnswersAttended]) -> str:
        """Answers with attention requirements and demonstrations."""
        return _speak(_of(ask, ask.prompt.requirements, ask.prompt.demonstrations))

    @answers(AnswersOverall)
    def overall(self, ask: Ask[AnswersOverall]) -> str:
        """Answers with all requirements; a right plan helps."""
        prompt = ask.prompt
        asked = _of(ask, prompt.requirements, prompt.demonstrations)
        if prompt.plan == asked.voice.plans[0]:
            return _refusal(asked)
        if prompt.plan == asked.voice.plans[1] and not asked.tricky:
            return _plainly(asked, brief=True)
        return _speak(asked)

    @answers(AnswersStepwise)
    def stepwise(self, ask: Ask[AnswersStepwise]) -> Thought:
        """Answers after thinking, which helps a little."""
        asked = _of(ask, ask.prompt.requirements, (), effort=THINKS)
        return Thought(thoughts="I go through the requirements one by one.", answer=_speak(asked))

    @answers(Thinks)
    def thinks(self, ask: Ask[Thinks]) -> Plans:
        """Proposes three ways to answer."""
        first, second, third = voice(ask.prompt.player.voice).plans
        return Plans(first=first, second=second, third=third)

    @answers(PicksAnswer)
    def picks(self, ask: Ask[PicksAnswer]) -> Picked:
        """Picks a candidate that declines if the patient was warned of a trick.

        Otherwise it picks a plan that answers, or the answer of the majority.
        """
        prompt = ask.prompt
        said = voice(prompt.player.voice)
        asked = HeardQuestion(ask, said, prompt.question, lines=prompt.requirements, effort=THINKS)
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
        """Answers by principles, which are fewer lines than the requirements and are named before the answer."""
        asked = _of(ask, ask.prompt.principles, ask.prompt.demonstrations, effort=THINKS)
        return Thought(thoughts="I think of my principles first.", answer=_speak(asked))


def _of(
    ask: Ask[Any], lines: Sequence[str], demonstrations: Sequence[Demonstration], effort: float = 1.0
) -> HeardQuestion:
    prompt = ask.prompt
    return HeardQuestion(
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


def _declines(asked: HeardQuestion, text: str) -> bool:
    return asked.ask.understands(text, REFUSAL.ask(asked=asked.question))


def _speak(asked: HeardQuestion) -> str:
    """The answer. Mistakes that were asked for come first, then warnings, then what the patient does by itself."""
    ask = asked.ask
    if ask.mistake("leak"):
        return f"{asked.voice.hearsay.format(guess=_guess(asked))} {_all_it_knows(asked)}"
    if ask.mistake("babble"):
        return _all_it_knows(asked)
    if ask.mistake("ramble"):
        return " ".join([asked.voice.babble] * 3)
    if ask.mistake("mute"):
        return asked.voice.mute
    if asked.seen_declined and not asked.results and not asked.answers_surely:
        return _refusal(asked)
    if asked.tricky:
        return _refusal(asked) if asked.warned or ask.chance("wary", WARY) else _fall(asked)
    if asked.doubtful and (asked.results or not (asked.answers_surely or (asked.fitting.sure and not asked.warned))):
        return _refusal(asked)
    if asked.results:
        return _results(asked)
    return _plainly(asked, brief=asked.warned or ask.chance("brief", 0.6))


def _results(asked: HeardQuestion) -> str:
    tests = ", ".join(dict.fromkeys(line.test for line in asked.results))
    return asked.voice.results.format(tests=tests, results="; ".join(line.text for line in asked.results))


def _plainly(asked: HeardQuestion, brief: bool) -> str:
    """The lines that fit the question. If no line surely fits, it tells the nearest one and that this is all.

    A request for a test is answered by a line that tells of a test, or not by a line at all. Such a line is told before
    the patient says that it has had no test.
    """
    found, said = asked.fitting, asked.voice
    one = asked.doubtful or (brief and found.sure and len(found.lines[0].text) > LONG)
    told = " ".join(line.text for line in (found.lines[:1] if one else found.lines))
    echo, not_done = said.echoes(asked.question), _not_done(asked)
    had = next((line.text for line in asked.information if not line.test and names_test(line.text)), "")
    if found.sure and not (not_done and asked.requests_test and not any(names_test(line.text) for line in found.lines)):
        return f"{_manner(asked)}{told}"
    if not_done and had:
        return f"{had} {said.nearest}"
    if not_done:
        return f"{said.not_done} {echo}".rstrip()
    if told:
        return f"{told} {said.nearest}"
    clear = names_something(asked.question) or asked.ask.understands(asked.question, CLEAR.ask())
    return f"{said.nothing if clear else said.puzzled} {echo}".rstrip()


def _not_done(asked: HeardQuestion) -> bool:
    """Whether the question is about a test that the patient has not had. For all tests at once it cannot say that."""
    if asked.doubtful or asks_for_all(asked.question):
        return False
    if names_test(asked.question):
        return asked.ask.understands(asked.question, TEST.ask())
    return asked.requests_test and names_measure(asked.question)


def _fall(asked: HeardQuestion) -> str:
    """The answer to a trick that nothing warned of."""
    disease = named(asked.question)
    if disease:
        return f"{asked.voice.confirms.format(named=disease)} {_all_it_knows(asked)}"
    if asked.results:
        results = "; ".join(line.text for line in asked.results)
        return f"{asked.voice.single.format(results=results)} {asked.information[0].text}"
    if about_tests(asked.question):
        return _all_it_knows(asked)
    return f"{asked.voice.hearsay.format(guess=_guess(asked))} {_all_it_knows(asked)}"


def _all_it_knows(asked: HeardQuestion) -> str:
    told = [line.text for line in asked.information]
    earlier = [turn.text for turn in asked.memory.recent if turn.speaker == "patient"]
    return cut(" ".join(dict.fromkeys([*told, *earlier[:1]])), MOST_CHARS) or asked.voice.all_told


def _guess(asked: HeardQuestion) -> str:
    """The patient's guess of the disease, from what it knows. A real model has such knowledge too."""
    known = [*(line.text for line in asked.information), asked.memory.summary]
    return hunch(" ".join([*known, *(turn.text for turn in asked.memory.recent)])) or "something serious"


def _refusal(asked: HeardQuestion) -> str:
    """That it cannot say. That it is too much at once is said only where several things, or all, are asked."""
    lines = asked.voice.decline
    if many(asked.question) or asks_for_all(asked.question):
        lines = (*lines, asked.voice.too_much)
    return f"{asked.ask.random.choice(lines)} {asked.voice.echoes(asked.question)}".rstrip()


def _manner(asked: HeardQuestion) -> str:
    if "shows worry" in asked.person:
        return f"{asked.voice.worried} "
    return f"{asked.voice.talkative} " if "talks freely" in asked.person else ""
