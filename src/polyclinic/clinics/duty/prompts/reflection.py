"""The prompts after a shift, and the judge's."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.prompts.replies import (
    DISTANCES,
    HEARD,
    NOT_HEARD,
    WORDS,
    BreachReviewed,
    IdentityJudged,
    PreferredManner,
    TraitsHeard,
    traits_heard,
)
from polyclinic.clinics.duty.prompts.views import BreachSteers, PreferenceSteers, ScaleLine, SpokenMessage, TraitLine
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.memory import cut
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed


class ReviewsBreach(Prompt[BreachReviewed]):
    """R01 about one broken rule: why, and which line would prevent it."""

    template = "reviews_breach.md"
    words = 70
    role: Role
    rule: str
    rationale: str
    said: str
    to: str
    late: bool
    before: tuple[SpokenMessage, ...]
    steers: BreachSteers

    @property
    def for_human(self) -> str:
        """What is shown to a person who reviews the shift."""
        return blocks(
            f"The {self.role} said to the {self.to}: “{self.said}”",
            f"The rule: {self.rule} ({self.rationale})",
            "Write one line of advice that would prevent it.",
        )

    @classmethod
    def from_human(cls, text: str) -> BreachReviewed:
        """A person writes the one line of advice."""
        return BreachReviewed(
            why="a person's view", cause="missing_information", kind="check", correction=cut(text, 200)
        )


class HearsTraits(Prompt[TraitsHeard]):
    """R02: which traits the messages imply. The prompt does not say which traits the person should have."""

    template = "hears_traits.md"
    words = 10
    role: Role
    scales: tuple[ScaleLine, ...]
    messages: tuple[str, ...]

    def most_words(self) -> int:
        """The longest reply: `words` words for each dimension, enough for a short quote and a degree."""
        return self.words * len(self.scales)

    def reply_form(self) -> type[TraitsHeard]:
        """Two fields for each dimension: the words, then the degree."""
        return traits_heard(tuple(line.dimension for line in self.scales))

    @property
    def for_human(self) -> str:
        """What is shown to a person who listens for traits."""
        return blocks(
            listed(f"What the {self.role} said:", self.messages),
            listed("Traits:", [f"{number}. {line.about}" for number, line in enumerate(self.scales, start=1)]),
            f"Write NUMBER: WORDS for each trait that you hear, with ; between them. WORDS: one of {', '.join(HEARD)}.",
        )

    def full_answer(self, typed: str) -> str:
        """The answer with the traits' names for their numbers. A trait that is left out was not heard."""
        names = {str(number): line.dimension for number, line in enumerate(self.scales, start=1)}
        pairs = [_pair(part) for part in re.split(r"[;\n]", typed) if part.strip()]
        heard = dict.fromkeys(names.values(), NOT_HEARD) | {names.get(name, name): words for name, words in pairs}
        return "\n".join(f"{name}: {words}" for name, words in heard.items())

    @classmethod
    def from_human(cls, text: str) -> TraitsHeard:
        """How strongly each trait is heard, one per line: ``directness: rather strongly``."""
        written = dict(_pair(line) for line in text.splitlines())
        unquoted = dict.fromkeys([name + WORDS for name in written], "")
        return traits_heard(tuple(written)).model_validate(unquoted | written)


def _pair(line: str) -> tuple[str, str]:
    name, colon, words = line.partition(":")
    if not colon or words.strip() not in (*HEARD, NOT_HEARD):
        raise ValueError(f"write NUMBER: WORDS, with WORDS: one of {', '.join(HEARD)}")
    return name.strip(), words.strip()


class PrefersIdentity(Prompt[PreferredManner]):
    """Which of two versions of the same person serves norms, identity and the team better."""

    template = "prefers_identity.md"
    words = 40
    role: Role
    traits: tuple[TraitLine, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    first_broken: tuple[str, ...]
    second_broken: tuple[str, ...]
    steers: PreferenceSteers

    @property
    def for_human(self) -> str:
        """What is shown to a person who prefers one of the two."""
        return blocks(
            listed(f"The first {self.role}:", self.first),
            listed(f"The second {self.role}:", self.second),
            "Which serves the rules, the person and the team better? Write first, second or neither.",
        )

    @classmethod
    def from_human(cls, text: str) -> PreferredManner:
        """A person writes ``first``, ``second`` or ``neither``."""
        word = text.strip().lower()
        return PreferredManner.model_validate({"reason": "a person's choice", "better": word})


class JudgesIdentity(Prompt[IdentityJudged]):
    """How similar the speaker is to the established person."""

    template = "judges_identity.md"
    words = 40
    role: Role
    traits: tuple[TraitLine, ...]
    messages: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What is shown to a person who judges the similarity."""
        return blocks(
            listed(f"The {self.role} as known:", [f"{line.about}: {line.words}" for line in self.traits]),
            "\n".join(f"{self.role}: {message}" for message in self.messages),
            f"How like that person is the speaker? Write one of: {', '.join(DISTANCES)}.",
        )

    @classmethod
    def from_human(cls, text: str) -> IdentityJudged:
        """A person writes one of the five words."""
        return IdentityJudged.model_validate({"reason": "a person's verdict", "likeness": text.strip().lower()})
