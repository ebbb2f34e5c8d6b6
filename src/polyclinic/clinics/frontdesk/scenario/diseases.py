"""The disease table: what a patient says about a disease, and which departments treat it.

The packaged table holds 194 diseases of nine internal-medicine departments. A custom table (CSV, JSON, TOML or YAML)
has the same columns: ``disease``, ``departments``, ``symptoms`` and, if wanted, ``sex`` and ``ages``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from polyclinic.core.files import bad_file, package_data, package_text, read_data, read_text
from polyclinic.core.message import Frozen
from polyclinic.core.plain_faults import plain_fault
from polyclinic.people.locales import Sex
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import phrase_pattern

_JARGON = lazy_pattern(
    r"\b(dyspn\w*|pyrexia|icter\w*|haematuria|hematuria|melaena|melena|syncope|pruritus|myalgia|arthralgia"
    r"|oedema|edema|emesis|"
    r"tachycardia|bradycardia|haemoptysis|hemoptysis|dysphagia|dysuria|polyuria|polydipsia|paraesthesia"
    r"|lymphadenopathy|"
    r"erythema\w*|anorexia|hepatomegaly|splenomegaly|ascites|jaundice|claudication|epistaxis|petechia\w*"
    r"|rhinorrhoea|febrile|"
    r"orthopnoea|cachexia|malaise|dyspepsia|steatorrhoea)\b",
    re.IGNORECASE,
)


_EXAMINED = lazy_pattern(
    r"\b(?:scans?|x-rays?|blood tests?|tested positive|positive (?:home )?test|smear|heart tracing|murmur|transfusions?"
    r"|inhaler|puffer|adrenaline pen|check-up|sugar meter|blood pressure machine|blood counts?|biopsy|ultrasound)\b",
    re.IGNORECASE,
)
_COLUMNS = ("disease", "name", "departments", "symptoms", "sex", "ages")


class Department(Frozen):
    """A department, what it is for in one line, its code in FHIR and the fields its physicians specialise in."""

    name: str
    treats: str
    code: str
    specialties: tuple[str, ...]


class Disease(Frozen):
    """One disease with what a patient would say and its gold departments."""

    name: str
    departments: tuple[str, ...] = Field(min_length=1)
    symptoms: tuple[str, ...] = Field(min_length=1)
    sex: Literal[Sex, ""] = ""
    ages: tuple[int, int] = (18, 90)


@lru_cache(maxsize=1)
def departments() -> tuple[Department, ...]:
    """The nine departments, in the fixed order."""
    rows = package_data("polyclinic.clinics.frontdesk", "data/departments.toml")["department"]
    return tuple(Department.model_validate(row) for row in rows)


@lru_cache(maxsize=64)
def department_lines(names: tuple[str, ...]) -> tuple[str, ...]:
    """These departments as the clerk reads them: what each is for, if it is one of the nine."""
    treats = {department.name: department.treats for department in departments()}
    return tuple(f"{name}: {treats[name]}" if name in treats else name for name in names)


@lru_cache(maxsize=1)
def packaged_diseases() -> tuple[Disease, ...]:
    """The 194 diseases that come with the clinic."""
    text = package_text("polyclinic.clinics.frontdesk", "data/diseases.csv")
    return tuple(_from_rows(csv.DictReader(io.StringIO(text)), "diseases.csv"))


class EmergencyCase(Frozen):
    """An emergency: what the patient says, and the disease behind it. An appointment is the wrong answer."""

    disease: str
    says: tuple[str, ...] = Field(min_length=2)


@lru_cache(maxsize=1)
def emergencies() -> tuple[EmergencyCase, ...]:
    """The emergencies of the data file."""
    rows = package_data("polyclinic.clinics.frontdesk", "data/emergencies.toml")["emergency"]
    return tuple(EmergencyCase.model_validate(row) for row in rows)


@lru_cache(maxsize=1)
def childrens_diseases() -> tuple[Disease, ...]:
    """Diseases of the table, as a parent describes them in a child."""
    text = package_text("polyclinic.clinics.frontdesk", "data/children.csv")
    adults = {disease.name: disease for disease in packaged_diseases()}
    return tuple(
        adults[row["disease"]].model_copy(
            update={"symptoms": _split(row["symptoms"]), "ages": tuple(map(int, row["ages"].split("-")))}
        )
        for row in csv.DictReader(io.StringIO(text))
    )


def load_diseases(path: Path) -> tuple[Disease, ...]:
    """Read a custom table. An error names the row and how to fix it."""
    rows: Iterable[Mapping[str, Any]]
    rows = csv.DictReader(io.StringIO(read_text(path))) if path.suffix == ".csv" else _rows_of(read_data(path), path)
    found = tuple(_from_rows(rows, str(path)))
    faults = lint_diseases(found)
    if faults:
        raise bad_file(path, faults[0] + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""))
    return found


def _rows_of(table: Any, path: Path) -> list[Mapping[str, Any]]:
    if isinstance(table, dict) and isinstance(table.get("disease"), list):
        table = table["disease"]
    if not isinstance(table, list) or not all(isinstance(row, dict) for row in table):
        raise bad_file(path, "expected a list of diseases (in TOML: [[disease]] tables)")
    return table


def _from_rows(rows: Iterable[Mapping[str, Any]], where: str) -> list[Disease]:
    found: list[Disease] = []
    for number, row in enumerate(rows, start=1):
        name = str(row.get("disease") or row.get("name") or "").strip()
        place = f"disease {number}{f' ({name})' if name else ''}"
        unknown = [column for column in row if column not in _COLUMNS]
        if None in unknown:
            fix = "put text that holds a comma in quotes"
            raise bad_file(where, "more cells than columns", field=place, fix=fix)
        if unknown:
            known = f"the columns are {', '.join(_COLUMNS)}"
            raise bad_file(where, f"there is no column '{unknown[0]}'", field=place, fix=known)
        try:
            found.append(
                Disease(
                    name=name,
                    departments=_split(row.get("departments")),
                    symptoms=_split(row.get("symptoms")),
                    sex=str(row.get("sex") or "").strip(),
                    ages=_ages(row.get("ages")),
                )
            )
        except ValidationError as error:
            fault = error.errors()[0]
            none = "needs at least one, separated by semicolons" if fault["type"] == "too_short" else plain_fault(fault)
            raise bad_file(where, none, field=f"{place}: {fault['loc'][0]}") from None
        except ValueError as error:
            raise bad_file(where, str(error), field=place) from None
    if not found:
        raise bad_file(where, "there is no disease in it")
    return found


def _split(value: Any) -> tuple[str, ...]:
    parts = value if isinstance(value, (list, tuple)) else str(value or "").split(";")
    return tuple(text for text in (str(part).strip() for part in parts) if text)


def _ages(value: Any) -> tuple[int, int]:
    if not value:
        return (18, 90)
    parts = [str(part).strip() for part in (value if isinstance(value, (list, tuple)) else str(value).split("-"))]
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise ValueError(f"ages {value}: write the youngest and the oldest age, as in 18-90")
    low, high = int(parts[0]), int(parts[1])
    if not 18 <= low <= high <= 110:
        raise ValueError(f"ages {value}: only ages from 18 to 110 are allowed, the lower age first")
    return low, high


def lint_diseases(diseases: Sequence[Disease]) -> list[str]:
    """Errors of a table: duplicates, unknown departments, clinicians' words, or the diagnosis among the symptoms."""
    known = {department.name for department in departments()}
    faults: list[str] = []
    seen: set[str] = set()
    for disease in diseases:
        if not disease.name:
            faults.append("a disease without a name")
        if disease.name.lower() in seen:
            faults.append(f"{disease.name} appears twice")
        seen.add(disease.name.lower())
        faults += [
            f"{disease.name}: there is no department '{department}' ({', '.join(sorted(known))})"
            for department in disease.departments
            if department not in known
        ]
        if len(set(disease.symptoms)) < len(disease.symptoms):
            faults.append(f"{disease.name}: a symptom appears twice")
        for symptom in disease.symptoms:
            term = _JARGON.search(symptom)
            if term:
                faults.append(f"{disease.name}: '{term.group()}' is a clinician's word; say it as a patient would")
            seen_by = _EXAMINED.search(symptom)
            if seen_by:
                faults.append(
                    f"{disease.name}: '{seen_by.group()}' is a finding or a treatment; nobody has examined the patient"
                )
            if names_disease(disease.name, symptom):
                faults.append(f"{disease.name}: the symptom '{symptom}' gives the diagnosis away")
    return faults


@lru_cache(maxsize=4096)
def spoken_names(disease: str) -> tuple[str, ...]:
    """How people say a disease's name: in full, without the brackets, and the text in brackets alone; all in lower
    case."""
    inner = re.findall(r"\(([^)]*)\)", disease)
    outer = re.sub(r"\s*\([^)]*\)\s*", " ", disease).strip()
    names = [disease, outer, *(name for name in inner if len(name) > 2 and name.lower() not in ("women", "men"))]
    return tuple(dict.fromkeys(name.lower() for name in names))


def names_disease(disease: str, text: str) -> bool:
    """Whether these words name a disease as separate words: "shivering" does not name HIV."""
    lowered = text.lower()
    for name in spoken_names(disease):
        if name in lowered:
            return _named(disease).search(text) is not None
    return False


@lru_cache(maxsize=4096)
def _named(disease: str) -> re.Pattern[str]:
    return phrase_pattern(*spoken_names(disease))
