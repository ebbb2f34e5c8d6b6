"""Loader for MTSamples csv: transcribed reports, one per row, whose sections are found by their capital headings.

Columns: description, medical_specialty, sample_name, transcription, keywords. Only reports with a complaint or a
history and an impression that state the patient's age and sex can become cases; the others are left out.
"""

from __future__ import annotations

import csv
import io
import re

from polyclinic.clinics.patient.scenario.narrative import FactLine, age_and_sex, assemble, disease_of, sentences
from polyclinic.clinics.patient.scenario.record import Investigation, Level, Record, Topic
from polyclinic.core.files import bad_file

COLUMNS = ("description", "medical_specialty", "sample_name", "transcription", "keywords")
_HEADING = re.compile(r"(?:(?<=^)|(?<=[,.\s]))([A-Z][A-Z /&]{3,40}):")
_SPOKEN: dict[str, Topic] = {
    "CHIEF COMPLAINT": Topic.COMPLAINT,
    "REASON FOR VISIT": Topic.COMPLAINT,
    "HISTORY OF PRESENT ILLNESS": Topic.SYMPTOM,
    "SUBJECTIVE": Topic.SYMPTOM,
    "REVIEW OF SYSTEMS": Topic.SYMPTOM,
    "PAST MEDICAL HISTORY": Topic.HISTORY,
    "PAST SURGICAL HISTORY": Topic.HISTORY,
    "MEDICATIONS": Topic.MEDICATION,
    "CURRENT MEDICATIONS": Topic.MEDICATION,
    "ALLERGIES": Topic.ALLERGY,
    "FAMILY HISTORY": Topic.FAMILY,
    "SOCIAL HISTORY": Topic.HABITS,
    "HABITS": Topic.HABITS,
    "IMMUNIZATIONS": Topic.PREVENTION,
}
_TESTS: dict[str, str] = {
    "PHYSICAL EXAMINATION": "physical examination",
    "OBJECTIVE": "physical examination",
    "VITAL SIGNS": "vital signs",
    "LABORATORY DATA": "laboratory tests",
    "LABORATORY": "laboratory tests",
    "DIAGNOSTIC STUDIES": "diagnostic studies",
    "X RAY": "X-ray",
    "EKG": "ECG",
    "ECG": "ECG",
}
_VERDICT = ("IMPRESSION", "ASSESSMENT", "DIAGNOSIS", "FINAL DIAGNOSIS", "ASSESSMENT AND PLAN", "DISCHARGE DIAGNOSIS")
_SPECIALTY: dict[str, str] = {
    "ent - otolaryngology": "Otorhinolaryngology",
    "obstetrics / gynecology": "Obstetrics and Gynecology",
    "pediatrics - neonatal": "Pediatrics",
    "psychiatry / psychology": "Psychiatry",
    "ophthalmology": "Ophthalmology",
    "dermatology": "Dermatology",
    "hematology - oncology": "Oncology",
    "surgery": "Surgery",
    "emergency room reports": "Emergency Medicine",
    "diets and nutritions": "Nutrition",
    "dentistry": "Stomatology",
    "radiology": "Radiology",
}


def load_mtsamples(text: str, origin: str) -> list[Record]:
    """The rows that make a case; raises `DataError` when a column is missing or no row makes a case."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise bad_file(origin, f"the column '{missing[0]}' is missing", fix=f"MTSamples has: {', '.join(COLUMNS)}")
    found = [_case(row, number) for number, row in enumerate(reader, start=1)]
    records = [record for record in found if record is not None]
    if not records:
        what = f"none of {len(found)} rows has a complaint or history together with an impression, age and sex"
        fix = "write age and sex in the description or transcription as in '45-year-old woman'"
        raise bad_file(origin, what, fix=fix)
    return records


def split_report(transcription: str) -> dict[str, str]:
    """A report's sections by heading. Text before the first heading is left out."""
    pieces = _HEADING.split(transcription)
    sections: dict[str, str] = {}
    for heading, body in zip(pieces[1::2], pieces[2::2], strict=True):
        name = " ".join(heading.replace("-", " ").split())
        sections[name] = f"{sections.get(name, '')} {body}".strip(" ,")
    return sections


def _case(row: dict[str, str], number: int) -> Record | None:
    sections = split_report(row["transcription"] or "")
    verdict = next((sections[name] for name in _VERDICT if sections.get(name)), "")
    spoken = {name: topic for name, topic in _SPOKEN.items() if sections.get(name)}
    age, sex = age_and_sex(f"{row['description']} {row['transcription']}")
    if not verdict or not any(topic in (Topic.COMPLAINT, Topic.SYMPTOM) for topic in spoken.values()):
        return None
    if age is None or sex is None:
        return None
    diagnosis = sentences(re.sub(r"(?:^|(?<=\s))\d+[.)]\s+", "", verdict.strip(" ,")))[0].rstrip(".")
    lines: list[FactLine] = []
    for name, topic in spoken.items():
        for position, sentence in enumerate(sentences(sections[name])):
            first = topic is Topic.COMPLAINT or ("CHIEF COMPLAINT" not in spoken and not lines and position == 0)
            lines.append((topic, Level.VOLUNTEERED if first else Level.ASKED, sentence))
    lines += [(Topic.HIDDEN, Level.NEVER, line) for line in sentences(sections.get("PLAN", ""))]
    tests = [
        Investigation(name=test, items=_items(sections[heading]))
        for heading, test in _TESTS.items()
        if sections.get(heading)
    ]
    specialty = _SPECIALTY.get((row["medical_specialty"] or "").strip().lower(), "")
    disease = disease_of(diagnosis, row["transcription"], specialty)
    return assemble(
        f"mtsamples-{number}",
        disease,
        age=age,
        sex=sex,
        lines=lines,
        tests=_merged(tests),
        diagnosis=diagnosis,
        source=f"MTSamples: {(row['sample_name'] or '').strip()}",
    )


def _items(text: str) -> dict[str, str]:
    items: dict[str, str] = {}
    for number, sentence in enumerate(sentences(text), start=1):
        name, colon, value = sentence.partition(":")
        named = bool(colon) and len(name) < 40 and bool(value.strip())
        items[name.strip() if named else f"Finding {number}"] = value.strip() if named else sentence
    return items


def _merged(tests: list[Investigation]) -> list[Investigation]:
    """One investigation for each name, whatever headings it came from."""
    merged: dict[str, dict[str, str]] = {}
    for test in tests:
        held = merged.setdefault(test.name, {})
        for item, value in test.items.items():
            held[item if item not in held else f"{item} ({len(held) + 1})"] = value
    return [Investigation(name=name, items=items) for name, items in merged.items()]
