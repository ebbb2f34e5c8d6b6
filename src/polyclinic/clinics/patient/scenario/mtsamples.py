"""Loader for MTSamples csv: transcribed reports, one per row, whose sections are found by their capital headings.

Columns: description, medical_specialty, sample_name, transcription, keywords. Only reports with a complaint or a
history and an impression that state the patient's age and sex can become cases; `mtsamples_left_out` names the others.
"""

from __future__ import annotations

import csv
import io

from polyclinic.clinics.patient.scenario.narrative import (
    FactLine,
    age_and_sex,
    assemble,
    disease_of,
    life_topic,
    told_in_months,
)
from polyclinic.clinics.patient.scenario.record import Investigation, Level, Record, Topic
from polyclinic.clinics.patient.scenario.report_sections import report_lines, split_report
from polyclinic.core.files import bad_file
from polyclinic.people.vignette import stated_months
from polyclinic.text.layout import number_of

COLUMNS = ("description", "medical_specialty", "sample_name", "transcription", "keywords")
_SPOKEN: dict[str, Topic] = {
    "CHIEF COMPLAINT": Topic.COMPLAINT,
    "CC": Topic.COMPLAINT,
    "REASON FOR VISIT": Topic.COMPLAINT,
    "HISTORY OF PRESENT ILLNESS": Topic.SYMPTOM,
    "HPI": Topic.SYMPTOM,
    "SUBJECTIVE": Topic.SYMPTOM,
    "REVIEW OF SYSTEMS": Topic.SYMPTOM,
    "ROS": Topic.SYMPTOM,
    "PAST MEDICAL HISTORY": Topic.HISTORY,
    "PMH": Topic.HISTORY,
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
    "PHYSICAL EXAM": "physical examination",
    "EXAMINATION": "physical examination",
    "OBJECTIVE": "physical examination",
    "VITAL SIGNS": "vital signs",
    "LABORATORY DATA": "laboratory tests",
    "LABORATORY": "laboratory tests",
    "DIAGNOSTIC STUDIES": "diagnostic studies",
    "X RAY": "X-ray",
    "EKG": "ECG",
    "ECG": "ECG",
}
_MOST_ROWS = 20
"""How many rows that were left out are named; of a large collection, most make no case."""
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
    found = _cases(text, origin)
    records = [record for record in found if isinstance(record, Record)]
    if not records:
        what = f"none of {len(found)} rows has a complaint or history together with an impression, age and sex"
        fix = "write age and sex in the description or transcription as in '45-year-old woman'"
        raise bad_file(origin, what, fix=fix)
    return records


def mtsamples_left_out(text: str, origin: str) -> list[str]:
    """The rows that make no case, by what they lack: "3 of 40 rows left out, no impression: rows 1, 2, 7"."""
    found = _cases(text, origin)
    lacking: dict[str, list[str]] = {}
    for number, case in enumerate(found, start=1):
        if isinstance(case, str):
            lacking.setdefault(case, []).append(str(number))
    return [
        f"{origin}: {len(rows):,} of {number_of(len(found), 'row')} left out, {what}: {_rows(rows)}"
        for what, rows in lacking.items()
    ]


def _rows(numbers: list[str]) -> str:
    more = f" and {len(numbers) - _MOST_ROWS:,} more" if len(numbers) > _MOST_ROWS else ""
    return f"{'row' if len(numbers) == 1 else 'rows'} {', '.join(numbers[:_MOST_ROWS])}{more}"


def _cases(text: str, origin: str) -> list[Record | str]:
    """For each row the case, or what it lacks."""
    reader = csv.DictReader(io.StringIO(text))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise bad_file(origin, f"the column '{missing[0]}' is missing", fix=f"MTSamples has: {', '.join(COLUMNS)}")
    return [_case(row, number) for number, row in enumerate(reader, start=1)]


def _case(row: dict[str, str], number: int) -> Record | str:
    sections = split_report(row["transcription"] or "")
    verdict = next((sections[name] for name in _VERDICT if sections.get(name)), "")
    spoken = {name: topic for name, topic in _SPOKEN.items() if sections.get(name)}
    stated = f"{row['description']} {row['transcription']}"
    age, sex = age_and_sex(stated)
    diagnoses = report_lines(verdict)
    if not diagnoses:
        return "no impression, assessment or diagnosis"
    if not any(topic in (Topic.COMPLAINT, Topic.SYMPTOM) for topic in spoken.values()):
        return "no complaint and no history of the illness"
    if age is None or sex is None:
        return f"the patient's {'age' if age is None else 'sex'} cannot be read"
    diagnosis = diagnoses[0][0].rstrip(".")
    lines: list[FactLine] = []
    for name, topic in spoken.items():
        for position, sentence in enumerate(_sentences(sections[name])):
            first = topic is Topic.COMPLAINT or (Topic.COMPLAINT not in spoken.values() and not lines and position == 0)
            told = life_topic(sentence) if topic is Topic.HABITS else topic
            lines.append((told, Level.VOLUNTEERED if first else Level.ASKED, sentence))
    lines += [(Topic.HIDDEN, Level.NEVER, line) for line in _sentences(sections.get("PLAN", ""))]
    tests = [
        Investigation(name=test, items=_items(sections[heading]))
        for heading, test in _TESTS.items()
        if sections.get(heading)
    ]
    specialty = _SPECIALTY.get((row["medical_specialty"] or "").strip().lower(), "")
    disease = disease_of(diagnosis, " ".join(text for _, _, text in lines), specialty, age=age)
    return assemble(
        f"mtsamples-{number}",
        disease,
        age=age,
        months=told_in_months(stated_months(stated)),
        sex=sex,
        lines=lines,
        tests=_merged(tests),
        diagnosis=diagnosis,
        source=f"MTSamples: {(row['sample_name'] or '').strip()}",
    )


def _sentences(section: str) -> list[str]:
    return [sentence for line in report_lines(section) for sentence in line]


def _items(section: str) -> dict[str, str]:
    """The findings of a section. A sentence after a named one ("Lungs: clear.") on the same line belongs to it."""
    items: dict[str, str] = {}
    for line in report_lines(section):
        current = ""
        for sentence in line:
            name, colon, value = sentence.partition(":")
            if colon and len(name) < 40 and value.strip():
                current = name.strip()
                items[current] = f"{items.get(current, '')} {value.strip()}".strip()
            elif current:
                items[current] += f" {sentence}"
            else:
                items[f"Finding {len(items) + 1}"] = sentence
    return items


def _merged(tests: list[Investigation]) -> list[Investigation]:
    """One investigation for each name, whatever headings it came from."""
    merged: dict[str, dict[str, str]] = {}
    for test in tests:
        held = merged.setdefault(test.name, {})
        for item, value in test.items.items():
            held[item if item not in held else f"{item} ({len(held) + 1})"] = value
    return [Investigation(name=name, items=items) for name, items in merged.items()]
