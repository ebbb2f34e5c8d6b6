"""What the loaders share: splitting into sentences, making a disease from a diagnosis, hiding lines that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from polyclinic.clinics.patient.scenario.disciplines import disciplines
from polyclinic.clinics.patient.scenario.own_voice import in_own_voice
from polyclinic.clinics.patient.scenario.record import (
    Disease,
    Fact,
    Informant,
    Investigation,
    Level,
    Record,
    Topic,
    told_age,
)
from polyclinic.clinics.patient.scenario.shipped import diseases
from polyclinic.people.locales import Sex
from polyclinic.people.vignette import stated_age, stated_sex
from polyclinic.text.phrases import mentioned
from polyclinic.text.sentences import sentences as split_sentences

OLDEST = 120
NO_COMPLAINT: dict[Informant, str] = {"self": "I do not feel well.", "parent": "My child is not well."}
"""The first words where a source only has the disease's name as the reason of the visit."""
FactLine = tuple[Topic, Level, str]


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a decimal point does not end a sentence."""
    clean = re.sub(r"[\s,]*,{2,}[\s,]*", " ", " ".join(text.split())).strip(" ,")
    pieces = split_sentences(clean, lines=False, capitals=True)
    return [piece.strip(" ,") for piece in pieces if piece.strip(" ,")]


def disease_of(diagnosis: str, text: str = "", discipline: str = "") -> Disease:
    """The shipped disease with that name, or a new one with the few facts that are known."""
    for disease in diseases():
        if mentioned(diagnosis, (disease.name, *(name for name in disease.synonyms if " " in name or len(name) > 10))):
            names = tuple(dict.fromkeys((*disease.names, diagnosis)))
            return disease.model_copy(update={"synonyms": tuple(name for name in names if name != disease.name)})
    return Disease(
        name=diagnosis, synonyms=(), system="unknown", discipline=discipline or nearest_discipline(text or diagnosis)
    )


def nearest_discipline(text: str) -> str:
    """The discipline whose signs occur most in a text; internal medicine if no sign occurs."""
    low = text.lower()
    score = {name: sum(sign in low for sign in discipline.signs) for name, discipline in disciplines().items()}
    best = max(score, key=lambda name: score[name])
    return best if score[best] else "Internal Medicine"


def assemble(
    id: str,
    disease: Disease,
    *,
    age: int,
    sex: Sex,
    lines: Iterable[FactLine],
    tests: Sequence[Investigation],
    diagnosis: str,
    source: str,
) -> Record:
    """A record from loaded pieces. A line that names the disease is hidden from the patient, whatever its place."""
    informant: Informant = "parent" if age < 6 else "self"
    facts: list[Fact] = []

    def add(topic: Topic, level: Level, text: str, test: str = "", item: str = "") -> None:
        if level is not Level.NEVER and mentioned(text, disease.names):
            level = Level.NEVER
        facts.append(Fact(id=f"{id}.{len(facts) + 1}", topic=topic, level=level, text=text, test=test, item=item))

    child = "" if informant == "self" else "son" if sex == "male" else "daughter"
    for topic, level, text in lines:
        add(topic, level, text if level is Level.NEVER else in_own_voice(text, child))
    if not any(fact.level is Level.VOLUNTEERED for fact in facts):
        add(Topic.COMPLAINT, Level.VOLUNTEERED, NO_COMPLAINT[informant])
    add(Topic.BACKGROUND, Level.ASKED, told_age(age, None, informant, sex))
    for test in tests:
        for item, value in test.items.items():
            add(Topic.RESULT, Level.TEST, f"{item}: {value}", test.name, item)
        if test.impression:
            add(Topic.IMPRESSION, Level.NEVER, test.impression, test.name)
    add(Topic.DIAGNOSIS, Level.NEVER, diagnosis)
    return Record(
        id=id,
        disease=disease,
        age=age,
        sex=sex,
        informant=informant,
        facts=tuple(facts),
        investigations=tuple(tests),
        diagnosis=diagnosis,
        source=source,
    )


def age_and_sex(text: str) -> tuple[int | None, Sex | None]:
    """Age and sex from a narrative; None for what it does not state, or for an age that nobody has."""
    age = stated_age(text)
    return None if age is None or age > OLDEST else age, stated_sex(text)
