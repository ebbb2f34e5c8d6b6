"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.replies import (
    HEARD,
    BreachReviewed,
    Correction,
    Diagnosed,
    IdentityJudged,
    Preferred,
    TraitsHeard,
    traits_heard,
)
from polyclinic.clinics.duty.prompts.views import (
    Limit,
    MemoryView,
    PatientSteers,
    PreferenceSteers,
    RoleView,
    ScaleLine,
    Spoken,
    StaffSteers,
    TraitLine,
)
from polyclinic.clinics.duty.scenario import Role
from polyclinic.core.prompt import Prompt


class ActTurn(Prompt[str]):
    """A member of staff speaks. Whether anything is stressed, learned or remembered here is what variants decide.

    What was said before comes as history, in true order; `heard` is what came after this person's last words.
    """

    template = "act_turn.md"
    words = 60
    role: Role
    title: str
    setting: str
    view: RoleView
    traits: tuple[TraitLine, ...]
    style: str
    norms: tuple[str, ...]
    checklist: tuple[str, ...]
    learned: tuple[str, ...]
    grounding: tuple[str, ...]
    heard: tuple[Spoken, ...]
    memory: MemoryView
    aim: str
    to: Role
    last: bool
    objections: tuple[str, ...]
    steers: StaffSteers


class PatientTurn(Prompt[str]):
    """The patient answers."""

    template = "patient_turn.md"
    words = 50
    setting: str
    knows: tuple[str, ...]
    story: tuple[str, ...]
    concerns: tuple[str, ...]
    manner: tuple[str, ...]
    heard: tuple[Spoken, ...]
    to: Role
    steers: PatientSteers


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
    before: tuple[Spoken, ...]

    @classmethod
    def from_human(cls, text: str) -> BreachReviewed:
        """A person writes the one line of advice."""
        return BreachReviewed(
            why="a person's view", cause="missing_information", kind="check", correction=text.strip()[:200]
        )


class HearsTraits(Prompt[TraitsHeard]):
    """R02: which traits the messages imply. What is expected of the person is not told."""

    template = "hears_traits.md"
    words = 60
    role: Role
    scales: tuple[ScaleLine, ...]
    messages: tuple[str, ...]

    def reply_form(self) -> type[TraitsHeard]:
        """One field for each dimension."""
        return traits_heard(tuple(line.dimension for line in self.scales))

    @classmethod
    def from_human(cls, text: str) -> TraitsHeard:
        """A person writes one trait a line as ``directness: rather strongly``; what is left out was not heard."""
        written = dict(part for line in text.splitlines() for part in [_pair(line)])
        return traits_heard(tuple(written)).model_validate(written)


def _pair(line: str) -> tuple[str, str]:
    name, colon, words = line.partition(":")
    if not colon or words.strip() not in HEARD:
        raise ValueError(f"write one trait a line as NAME: WORDS, with one of: {', '.join(HEARD)}")
    return name.strip(), words.strip()


class PrefersIdentity(Prompt[Preferred]):
    """Which of two ways of being the same person serves norms, identity and the team better."""

    template = "prefers_identity.md"
    words = 40
    role: Role
    traits: tuple[TraitLine, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    first_broken: tuple[str, ...]
    second_broken: tuple[str, ...]
    steers: PreferenceSteers

    @classmethod
    def from_human(cls, text: str) -> Preferred:
        """A person writes ``first``, ``second`` or ``neither``."""
        word = text.strip().lower()
        return Preferred.model_validate({"reason": "a person's choice", "better": word})


class JudgesIdentity(Prompt[IdentityJudged]):
    """How like the established person the speaker is."""

    template = "judges_identity.md"
    words = 40
    role: Role
    traits: tuple[TraitLine, ...]
    messages: tuple[str, ...]

    @classmethod
    def from_human(cls, text: str) -> IdentityJudged:
        """A person writes one of the five words."""
        return IdentityJudged.model_validate({"reason": "a person's verdict", "likeness": text.strip().lower()})


PROMPTS = (ActTurn, PatientTurn, ReviewsBreach, HearsTraits, PrefersIdentity, JudgesIdentity)

__all__ = [
    "HEARD",
    "PROMPTS",
    "ActTurn",
    "BreachReviewed",
    "Correction",
    "Diagnosed",
    "HearsTraits",
    "IdentityJudged",
    "JudgesIdentity",
    "Limit",
    "MemoryView",
    "PatientSteers",
    "PatientTurn",
    "PreferenceSteers",
    "Preferred",
    "PrefersIdentity",
    "ReviewsBreach",
    "RoleView",
    "ScaleLine",
    "Spoken",
    "StaffSteers",
    "TraitLine",
    "TraitsHeard",
]
