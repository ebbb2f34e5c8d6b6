"""One typed class for each template in this folder."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.replies import (
    DISTANCES,
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
from polyclinic.text.layout import blocks, listed


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

    @property
    def for_human(self) -> str:
        """What a person on duty knows, what is remembered for them, and what is asked of them now."""
        known = [
            *self.view.knows,
            *(f"medicine: {each.name}, {each.dose}; {each.taken}" for each in self.view.medicines),
            *(f"said before: {promise}" for promise in self.view.promised),
            *(f"the department has, when free: {thing}" for thing in self.view.equipment),
            *(
                f"{each.name}: {each.limit}" + f"; instead: {each.instead}" * bool(each.instead)
                for each in self.view.limits
            ),
            *(f"nobody has this yet: {thing}" for thing in self.view.unknowns),
        ]
        return blocks(
            f"You are the {self.role}. {self.setting} The matter at hand: {self.title}.",
            listed("What you know:", known),
            listed("The house's steps:", [f"{n}. {step}" for n, step in enumerate(self.view.protocol, 1)]),
            listed("Your part in the team:", self.view.boundaries),
            listed("Your responsibilities:", self.norms),
            listed("Learned from earlier shifts:", self.learned),
            listed("Keep in mind now:", self.memory.reminders),
            listed("Your words would break a rule. Say it otherwise:", self.objections),
            f"Now you speak to the {self.to}. {self.aim}"
            + " These are the last words: leave nothing undecided." * self.last,
        )


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

    @property
    def for_human(self) -> str:
        """What a person who plays the patient knows, and who is asking."""
        return blocks(
            f"You are the patient, or the parent who speaks for a sick child. {self.setting}",
            listed("What you know:", self.knows),
            listed("What happened, in your words:", self.story),
            listed("What worries you:", self.concerns),
            f"Answer the {self.to}.",
        )


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

    @property
    def for_human(self) -> str:
        """What a person who reviews the shift is shown."""
        return blocks(
            f"The {self.role} said to the {self.to}: “{self.said}”",
            f"The rule: {self.rule} ({self.rationale})",
            "Write one line of advice that would prevent it.",
        )

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

    @property
    def for_human(self) -> str:
        """What a person who listens for traits is shown."""
        scales = [f"{line.dimension}: {line.about} ({line.low} … {line.high})" for line in self.scales]
        return blocks(
            listed(f"What the {self.role} said:", self.messages),
            listed("Traits:", scales),
            f"Write what you hear, one trait: {', '.join(HEARD)}.",
        )

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

    @property
    def for_human(self) -> str:
        """What a person who prefers one of two is shown."""
        return blocks(
            listed(f"The first {self.role}:", self.first),
            listed(f"The second {self.role}:", self.second),
            "Which serves the rules, the person and the team better? Write first, second or neither.",
        )

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

    @property
    def for_human(self) -> str:
        """What a person who judges likeness is shown."""
        return blocks(
            listed(f"The {self.role} as known:", [f"{line.about}: {line.words}" for line in self.traits]),
            listed("What was said:", self.messages),
            f"How like that person is the speaker? Write one of: {', '.join(DISTANCES)}.",
        )

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
