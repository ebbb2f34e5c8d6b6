"""The fixed phrases of the desk, and the wording of offers and wishes."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.prompts.history import time_words
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.scenario.slots import Wish

GREETING = "Hello, how can I help you?"
WHICH_TIME = "How would you like to schedule the appointment?"
NOTHING_FOR_THAT = "I am sorry, nothing is free for that. Is there another way?"
WHICH_ONE = "I am sorry, I cannot find it. What are your full name, your doctor's name and the date of the appointment?"
THANKS = "Thank you."
FOUND = "The appointment was found."
SEE_DIARIES = "The diaries are open."
EMERGENCY_WORDS = (
    "This cannot wait for an appointment. Please stay here, I am calling the emergency team for you right now."
)


def seen_words(department: str) -> str:
    """The sentence that tells a patient where to go."""
    return f"Thank you. You will be seen in {department}." if department else "Thank you. We will call you."


def offer_words(proposals: tuple[Proposal, ...]) -> str:
    """An offer in words."""
    return f"How about {' and '.join(time_words(entry) for entry in proposals)}?"


def moved_words(proposal: Proposal) -> str:
    """The sentence that confirms an earlier time."""
    return f"I have moved it: {time_words(proposal)}."


def wish_words(wish: Wish) -> str:
    """A wish in words, for staff who look for an earlier time for an existing appointment."""
    if wish.kind == "physician":
        return f"I would like to see {wish.physician} earlier."
    if wish.kind == "date" and wish.valid_from is not None:
        return f"I can come from {wish.valid_from.isoformat()} on, as early as possible."
    return "I would like the earliest time there is."
