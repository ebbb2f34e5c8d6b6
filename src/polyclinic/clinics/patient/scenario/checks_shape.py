"""Checks of what a case file must have: topics, tests, a real diagnosis, and the disease's own fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from polyclinic.clinics.patient.scenario.checking import RecordCheck, each_line, whole
from polyclinic.clinics.patient.scenario.disciplines import DISCIPLINES
from polyclinic.clinics.patient.scenario.narrative import NO_COMPLAINT
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic

_NEEDED_TOPICS = (
    Topic.SYMPTOM,
    Topic.HISTORY,
    Topic.MEDICATION,
    Topic.FAMILY,
    Topic.HABITS,
    Topic.SOCIAL,
    Topic.ALLERGY,
)
_NEGATIVE = re.compile(r"\b(no|not|never|nothing|none|neither|without|nobody)\b|n't\b", re.IGNORECASE)
_SOCIAL_FINDING = re.compile(
    r"\b(education|employment|employed|unemployed|labor force|housing|transport|criminal record|social contact|stress"
    r"|partner abuse|medication review|immunization|retired|has a )\b|\(finding\)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\((finding|disorder|situation|procedure|morphologic abnormality|regime/therapy)\)", re.IGNORECASE)


def _topic_missing(record: Record) -> Iterator[str]:
    asked = Counter(fact.topic for fact in record.at(Level.ASKED))
    for topic in _NEEDED_TOPICS:
        if not asked[topic]:
            yield (
                f"nothing is known about {topic.value}; add a line under 'asked: {topic.value}', even if it only "
                f"says that there is nothing"
            )


def _few_symptoms(record: Record) -> Iterator[str]:
    count = sum(fact.topic is Topic.SYMPTOM for fact in record.at(Level.ASKED))
    if 0 < count < 3:
        yield f"only {count} symptom line(s); a doctor needs at least 3 to work with"


def _no_pertinent_negative(record: Record) -> Iterator[str]:
    symptoms = [fact for fact in record.spoken if fact.topic in (Topic.SYMPTOM, Topic.COMPLAINT, Topic.MOOD)]
    if symptoms and not any(_NEGATIVE.search(fact.text) for fact in symptoms):
        yield "no symptom line says what the patient does not have; add one, such as 'I have no fever and no cough.'"


def _few_investigations(record: Record) -> Iterator[str]:
    if len(record.investigations) < 2:
        yield f"{len(record.investigations)} investigation(s); at least 2 with itemised results are needed"


def _empty_result(record: Record) -> Iterator[str]:
    for test in record.investigations:
        for item, value in test.items.items():
            if not item.strip() or not value.strip() or value.strip() in ("-", "?", "not stated"):
                yield f"{test.name}: '{item}' has no result"


def _code_system_tag(record: Record) -> Iterator[str]:
    for text in [record.diagnosis, *(fact.text for fact in record.spoken)]:
        if _TAG.search(text):
            yield f"'{text[:60]}' ends with the tag of a code system; leave it out"


def _broader_name_is_no_synonym(record: Record) -> Iterator[str]:
    for name in record.disease.broader:
        if name not in (*record.disease.names, *record.disease.korean):
            yield f"broader: '{name}' is not among the synonyms"


def _unknown_consult(record: Record) -> Iterator[str]:
    for name in record.disease.consult:
        if name not in DISCIPLINES:
            yield f"consult: '{name}' is not one of the 20 disciplines"


def _repeated_line(record: Record) -> Iterator[str]:
    for text, count in Counter(fact.text.lower() for fact in record.spoken).items():
        if count > 1:
            yield f"'{text[:60]}' appears {count} times"


def _repeated_test(record: Record) -> Iterator[str]:
    for name, count in Counter(test.name.lower() for test in record.investigations).items():
        if count > 1:
            yield f"the test '{name}' appears {count} times; merge its items"


SHAPE_CHECKS: dict[str, RecordCheck] = {
    "nothing volunteered": whole(
        lambda record: all(fact.text in NO_COMPLAINT.values() for fact in record.at(Level.VOLUNTEERED)),
        "nothing is volunteered; add at least one line under 'volunteered' for the complaint",
    ),
    "topic missing": _topic_missing,
    "few symptoms": _few_symptoms,
    "no pertinent negative": _no_pertinent_negative,
    "few investigations": _few_investigations,
    "empty result": _empty_result,
    "nothing kept back": whole(
        lambda record: not record.at(Level.NEVER),
        "no fact is hidden from the patient; put at least the diagnosis under 'never'",
    ),
    "empty diagnosis": whole(lambda record: not record.diagnosis.strip(), "the diagnosis is empty"),
    "social finding as diagnosis": whole(
        lambda record: _SOCIAL_FINDING.search(record.diagnosis),
        "the diagnosis '{record.diagnosis}' is no illness; name the encounter's diagnosis",
    ),
    "code system tag": _code_system_tag,
    "few synonyms": whole(
        lambda record: len(record.disease.synonyms) < 2,
        "the disease has fewer than 2 synonyms, so a leak could go unseen; list what people call it",
    ),
    "broader name is no synonym": _broader_name_is_no_synonym,
    "unknown discipline": whole(
        lambda record: record.disease.discipline not in DISCIPLINES,
        "'{record.disease.discipline}' is not one of the 20 disciplines",
    ),
    "unknown consult": _unknown_consult,
    "consult is the discipline": whole(
        lambda record: record.disease.discipline in record.disease.consult,
        "consult: '{record.disease.discipline}' already treats the disease",
    ),
    "urgent without red flag": whole(
        lambda record: record.disease.urgent and not any(fact.red_flag for fact in record.facts),
        "the disease is urgent and no line is a red flag; mark the sign that must not be missed",
    ),
    "repeated line": _repeated_line,
    "repeated test": _repeated_test,
    # YAML splits a line at a comma: ``[I live alone, near the sea.]``. The second part begins in lower case.
    "line torn at a comma": each_line(
        lambda _, fact: fact.text[:1].islower(),
        "'{line}' begins in the middle of a sentence; put text with a comma in quotation marks",
    ),
}
