"""The intake rubric: format (IF), completeness (IS), then department and particulars by value (ID, IPI, IDPI)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyclinic.clinics.frontdesk.rules.codes import PASS, RubricVerdict
from polyclinic.clinics.frontdesk.rules.particulars import FIELDS, same, was_said
from polyclinic.core.value import unchanging
from polyclinic.people.demographics import Person
from polyclinic.text.lazily import lazy_pattern

_ASKED = {
    "name": lazy_pattern(r"\b(name|called|who (am i|you are))\b", re.IGNORECASE),
    "sex": lazy_pattern(r"\b(sex|gender|male|female|man or (a )?woman)\b", re.IGNORECASE),
    "phone": lazy_pattern(r"\b((tele)?phone|mobile|cell|(contact|reach|call) (number|you))\b", re.IGNORECASE),
    "identifier": lazy_pattern(
        r"\b(id|identification|identifier|identity|(resident|personal|registration|national) number|chi)\b",
        re.IGNORECASE,
    ),
    "address": lazy_pattern(r"\b(address|where (do |are )?you (live|living|stay))\b", re.IGNORECASE),
}

NEVER_SAID = "asked, but the patient never said: "


@unchanging
class IntakeRecord:
    """What the staff wrote down after the dialogue."""

    name: str
    sex: str
    phone: str
    identifier: str
    address: str
    department: str


@unchanging
class IntakeCase:
    """What the intake rubric looks at. `record` is None when it could not be read."""

    person: Person
    gold_departments: tuple[str, ...]
    staff_said: tuple[str, ...]
    patient_said: tuple[str, ...]
    decided: bool
    record: IntakeRecord | None


def judge_intake(case: IntakeCase) -> RubricVerdict:
    """The first error of an intake."""
    if case.record is None:
        return RubricVerdict(code="IF", fault="staff", reason="the record could not be read")
    heard = (" ".join(case.patient_said), *case.patient_said)  # people who type end no sentence with a full stop
    silent = [field for field in FIELDS if not any(was_said(field, case.person, text) for text in heard)]
    if silent:
        asked = [field for field in silent if was_asked(field, case.staff_said)]
        if asked:
            return RubricVerdict(code="IS", fault="patient", reason=f"{NEVER_SAID}{', '.join(asked)}")
        return RubricVerdict(code="IS", fault="staff", reason=f"the staff never asked for: {', '.join(silent)}")
    if not case.decided:
        return RubricVerdict(code="IS", fault="staff", reason="no department was chosen before the last round ended")
    wrong = [field for field in FIELDS if not same(field, getattr(case.record, field), case.person)]
    misplaced = not right_department(case.record.department, case.gold_departments)
    if not misplaced and not wrong:
        return PASS
    where = f"{case.record.department} instead of {' or '.join(case.gold_departments)}"
    if misplaced and wrong:
        return RubricVerdict(code="IDPI", fault="staff", reason=f"{where}; wrong: {', '.join(wrong)}")
    if misplaced:
        return RubricVerdict(code="ID", fault="staff", reason=where)
    return RubricVerdict(code="IPI", fault="staff", reason=f"wrong: {', '.join(wrong)}")


def right_department(department: str, gold: Sequence[str]) -> bool:
    """Whether this department is one of the right ones."""
    return department.strip().lower() in gold


def was_asked(field: str, utterances: Sequence[str]) -> bool:
    """Whether the staff asked for this particular."""
    return any(_ASKED[field].search(text) for text in utterances)
