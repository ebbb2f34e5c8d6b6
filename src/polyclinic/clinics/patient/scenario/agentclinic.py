"""Loader for AgentClinic jsonl: one OSCE case per line, already split into what the patient, the exam and the tests
show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from polyclinic.clinics.patient.scenario.narrative import (
    FactLine,
    age_and_sex,
    assemble,
    disease_of,
    life_topic,
    sentences,
    told_in_months,
)
from polyclinic.clinics.patient.scenario.record import Investigation, Level, Record, Topic
from polyclinic.core.files import bad_file, json_lines
from polyclinic.people.vignette import labelled_age, stated_months

_TOPICS: dict[str, Topic] = {
    "Past_Medical_History": Topic.HISTORY,
    "Social_History": Topic.HABITS,
    "Family_History": Topic.FAMILY,
    "Medications": Topic.MEDICATION,
    "Allergies": Topic.ALLERGY,
    "Review_of_Systems": Topic.SYMPTOM,
}


def load_agentclinic(text: str, origin: str) -> list[Record]:
    """All cases of the file; raises `DataError` with the line that cannot be read."""
    records = []
    for number, raw in json_lines(text, origin):
        try:
            records.append(_case(raw["OSCE_Examination"], origin, number))
        except (KeyError, TypeError) as error:
            raise bad_file(origin, f"an AgentClinic case needs {error}", line=number) from None
        except AttributeError:
            what = "an AgentClinic case has objects ({…}) for the patient, the examination and the tests"
            raise bad_file(origin, what, line=number) from None
    return records


def _case(case: Mapping[str, Any], origin: str, number: int) -> Record:
    actor, diagnosis = case["Patient_Actor"], str(case["Correct_Diagnosis"]).strip()
    lines = list(_lines(actor))
    person = str(actor.get("Demographics", ""))
    stated = f"{person} {actor.get('History', '')}"
    age, sex = age_and_sex(stated)
    age = labelled_age(person) if age is None else age
    if age is None or sex is None:
        what = f"the patient's {'age' if age is None else 'sex'} cannot be read here, nor in History"
        fix = "write both as in '45-year-old woman'"
        raise bad_file(origin, what, line=number, field="Patient_Actor.Demographics", fix=fix)
    tests = [
        *_tests(case.get("Physical_Examination_Findings", {}), "examination"),
        *_tests(case.get("Test_Results", {}), ""),
    ]
    return assemble(
        f"agentclinic-{number}",
        disease_of(diagnosis, " ".join(text for _, _, text in lines), age=age),
        age=age,
        months=told_in_months(stated_months(stated)),
        sex=sex,
        lines=lines,
        tests=tests,
        diagnosis=diagnosis,
        source="AgentClinic",
    )


def _lines(actor: Mapping[str, Any]) -> Iterator[FactLine]:
    symptoms = actor.get("Symptoms", {})
    if symptoms.get("Primary_Symptom"):
        yield Topic.COMPLAINT, Level.VOLUNTEERED, str(symptoms["Primary_Symptom"])
    for sentence in sentences(str(actor.get("History", ""))):
        yield Topic.SYMPTOM, Level.ASKED, sentence
    for symptom in _told(symptoms.get("Secondary_Symptoms", [])):
        yield Topic.SYMPTOM, Level.ASKED, symptom
    for key, topic in _TOPICS.items():
        for sentence in _told(actor.get(key, "")):
            yield life_topic(sentence) if topic is Topic.HABITS else topic, Level.ASKED, sentence


def _told(value: Any) -> Iterator[str]:
    """The sentences of a text, of a list of texts, or of named parts."""
    if isinstance(value, Mapping):
        yield from (f"{name}: {text}" for name, text in _flat(value))
    elif isinstance(value, list):
        for part in value:
            yield from _told(part)
    elif value is not None:
        yield from sentences(str(value))


def _tests(raw: Mapping[str, Any], suffix: str) -> Iterator[Investigation]:
    for name, value in raw.items():
        words = name.replace("_", " ").strip().lower()
        if suffix and suffix not in words and "vital" not in words:
            words = f"{words} {suffix}"
        items = dict(_flat(value)) if isinstance(value, Mapping) else {"Finding": _plain(value)}
        if items:
            yield Investigation(name=words, items=items)


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        name = f"{prefix}{key.replace('_', ' ')}"
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{name}, ")
        else:
            yield name, _plain(inner)


def _plain(value: Any) -> str:
    return ", ".join(_plain(item) for item in value) if isinstance(value, list) else str(value)
