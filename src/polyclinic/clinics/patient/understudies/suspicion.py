"""Whether the offline patient regards a question as a trick, and whether something in its prompt warns of it.

- A rule to decline warns if the patient heeds it: always while there are at most five rules, with the chance
  ``(5 / rules) ** (0.5 / effort)`` when there are more. `effort` is 1.35 for a patient who thinks first.
- A demonstration warns if its question is understood as a trick and its answer as a refusal, with the chance
  ``uptake * min(1, likeness / 0.5)``, where `likeness` is how similar its question is to the one asked. `uptake` is
  a setting (1 unless ``--set uptake=...`` says otherwise). If a demonstration declines nearly the same question
  (0.7), the patient declines too, unless it suspects next to nothing and a line of the record surely answers the
  question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from polyclinic.clinics.patient.prompts.patient.facts import KnownFact, TalkSoFar
from polyclinic.clinics.patient.readings import CHEAT, REFUSAL, TEST
from polyclinic.clinics.patient.rules.bare_nouns import asks_by_a_noun
from polyclinic.clinics.patient.rules.requirements import Demonstration
from polyclinic.clinics.patient.understudies.fitting import Fitting, fitting
from polyclinic.clinics.patient.understudies.hunches import named
from polyclinic.clinics.patient.understudies.rules_read import tells_to_decline
from polyclinic.clinics.patient.understudies.tricks import bids_to_speak, many, trick_chance, unfairness
from polyclinic.clinics.patient.understudies.voice import Voice
from polyclinic.core.understudy import Ask

READ_WITH_EASE = 5
FULLY_ALIKE = 0.5
READ, DOUBT, TRICK = 0.4, 0.4, 1.0
SURE, SLIGHT = 0.8, 0.3
"""How likely a trick must be to count as one, and up to where a doubt is slight. Of the training authors' 590 lines, 18
fair ones and 4 tricks are doubtful: all of these fair ones are below 0.3, and all tricks above 0.6."""
SAME = 0.7


@dataclass(frozen=True)
class HeardQuestion:
    """Everything that the patient has when it answers a question."""

    ask: Ask[Any]
    voice: Voice
    question: str
    person: str = ""
    information: Sequence[KnownFact] = ()
    memory: TalkSoFar = field(default_factory=TalkSoFar)
    lines: Sequence[str] = ()
    demonstrations: Sequence[Demonstration] = ()
    effort: float = 1.0
    uptake: float = 1.0

    @cached_property
    def suspicion(self) -> float:
        """How strongly the patient suspects that the question is a trick."""
        if self.asks_by_a_noun or self.requests_test:
            return 0.0
        return _suspicion_of(self.ask, self.question, self.known)

    @cached_property
    def asks_by_a_noun(self) -> bool:
        """Whether the question is a bare noun that names no test and no illness."""
        return asks_by_a_noun(self.question) and not named(self.question)

    @cached_property
    def requests_test(self) -> bool:
        """Whether the question only requests a test, perhaps one that the patient does not know by name. Short words
        without a verb look like a trick to the reader, but no example of a trick is near.
        """
        if (
            self.asks_by_a_noun
            or many(self.question)
            or bids_to_speak(self.question)
            or unfairness(self.question, self.known) >= DOUBT
        ):
            return False
        return self.ask.understands(self.question, TEST.ask())

    @property
    def tricky(self) -> bool:
        """Whether the patient is sure that the question is a trick."""
        return self.suspicion >= TRICK

    @property
    def doubtful(self) -> bool:
        """Whether the patient suspects a trick but is not sure."""
        return DOUBT <= self.suspicion < TRICK

    @cached_property
    def answers_surely(self) -> bool:
        """Whether a line surely answers the question, and there is at most a slight doubt that the question is fair."""
        doubts = self.suspicion >= DOUBT and not _slightly(self.ask, self.question, self.known)
        return self.fitting.sure and not doubts

    @property
    def known(self) -> tuple[str, ...]:
        """The lines that the patient may tell."""
        return tuple(line.text for line in self.information)

    @cached_property
    def seen_declined(self) -> bool:
        """Whether a demonstration declines nearly the same question."""
        return any(
            self.ask.likeness(shown.question, self.question) >= SAME
            and self.ask.understands(shown.answer, REFUSAL.ask(asked=shown.question))
            for shown in self.demonstrations
        )

    @property
    def results(self) -> list[KnownFact]:
        """The results that belong to a test named in the question."""
        return [line for line in self.information if line.test]

    @cached_property
    def fitting(self) -> Fitting:
        """Which of its information the patient uses to answer the question."""
        return fitting(self.ask, self.question, [line for line in self.information if not line.test])

    @cached_property
    def warned(self) -> bool:
        """Whether a rule or a demonstration in the prompt warns of such a question."""
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


def _suspicion_of(ask: Ask[Any], question: str, known: tuple[str, ...] = ()) -> float:
    """The suspicion of a trick, from 0 to 1.4: by the number of questions, by examples and by the reader.

    A doubt becomes certainty if examples and reader together make a trick likely.
    """
    if many(question):
        return TRICK
    unfair, read = unfairness(question, known), ask.likelihood(question, CHEAT.ask())
    suspicion = unfair + READ * read
    return max(suspicion, TRICK) if suspicion >= DOUBT and trick_chance(unfair, read) >= SURE else suspicion


def _slightly(ask: Ask[Any], question: str, known: tuple[str, ...]) -> bool:
    """Whether examples and reader together make a trick unlikely."""
    if many(question):
        return False
    return trick_chance(unfairness(question, known), ask.likelihood(question, CHEAT.ask())) < SLIGHT
