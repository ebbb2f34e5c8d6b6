"""Offline players for every prompt: a patient who speaks plainly, and staff who listen. They are only baselines."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.understudies.patient import PatientUnderstudy
from polyclinic.clinics.frontdesk.understudies.scheduler import StaffUnderstudy
from polyclinic.core.clinic import Mistake
from polyclinic.core.understudy import Understudy

UNDERSTUDIES: dict[str, type[Understudy]] = {"staff": StaffUnderstudy, "patient": PatientUnderstudy}


def _when_reasoning(name: str, about: str, scenarios: str = "") -> Mistake:
    """A mistake of staff who read the diaries themselves."""
    return Mistake(name, "staff", about, metric="scheduling", variant="reasoning", scenarios=scenarios)


MISTAKES = (
    Mistake("garbled_record", "staff", "writes prose instead of the record (IF)", metric="intake"),
    Mistake("withholds", "patient", "does not give its phone and personal number (IS)", metric="intake"),
    Mistake("never_asks", "staff", "does not ask for the particulars (IS)", metric="intake"),
    Mistake("wrong_department", "staff", "sends the patient to a wrong department (ID, IDPI)", metric="department"),
    Mistake(
        "misses_emergency",
        "staff",
        "books somebody an appointment who needs emergency help now",
        metric="red_flag",
        scenarios="unusual:1:20",
    ),
    Mistake("misspells", "staff", "writes the name down wrongly (IPI, IDPI)", metric="intake"),
    Mistake(
        "swaps_numbers",
        "staff",
        "writes the personal number down as the phone number (IPI): the patient cannot be called back",
        metric="intake",
    ),
    Mistake("makes_up", "staff", "writes down a phone number that nobody said", metric="invented"),
    Mistake("self_diagnoses", "patient", "names a diagnosis that nobody told it", rule="unknown_diagnosis"),
    Mistake("silent_wish", "patient", "never states its wish (IS)", metric="scheduling"),
    Mistake("wrong_tool", "staff", "ignores the wish and takes another tool (IP, IDT, NET)", metric="right_tool"),
    Mistake("falls_back", "staff", "uses no tool (fallback)", metric="tool_used"),
    Mistake("forgets_physician", "staff", "looks for a physician without saying which (fallback)", metric="tool_used"),
    Mistake("vague", "patient", "does not say which appointment it means (FI)", metric="scheduling"),
    Mistake("wrong_appointment", "staff", "looks for another date (FI)", metric="scheduling"),
    _when_reasoning("garbled_schedule", "answers in prose (IF)"),
    _when_reasoning("gives_up", "finds no time though one is free (IS)"),
    _when_reasoning("two_physicians", "assigns two physicians (PC)", scenarios="tertiary:1:12"),
    _when_reasoning("closed_hours", "proposes a time before opening (IVS)"),
    _when_reasoning("wrong_length", "plans too long a visit (WD)"),
    _when_reasoning("double_books", "proposes a taken time (TC)"),
    _when_reasoning("wrong_physician", "takes another physician (IP)", scenarios="tertiary:1:12"),
    _when_reasoning("too_early", "proposes a day too early (IDT)", scenarios="tertiary:1:12"),
    _when_reasoning(
        "overlooks_gaps",
        "offers only times after the last visit of a day and overlooks earlier gaps (NET)",
        scenarios="primary:1:30",
    ),
    _when_reasoning("late", "proposes a later time than the first (NET)"),
)
