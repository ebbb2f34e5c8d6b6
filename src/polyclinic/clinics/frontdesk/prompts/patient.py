"""The patient who calls."""

from __future__ import annotations

from datetime import date
from typing import Literal

from polyclinic.clinics.frontdesk.prompts.views import FIRST_VOICE, Voice
from polyclinic.clinics.frontdesk.scenario.config import Preference
from polyclinic.clinics.frontdesk.scenario.schema import Companion
from polyclinic.core.prompt import Prompt
from polyclinic.people.patient_axes import PatientAxes
from polyclinic.text.layout import blocks, listed


class _InVoice(Prompt[str]):
    """What a patient says, who speaks in their own manner."""

    axes: PatientAxes

    def most_words(self) -> int:
        """The longest reply: people who are asked to give long answers may use twice as many words."""
        return 2 * self.words if self.axes.personality == "verbose" else self.words


class PatientIntake(_InVoice):
    """The patient answers at the intake."""

    template = "patient_intake.md"
    words = 60
    name: str
    sex: str
    birth_date: date
    phone: str
    identifier: str
    address: str
    diagnosis: str
    symptoms: tuple[str, ...]
    others: tuple[str, ...] = ()
    companion: Companion = ""
    speaker: str = ""
    staff_says: str
    first: bool
    voice: Voice = FIRST_VOICE

    @property
    def for_human(self) -> str:
        """What a person who plays the patient needs to know: who they are, and what is wrong."""
        particulars = [
            f"sex: {self.sex}",
            f"born: {self.birth_date}",
            f"phone: {self.phone}",
            f"personal number: {self.identifier}",
            f"address: {self.address}",
        ]
        known = (
            f"A doctor has told you that it is {self.diagnosis}." if self.diagnosis else "No doctor has seen you yet."
        )
        speaks = {
            "parent": f"{self.speaker}, a parent of {self.name}",
            "interpreter": f"{self.speaker}, who interprets ",
        }
        who = speaks.get(self.companion, self.name) + (f"for {self.name}" if self.companion == "interpreter" else "")
        return blocks(
            f"You are {who}, at the front desk of a hospital. {known}",
            listed("What is wrong:" if self.companion else "What you feel:", self.symptoms),
            listed("Also, but not why you came:", self.others) if self.others else "",
            listed("Your particulars, when you are asked:", particulars),
            "What do you say?",
        )


class PatientBooking(_InVoice):
    """The patient states a scheduling wish. `rejected` is an earlier wish, whose offer the patient first turns down."""

    template = "patient_booking.md"
    words = 35
    name: str
    wish: Preference
    physician: str
    valid_from: str
    rejected: str
    staff_says: str
    voice: Voice = FIRST_VOICE

    @property
    def for_human(self) -> str:
        """What a person who plays the patient wants now; it changes when an offer is to be turned down."""
        wanted = {
            "asap": "the earliest time there is, with any doctor",
            "physician": f"a time with {self.physician}, on any day",
            "date": f"a time from {self.valid_from} on, with any doctor",
        }[self.wish]
        before = "You have changed your mind: turn the offer down. " if self.rejected else ""
        return f"The staff says: {self.staff_says}\n\n{before}You want {wanted}. Say so."


class PatientCalls(_InVoice):
    """The patient calls about an appointment that it has. `again`: it has said what it wants, and is asked back."""

    template = "patient_calls.md"
    words = 40
    intent: Literal["move", "cancel"]
    name: str
    physician: str
    date: date
    time: str
    staff_says: str
    again: bool = False
    voice: Voice = FIRST_VOICE

    @property
    def for_human(self) -> str:
        """What a person who calls about an appointment wants."""
        return blocks(
            f"You call as {self.name}, who has an appointment with {self.physician} on {self.date} at {self.time}. "
            f"You want to {'move' if self.intent == 'move' else 'cancel'} it.",
            f"The staff says: {self.staff_says}",
            "What do you say?",
        )
