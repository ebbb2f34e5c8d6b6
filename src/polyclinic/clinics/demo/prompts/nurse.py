"""The nurse."""

from __future__ import annotations

from polyclinic.clinics.demo.prompts.replies import Advice
from polyclinic.clinics.demo.rules import told_dose
from polyclinic.core.form import FormHints
from polyclinic.core.prompt import Prompt


class NurseAdvises(Prompt[Advice]):
    """The nurse drafts an answer to what the caller has just said (`heard`); earlier words are the history.

    `objections` says what was wrong with the previous draft, `refused`.
    """

    template = "nurse_advises.md"
    words = 60
    has_leaflet: bool
    medicine: str
    question: str
    heard: str = ""
    phrases: tuple[str, ...]
    said_before: tuple[str, ...]
    refused: str = ""
    objections: tuple[str, ...]

    @property
    def for_human(self) -> str:
        """What is shown to a person who plays the nurse."""
        leaflet = f"Look it up with: /use leaflet {self.medicine}\n\n" if self.has_leaflet else ""
        held = "".join(f"Your words were held back: {objection}\n\n" for objection in self.objections)
        return (
            f"You are the nurse on a medicine helpline; the medicines are invented.\n\n{leaflet}{held}"
            "Say how to take it, in words that name tablets and times a day, or as TABLETS x TIMES A DAY: words. "
            "For example: 2 x 3: take two tablets with each meal"
        )

    def form_hints(self) -> FormHints:
        """The form has separate fields for the dose."""
        return FormHints(ask="Say how to take it.", labels={"text": "What you say", "tablets": "Tablets each time"})

    @classmethod
    def from_human(cls, text: str) -> Advice:
        """A person writes ``2 x 3: take two tablets with each meal``: tablets, times a day, words. Plain words are
        enough if they name both numbers: ``Take one tablet twice a day.``
        """
        dose, colon, words = text.partition(":")
        tablets, cross, times = dose.lower().partition("x")
        if not (colon and cross and tablets.strip().isdigit() and times.strip().isdigit()):
            plain = told_dose(text)
            if plain:
                return Advice(text=text.strip(), tablets=plain[0], times_a_day=plain[1])
            raise ValueError("write TABLETS x TIMES: words, for example: 2 x 3: take two tablets with each meal")
        return Advice(text=words.strip(), tablets=int(tablets), times_a_day=int(times))
