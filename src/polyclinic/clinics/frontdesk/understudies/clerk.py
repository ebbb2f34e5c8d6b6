"""The staff's understudy at the intake: listens, writes down by pattern, and assigns by rule of thumb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.frontdesk.prompts import IntakeReply, StaffIntake, StaffRecord, StaffTurn
from polyclinic.clinics.frontdesk.understudies.triage import for_diagnosis, rank
from polyclinic.core.message import Message
from polyclinic.core.understudy import Ask, Understudy, answers

ASK_ALL = "Thank you. May I have your full name, sex, phone number, personal number (ID) and address, please?"
ASK_HISTORY = "Has another doctor or hospital already made a diagnosis?"
ASK_MORE = "I see, that must be unpleasant. What else have you noticed?"
_PATTERNS = {
    "name": re.compile(r"\bmy name is ([^.]+)\.", re.IGNORECASE),
    "sex": re.compile(r"\b(female|male)\b", re.IGNORECASE),
    "phone": re.compile(r"(\+\d[\d ]{6,}\d)"),
    "identifier": re.compile(r"(?<![+\d])(\d{6}-\d{7}|\d{10})(?!\d)"),
    "address": re.compile(r"\bmy address is ([^.]+)\.", re.IGNORECASE),
}
_LABELS = {
    "name": "full name",
    "sex": "sex",
    "phone": "phone number",
    "identifier": "personal number (ID)",
    "address": "address",
}
_CLEAR_LEAD = 3


def listen(said: Sequence[str]) -> dict[str, str]:
    """The particulars in a patient's words; the last mention counts."""
    heard: dict[str, str] = {}
    for text in said:
        heard.update(_particulars(text))
    return heard


@lru_cache(maxsize=4096)
def _particulars(text: str) -> tuple[tuple[str, str], ...]:
    """What one utterance holds: heard again in each round, looked through once."""
    found = ((field, pattern.findall(text)) for field, pattern in _PATTERNS.items())
    return tuple((field, values[-1].strip()) for field, values in found if values)


def _words(messages: Sequence[Message], role: str) -> list[str]:
    return [message.content for message in messages if message.role == role]


class ClerkUnderstudy(Understudy):
    """Goes through the steps of an intake one by one."""

    @answers(StaffIntake)
    def intake(self, ask: Ask[StaffIntake]) -> StaffTurn:
        """The next question, or the decision."""
        prompt = ask.prompt
        patient = [*_words(ask.messages[:-1], "user"), prompt.patient_says]
        mine = " ".join(_words(ask.messages, "assistant"))
        last_round = prompt.round >= prompt.rounds
        heard = listen(patient)
        missing = [label for field, label in _LABELS.items() if field not in heard]
        may_ask = not last_round and mine.lower().count("may i have") < 2 and not ask.mistake("never_asks")
        if missing and may_ask:
            return StaffTurn(says=ASK_ALL if len(missing) > 3 else f"And may I have your {', '.join(missing)}?")
        if ASK_HISTORY not in mine and not last_round:
            return StaffTurn(says=ASK_HISTORY)
        department = self._department(prompt, patient, mine, last_round)
        if not department:
            return StaffTurn(says=ASK_MORE)
        if ask.mistake("wrong_department"):
            department = _another(department, patient, prompt.departments)
        return StaffTurn(says=f"Thank you. I will arrange for you to be seen in {department}.", department=department)

    @staticmethod
    def _department(prompt: StaffIntake, patient: Sequence[str], mine: str, last_round: bool) -> str:
        diagnosed = [text for text in patient if "told that i have" in text.lower()]
        if diagnosed:
            known = for_diagnosis(diagnosed[-1], prompt.departments)
            if known:
                return known
        ranked = rank(" ".join(patient), prompt.departments)
        lead = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else _CLEAR_LEAD
        asked = mine.count(ASK_MORE)
        if last_round or (asked and lead >= _CLEAR_LEAD):
            return ranked[0][1]
        return ""

    @answers(StaffRecord)
    def record(self, ask: Ask[StaffRecord]) -> IntakeReply | str:
        """The record, by pattern from what was said."""
        if ask.mistake("garbled_record"):
            return "Certainly! The patient seems nice and will be seen soon."
        heard = listen(_words(ask.messages[:-1], "user"))
        mine = " ".join(_words(ask.messages, "assistant")).lower()
        department = next((name for name in ask.prompt.departments if f"seen in {name}" in mine), "none")
        if ask.mistake("misspells") and "name" in heard:
            heard["name"] = f"{heard['name']}e"
        return IntakeReply(
            name=heard.get("name", "none"),
            sex=heard.get("sex", "none").lower(),
            phone=heard.get("phone", "none"),
            identifier=heard.get("identifier", "none"),
            address=heard.get("address", "none"),
            department=department,
        )


def _another(department: str, patient: Sequence[str], departments: Sequence[str]) -> str:
    """The department that the words point to least: wrong on purpose."""
    ranked = [name for _, name in rank(" ".join(patient), departments) if name != department]
    return ranked[-1] if ranked else department
