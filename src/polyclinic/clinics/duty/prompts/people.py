"""Staff and patient, turn by turn."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.views import (
    MemoryView,
    PatientSteers,
    RoleView,
    SpokenMessage,
    StaffSteers,
    TraitLine,
)
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.prompt import Prompt
from polyclinic.text.layout import blocks, listed


class ActTurn(Prompt[str]):
    """A member of staff speaks. The variant decides whether the prompt holds norms, learned lines or memory.

    Earlier messages come as history, in order; `heard` holds the messages after this person's last words.
    """

    template = "act_turn.md"
    words = 60
    role: Role
    matter: str
    setting: str
    view: RoleView
    traits: tuple[TraitLine, ...]
    style: str
    norms: tuple[str, ...]
    checklist: tuple[str, ...]
    learned: tuple[str, ...]
    grounding: tuple[str, ...]
    heard: tuple[SpokenMessage, ...]
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
            *(
                f"medicine: {each.name}, {each.dose}" + f"; {each.taken}" * bool(each.taken)
                for each in self.view.medicines
            ),
            *(f"said before: {promise}" for promise in self.view.promised),
            *(f"the department has, when free: {thing}" for thing in self.view.equipment),
            *(
                f"{each.name}: {each.limit}" + f"; instead: {each.instead}" * bool(each.instead)
                for each in self.view.limits
            ),
            *(f"nobody has this yet: {thing}" for thing in self.view.unknowns),
        ]
        return blocks(
            f"You are the {self.role}. {self.setting} The matter at hand: {self.matter}.",
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
    child: str = ""
    setting: str
    knows: tuple[str, ...]
    story: tuple[str, ...]
    concerns: tuple[str, ...]
    manner: tuple[str, ...]
    heard: tuple[SpokenMessage, ...]
    to: Role
    steers: PatientSteers

    @property
    def for_human(self) -> str:
        """What a person who plays the patient knows, and who is asking."""
        who = f"the parent who speaks for a sick {self.child}" if self.child else "the patient"
        return blocks(
            f"You are {who}. {self.setting}",
            listed("What you know:", self.knows),
            listed("What happened, in your words:", self.story),
            listed("What worries you:", self.concerns),
            f"Answer the {self.to}.",
        )
