"""One typed class for each template in this folder."""

from __future__ import annotations

from pydantic import Field

from polyclinic.clinics.demo.scenario import Style
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ReplyModel


class Advice(ReplyModel):
    """What the nurse says, and the dose it amounts to."""

    text: str = Field(min_length=1, description="what the nurse says to the caller")
    tablets: int = Field(ge=1, le=50, description="tablets each time")
    times_a_day: int = Field(ge=1, le=24, description="how often a day")


class Reaction(ReplyModel):
    """What the caller says back, and whether the caller has understood."""

    says: str = Field(min_length=1, description="what you say back to the nurse")
    understood: bool = Field(description="whether you now know what to do")


class CallerAsks(Prompt[str]):
    """The caller opens the call."""

    template = "caller_asks.md"
    words = 50
    caller: str
    medicine: str
    believes: str

    @property
    def for_human(self) -> str:
        """What a person who calls is told."""
        return (
            f"You are {self.caller}, on the telephone with a medicine helpline. You were given {self.medicine}, "
            f"and you have heard: {self.believes}.\n\nAsk how to take it."
        )


class NurseAdvises(Prompt[Advice]):
    """The nurse drafts an answer; `objections` holds what was wrong with the draft before."""

    template = "nurse_advises.md"
    words = 60
    has_leaflet: bool
    medicine: str
    question: str
    phrases: tuple[str, ...]
    said_before: tuple[str, ...]
    objections: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What a person at the helpline is told."""
        leaflet = f'Look it up with: /use leaflet {{"medicine": "{self.medicine}"}}\n\n' if self.has_leaflet else ""
        held = "".join(f"Your words were held back: {objection}\n\n" for objection in self.objections)
        return (
            f"You are the nurse on a medicine helpline; the medicines are invented.\n\n{leaflet}{held}"
            "Say how to take it, as TABLETS x TIMES A DAY: words. For example: 2 x 3: take two tablets with each meal"
        )

    @classmethod
    def from_human(cls, text: str) -> Advice:
        """A person writes ``2 x 3: take two tablets with each meal``: tablets, times a day, words."""
        dose, colon, words = text.partition(":")
        tablets, cross, times = dose.lower().partition("x")
        if not (colon and cross and tablets.strip().isdigit() and times.strip().isdigit()):
            raise ValueError("write TABLETS x TIMES: words, for example: 2 x 3: take two tablets with each meal")
        return Advice(text=words.strip(), tablets=int(tablets), times_a_day=int(times))


class CallerReacts(Prompt[Reaction]):
    """The caller hears the advice."""

    template = "caller_reacts.md"
    words = 40
    caller: str
    style: Style
    advice: str

    @property
    def for_human(self) -> str:
        """How a person answers the nurse."""
        liking = {
            "mealtimes": "Numbers confuse you: you understand a dose when it is tied to meals.",
            "numbers": "You want exact numbers; talk about meals confuses you.",
        }.get(self.style, "")
        return f"{liking}\n\nHave you understood? Write yes: your words, or no: your words.".strip()

    @classmethod
    def from_human(cls, text: str) -> Reaction:
        """A person writes ``yes: thank you`` or ``no: how many?``: whether they understood, then their words."""
        answer, _, words = text.partition(":")
        if answer.strip().lower() not in ("yes", "no") or not words.strip():
            raise ValueError("write yes: words if you have understood, or no: words if you have not")
        return Reaction(says=words.strip(), understood=answer.strip().lower() == "yes")


PROMPTS = (CallerAsks, NurseAdvises, CallerReacts)
