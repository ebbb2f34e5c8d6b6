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
from polyclinic.clinics.patient.scenario.set_phrases import in_plain_words
from polyclinic.clinics.patient.scenario.shipped import diseases
from polyclinic.people.locales import Sex
from polyclinic.people.vignette import stated_age, stated_sex
from polyclinic.text.phrases import mentioned, phrase_pattern
from polyclinic.text.sentences import sentences as split_sentences

OLDEST = 120
_GROWN_UP, _GENERAL = 16, "Internal Medicine"
_SHORT = 4
"""A sign of a discipline with more letters may have any ending: vomit, vomiting."""
_MONTHS_TOLD = 24
"""Below this age a child's age is told in months."""
_LIFE = re.compile(
    r"\b(?:lives?|living|works?|working|worked|employ\w*|unemployed|retired|occupation|job|student|school|college"
    r"|university|married|single|divorced|widow\w*|partner|wife|husband|spouse|children|parents?|home\w*|travel\w*)\b",
    re.IGNORECASE,
)
NO_COMPLAINT: dict[Informant, str] = {"self": "I do not feel well.", "parent": "My child is not well."}
"""The first words where a source only has the disease's name as the reason of the visit."""
FactLine = tuple[Topic, Level, str]


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a decimal point does not end a sentence."""
    clean = re.sub(r"[\s,]*,{2,}[\s,]*", " ", " ".join(text.split())).strip(" ,")
    pieces = split_sentences(clean, lines=False, capitals=True)
    return [piece.strip(" ,") for piece in pieces if piece.strip(" ,")]


def disease_of(diagnosis: str, text: str = "", discipline: str = "", *, age: int) -> Disease:
    """The shipped disease with that name, or a new one with the few facts that are known. A child's is treated by
    paediatricians if no other discipline is plain.
    """
    for disease in diseases():
        exact = [name for name in disease.diagnoses if " " in name or len(name) > 10 or _is_abbreviation(name)]
        if phrase_pattern(disease.name, *exact, acronyms=True).search(diagnosis):
            names = tuple(dict.fromkeys((*disease.names, diagnosis)))
            return disease.model_copy(update={"synonyms": tuple(name for name in names if name != disease.name)})
    found = discipline or nearest_discipline(text or diagnosis, whole_words=True)
    if found == _GENERAL and age < _GROWN_UP:
        found = "Pediatrics"
    return Disease(name=diagnosis, synonyms=(), system="unknown", discipline=found)


def nearest_discipline(text: str, *, whole_words: bool = False) -> str:
    """The discipline whose signs occur most in a text; internal medicine if no sign occurs.

    `whole_words`: for long texts, where "years" must not stand for an ear.
    """
    low = text.lower()

    def found(sign: str) -> bool:
        if not whole_words:
            return sign in low
        return phrase_pattern(sign, possessive=True, open_end=len(sign) > _SHORT).search(low) is not None

    score = {name: sum(map(found, discipline.signs)) for name, discipline in disciplines().items()}
    best = max(score, key=lambda name: score[name])
    return best if score[best] else _GENERAL


def _is_abbreviation(name: str) -> bool:
    return name.isupper() and len(name) > 1


def assemble(
    id: str,
    disease: Disease,
    *,
    age: int,
    months: int | None = None,
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
        plain = in_plain_words(topic, text)
        if plain:
            add(topic, level, plain if level is Level.NEVER else in_own_voice(plain, child))
    if not any(fact.level is Level.VOLUNTEERED for fact in facts):
        add(Topic.COMPLAINT, Level.VOLUNTEERED, NO_COMPLAINT[informant])
    add(Topic.BACKGROUND, Level.ASKED, told_age(age, months, informant, sex))
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
        age_months=months,
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


def told_in_months(months: int | None) -> int | None:
    """The age in months if it is told so; None for older patients."""
    return months if months is not None and months < _MONTHS_TOLD else None


def life_topic(sentence: str) -> Topic:
    """Work, home and family are the patient's social life; the rest of a "social history" are habits."""
    return Topic.SOCIAL if _LIFE.search(sentence) else Topic.HABITS
