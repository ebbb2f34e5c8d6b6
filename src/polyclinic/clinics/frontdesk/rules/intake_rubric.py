"""The intake rubric: format (IF), completeness (IS), then department and particulars by exact comparison (ID, IPI,
IDPI).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from polyclinic.clinics.frontdesk.rules.codes import PASS, Verdict
from polyclinic.people.demographics import Person

FIELDS = ("name", "sex", "phone", "identifier", "address")
_ASKED = {
    "name": re.compile(r"\bname\b", re.IGNORECASE),
    "sex": re.compile(r"\b(sex|gender|male|female)\b", re.IGNORECASE),
    "phone": re.compile(r"\b(phone|telephone|mobile|contact number)\b", re.IGNORECASE),
    "identifier": re.compile(
        r"\b(id|identification|identifier|identity|resident number|personal number|chi)\b", re.IGNORECASE
    ),
    "address": re.compile(r"\b(address|where (do )?you live)\b", re.IGNORECASE),
}
_NO_DIGIT, _NO_LETTER = re.compile(r"\D+"), re.compile(r"[\W_]+")
_SEX_WORDS = {
    "female": re.compile(r"\b(female|woman|lady)\b", re.IGNORECASE),
    "male": re.compile(r"\b(male|man|gentleman)\b", re.IGNORECASE),
}


@dataclass(frozen=True)
class IntakeRecord:
    """What the staff wrote down after the dialogue."""

    name: str
    sex: str
    phone: str
    identifier: str
    address: str
    department: str


@dataclass(frozen=True)
class IntakeCase:
    """What the intake rubric looks at. `record` is None when it could not be read."""

    person: Person
    gold_departments: tuple[str, ...]
    staff_said: tuple[str, ...]
    patient_said: tuple[str, ...]
    decided: bool
    record: IntakeRecord | None


def judge_intake(case: IntakeCase) -> Verdict:
    """The first error of an intake."""
    if case.record is None:
        return Verdict(code="IF", fault="staff", reason="the record could not be read")
    heard = " ".join(case.patient_said)
    silent = [field for field in FIELDS if not was_said(field, case.person, heard)]
    if silent:
        asked = [field for field in silent if was_asked(field, case.staff_said)]
        if asked:
            return Verdict(code="IS", fault="patient", reason=f"asked, but the patient never said: {', '.join(asked)}")
        return Verdict(code="IS", fault="staff", reason=f"the staff never asked for: {', '.join(silent)}")
    if not case.decided:
        return Verdict(code="IS", fault="staff", reason="no department was chosen before the last round ended")
    wrong = wrong_fields(case.person, case.record)
    misplaced = not right_department(case.record.department, case.gold_departments)
    if not misplaced and not wrong:
        return PASS
    where = f"{case.record.department} instead of {' or '.join(case.gold_departments)}"
    if misplaced and wrong:
        return Verdict(code="IDPI", fault="staff", reason=f"{where}; wrong: {', '.join(wrong)}")
    if misplaced:
        return Verdict(code="ID", fault="staff", reason=where)
    return Verdict(code="IPI", fault="staff", reason=f"wrong: {', '.join(wrong)}")


def right_department(department: str, gold: Sequence[str]) -> bool:
    """Whether this is one of the right departments."""
    return department.strip().lower() in gold


def wrong_fields(person: Person, record: IntakeRecord) -> list[str]:
    """The particulars that were written down wrongly; compared exactly, spaces apart."""
    return [field for field in FIELDS if not _same(getattr(record, field), getattr(person, field))]


def was_said(field: str, person: Person, text: str) -> bool:
    """Whether the patient's words hold this particular as it was given; only its digits or its letters count."""
    value: str = getattr(person, field)
    if field == "sex":
        return _SEX_WORDS[value].search(text) is not None
    value, text = value.lower(), text.lower()
    if value in text:
        return True
    counts = _digits if field in ("phone", "identifier") else _letters
    return counts(value) in counts(text)


def was_asked(field: str, utterances: Sequence[str]) -> bool:
    """Whether the staff asked for this particular."""
    return any(_ASKED[field].search(text) for text in utterances)


def _same(written: str, told: str) -> bool:
    return written == told or written.split() == told.split()


@lru_cache(maxsize=64)
def _digits(value: str) -> str:
    return _NO_DIGIT.sub("", value)


@lru_cache(maxsize=64)
def _letters(value: str) -> str:
    return _NO_LETTER.sub("", value)
