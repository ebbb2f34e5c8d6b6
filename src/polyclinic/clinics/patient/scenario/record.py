"""A medical record in which every fact says when it may become known.

The disclosure level is part of the data. So code decides what a simulated patient may know before any model is asked:
what is not in the context cannot leak.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from polyclinic.core.message import Frozen
from polyclinic.people.locales import Sex
from polyclinic.text.layout import number_of

Informant = Literal["self", "parent"]


class Level(StrEnum):
    """When a fact may become known to the doctor."""

    VOLUNTEERED = "volunteered"
    ASKED = "asked"
    TEST = "test"
    NEVER = "never"


class Topic(StrEnum):
    """What a fact is about."""

    COMPLAINT = "complaint"
    SYMPTOM = "symptom"
    HISTORY = "history"
    MEDICATION = "medication"
    FAMILY = "family"
    HABITS = "habits"
    SOCIAL = "social"
    MOOD = "mood"
    ALLERGY = "allergy"
    PREVENTION = "prevention"
    BACKGROUND = "background"
    RESULT = "result"
    IMPRESSION = "impression"
    TREATMENT = "treatment"
    DIAGNOSIS = "diagnosis"
    HIDDEN = "hidden"


class Fact(Frozen):
    """One thing that is true of the patient. Spoken facts are in the informant's own words."""

    id: str
    topic: Topic
    level: Level
    text: str
    test: str = ""
    item: str = ""
    red_flag: bool = False

    @property
    def as_told(self) -> str:
        """The fact with its heading in the record: "In the family: My father ..."."""
        return headed(self.topic, self.text)


def headed(topic: str, text: str) -> str:
    """A line with the heading of its topic."""
    return f"{_HEADINGS[Topic(topic)]}: {text}" if topic in _HEADINGS else text


_HEADINGS = {
    Topic.COMPLAINT: "What is wrong",
    Topic.SYMPTOM: "What I noticed",
    Topic.HISTORY: "Earlier illness",
    Topic.MEDICATION: "Medicines I take",
    Topic.FAMILY: "In my family",
    Topic.HABITS: "My habits",
    Topic.SOCIAL: "My work, home and family",
    Topic.MOOD: "How I feel about it",
    Topic.ALLERGY: "Allergies",
    Topic.PREVENTION: "Vaccines and check-ups",
    Topic.BACKGROUND: "My age",
}


class Investigation(Frozen):
    """A named test or examination with its itemised results. The patient never knows the impression."""

    name: str
    items: dict[str, str] = Field(min_length=1)
    impression: str = ""


class Disease(Frozen):
    """What all records of a disease share: its names (none may be spoken), who treats it, and its signs.

    `broader` are the synonyms and Korean names that are no exact diagnosis. `unlike` are other illnesses whose names
    hold one of these names: a "haemorrhagic stroke" is no ischaemic one. `korean` are its names in Korean, for a person
    who concludes in Korean. `urgent` says that it is dangerous to overlook it.
    """

    name: str
    synonyms: tuple[str, ...]
    system: str
    discipline: str
    consult: tuple[str, ...] = ()
    icd10: str = ""
    clues: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    korean: tuple[str, ...] = ()
    urgent: bool = False

    @property
    def diagnoses(self) -> tuple[str, ...]:
        """The names that count as the diagnosis.

        A broader name ("cancer") is a leak, but does not count as the diagnosis.
        """
        return tuple(name for name in (*self.names, *self.korean) if name not in self.broader)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that would give the disease away."""
        return (self.name, *self.synonyms)


class Record(Frozen):
    """One patient's record. `unlike` are names of its disease that do not fit this patient, such as "NSTEMI"."""

    id: str
    disease: Disease
    unlike: tuple[str, ...] = ()
    age: int = Field(ge=0, le=120)
    age_months: int | None = Field(default=None, ge=0, le=35)
    sex: Sex
    informant: Informant = "self"
    facts: tuple[Fact, ...]
    investigations: tuple[Investigation, ...] = ()
    diagnosis: str
    source: str = "polyclinic"

    def at(self, *levels: Level) -> list[Fact]:
        """The facts of these levels, in the record's order."""
        return [fact for fact in self.facts if fact.level in levels]

    @property
    def spoken(self) -> list[Fact]:
        """The facts that the patient or the parent may say; other facts are found by tests."""
        return self.at(Level.VOLUNTEERED, Level.ASKED)

    def fact(self, id: str) -> Fact:
        """A fact by its id."""
        for fact in self.facts:
            if fact.id == id:
                return fact
        raise KeyError(id)

    def results(self, test: str) -> list[Fact]:
        """What a named test shows, item by item."""
        return [fact for fact in self.at(Level.TEST) if fact.test == test]

    @property
    def checklist(self) -> list[Fact]:
        """What a good interview brings out: everything that may be known, except age and sex."""
        known = self.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST)
        return [fact for fact in known if fact.topic is not Topic.BACKGROUND]

    @property
    def age_text(self) -> str:
        """The age in words."""
        return _age_text(self.age, self.age_months)


def told_age(age: int, months: int | None, informant: str, sex: str) -> str:
    """The age as the informant tells it."""
    who = "I am" if informant != "parent" else "He is" if sex == "male" else "She is"
    return f"{who} {_age_text(age, months)} old."


def _age_text(age: int, months: int | None) -> str:
    return number_of(months, "month") if months is not None and age < 3 else number_of(age, "year")
