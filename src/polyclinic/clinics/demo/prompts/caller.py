"""The caller."""

from __future__ import annotations

from polyclinic.clinics.demo.prompts.replies import Reaction
from polyclinic.clinics.demo.rules import yes_or_no
from polyclinic.clinics.demo.scenario import Style
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt


class CallerAsks(Prompt[str]):
    """The caller opens the call."""

    template = "caller_asks.md"
    words = 50
    caller: str
    medicine: str
    believes: str

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the caller."""
        return (
            f"You are {self.caller}, on the telephone with a medicine helpline. You were given {self.medicine}, "
            f"and you have heard: {self.believes}.\n\nAsk how to take it."
        )


class CallerReacts(Prompt[Reaction]):
    """The caller hears the advice."""

    template = "caller_reacts.md"
    words = 40
    caller: str
    style: Style
    advice: str

    @property
    def for_human(self) -> str:
        """What is shown to a person before they answer the nurse."""
        liking = {
            "mealtimes": "Numbers confuse you: you understand a dose when it is tied to meals.",
            "numbers": "You want exact numbers; talk about meals confuses you.",
        }.get(self.style, "")
        ask = "Have you understood? Write yes or no, or with your words, as yes: your words, or no: your words."
        return f"{liking}\n\n{ask}".strip()

    def form_hints(self) -> FormHints:
        """The form has a separate field for whether the caller understood."""
        return FormHints(ask="Have you understood?", labels={"says": "What you say", "understood": "I understand"})

    @classmethod
    def from_human(cls, text: str) -> Reaction:
        """A person writes ``yes: thank you`` or ``no: how many?``, or only ``yes``, ``ok`` or ``no``."""
        answer, _, words = text.partition(":")
        understood = yes_or_no(answer)
        if understood is None:
            raise ValueError("write yes: words if you have understood, or no: words if you have not")
        return Reaction(says=words.strip() or answer.strip(), understood=understood)
