"""The staff's understudy at the intake: asks, fills in the form, and chooses a department by rule of thumb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, cast

from polyclinic.clinics.frontdesk.prompts.intake import PATIENT, StaffIntake, StaffRecord
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, NOT_YET, IntakeReply
from polyclinic.clinics.frontdesk.understudies.hearing import listen
from polyclinic.clinics.frontdesk.understudies.triage import for_diagnosis, for_unknown_diagnosis, rank, sounds_urgent
from polyclinic.clinics.frontdesk.understudies.voice import line
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.people.locales import Sex
from polyclinic.text.lazily import lazy_pattern

_CLEAR_LEAD = 3
_GREETING = lazy_pattern(r"^\s*(?:hello|hi|good (?:morning|day|afternoon|evening))\b[.,!]?\s*", re.IGNORECASE)
_DIGIT = lazy_pattern(r"\d")
_DIAGNOSED = lazy_pattern(r"\b(?:told (?:me )?(?:that )?(?:I|it)|said (?:that )?(?:I|it)|diagnos\w+)\b", re.IGNORECASE)
_MANY = 4


class ClerkUnderstudy(Understudy):
    """Plays the staff at the intake, one step after the other."""

    @answers(StaffIntake)
    def intake(self, ask: Ask[StaffIntake]) -> str:
        """The next question."""
        prompt = ask.prompt
        if prompt.missing:
            if ask.mistake("never_asks"):
                return line(prompt.voice, "staff", "chats")
            if len(prompt.missing) > _MANY:
                return line(prompt.voice, "staff", "asks_all")
            return line(prompt.voice, "staff", "asks_some", missing=", ".join(prompt.missing))
        return line(prompt.voice, "staff", "asks_history" if prompt.topic == "diagnosis" else "asks_more")

    @answers(StaffRecord)
    def record(self, ask: Ask[StaffRecord]) -> IntakeReply | str:
        """The form, from what was said."""
        prompt = ask.prompt
        if ask.mistake("garbled_record"):
            return line(prompt.voice, "staff", "garbled")
        patient = [line.text for line in prompt.dialogue if line.speaker == PATIENT]
        heard = listen(patient)
        if ask.mistake("misspells") and "name" in heard:
            heard["name"] = f"{heard['name']}e"
        if ask.mistake("swaps_numbers") and "identifier" in heard:
            heard["phone"] = heard["identifier"]
        if ask.mistake("makes_up") and "phone" not in heard:
            heard["phone"] = "+820000000000"
        department = self._department(prompt, patient)
        if sounds_urgent(patient) and not ask.mistake("misses_emergency"):
            department = EMERGENCY
        if department and department != EMERGENCY and ask.mistake("wrong_department"):
            department = _another(department, patient, prompt.departments)
        return IntakeReply(
            name=heard.get("name", ""),
            sex=cast("Literal[Sex, '']", heard.get("sex", "")),
            phone=heard.get("phone", ""),
            identifier=heard.get("identifier", ""),
            address=heard.get("address", ""),
            complaint=" ".join(patient[0].split()[:8]),
            department=department or NOT_YET,
        )

    @staticmethod
    def _department(prompt: StaffRecord, patient: Sequence[str]) -> str:
        """Choose the department by the diagnosis that the patient named when asked, otherwise by the complaint."""
        told = _answer_to(prompt, "asks_history")
        known = for_diagnosis(told, prompt.departments)
        if known:
            return known
        named = _DIAGNOSED.search(told)
        unknown = for_unknown_diagnosis(told[named.end() :], prompt.departments) if named else ""
        if unknown:
            return unknown
        ranked = rank(map(_complaint, patient), prompt.departments)
        lead = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else _CLEAR_LEAD
        clear = lead >= _CLEAR_LEAD and bool(_answer_to(prompt, "asks_more"))
        return ranked[0][1] if clear or prompt.must_decide else ""


@lru_cache(maxsize=4096)
def _complaint(text: str) -> str:
    """What a text says about the illness, without the greeting.

    A text with digits gives personal data and is left out.
    """
    return "" if _DIGIT.search(text) else _GREETING.sub("", text)


def _answer_to(prompt: StaffRecord, question: str) -> str:
    """What the patient answered to one of this understudy's own questions; empty if it was not asked yet."""
    asked = line(prompt.voice, "staff", question)
    return " ".join([reply.text for before, reply in pairwise(prompt.dialogue) if before.text == asked])


def _another(department: str, patient: Sequence[str], departments: Sequence[str]) -> str:
    """The department that fits the words least. It is wrong on purpose."""
    ranked = [name for _, name in rank(patient, departments) if name != department]
    return ranked[-1] if ranked else department
