"""The staff at intake: what is asked, and the form that is filled in."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, NOT_YET, IntakeReply, intake_form, is_whole
from polyclinic.clinics.frontdesk.prompts.views import FIRST_VOICE, Topic, Voice
from polyclinic.core.form import FormHints
from polyclinic.core.memory import RememberedLine
from polyclinic.core.prompt import Prompt

_MORE_TO_ASK = "-"
_FORM_LINE = ("name", "sex", "phone", "identifier", "address", "department")


class StaffIntake(Prompt[str]):
    """The staff asks. `known` is what its form holds so far; `missing` names the particulars that are not in it yet."""

    template = "staff_intake.md"
    words = 40
    known: tuple[str, ...]
    missing: tuple[str, ...]
    topic: Topic
    patient_says: str
    voice: Voice = FIRST_VOICE

    @property
    def for_human(self) -> str:
        """What a person at the desk must still find out."""
        if self.missing:
            return f"(Not written down yet: {', '.join(self.missing)}.) Type what you say."
        if self.topic == "diagnosis":
            return "(Nobody has asked yet whether a doctor has made a diagnosis.) Type what you say."
        return "(No department is chosen yet.) Type what you say about the complaint."


CLERK, PATIENT = "Clerk", "Patient"
"""The speakers of `StaffRecord.dialogue`, as the prompt prints them."""


class StaffRecord(Prompt[IntakeReply]):
    """The staff fills in its form from all that was said; in the last round it must name a department.
    `department_lines` says what each department is for.
    """

    template = "staff_record.md"
    words = 90
    narrows = True
    departments: tuple[str, ...]
    department_lines: tuple[str, ...]
    dialogue: tuple[RememberedLine, ...]
    must_decide: bool
    not_yet: str = NOT_YET
    emergency: str = EMERGENCY
    voice: Voice = FIRST_VOICE

    def reply_form(self) -> type[IntakeReply]:
        """The reply schema; it allows only this hospital's departments."""
        return intake_form(self.departments, self.must_decide)

    def fits(self, reply: IntakeReply) -> bool:
        """Whether all fields are there, and the department is one of this hospital's."""
        open_ = reply.department == NOT_YET and not self.must_decide
        return is_whole(reply) and (open_ or reply.department in self.departments or reply.department == EMERGENCY)

    @property
    def for_human(self) -> str:
        """The instructions for a person who types the record."""
        told = (
            "You are the clerk. Find out who the patient is (full name, sex, phone, personal number, address), whether "
            "there is a diagnosis already, and what is wrong; then choose a department.\n\n"
            f"Departments: {', '.join(self.departments)}. Something that cannot wait: {EMERGENCY}.\n\n"
        )
        more = (
            "There is no time for another question: write"
            if self.must_decide
            else "Type what you say to the patient. When you know enough, write"
        )
        return (
            f"{told}{more} the record, each value exactly as the patient gave it, and "
            f"nothing between the bars for a value that was not said:\n{' | '.join(_FORM_LINE)}"
        )

    def kept_open(self, text: str) -> str:
        """Words without bars are said to the patient, as long as there may be another question."""
        return "" if self.must_decide or "|" in text or text.strip() in ("", _MORE_TO_ASK) else _MORE_TO_ASK

    def form_hints(self) -> FormHints:
        """The record as form fields. A person who leaves the department open asks another question first."""
        more = "" if self.must_decide else f" Leave the department at “{NOT_YET}” to ask another question first."
        return FormHints(
            ask=f"Write the record, each value exactly as the patient gave it.{more}",
            hidden=("diagnosis", "complaint", "reason"),
            labels={"identifier": "Personal number"},
            choices={"sex": {"": "not said"}},
        )

    @classmethod
    def from_human(cls, text: str) -> IntakeReply:
        """Read the six values that a person typed, separated by ``|``."""
        if text.strip() == _MORE_TO_ASK:
            return IntakeReply()
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != len(_FORM_LINE):
            raise ValueError(f"please write the record: {' | '.join(_FORM_LINE)}")
        values = dict(zip(_FORM_LINE, parts, strict=True))
        values["sex"] = values["sex"].lower()
        if values["department"].lower().startswith("emergency"):
            values["department"] = EMERGENCY
        return IntakeReply.model_validate({**values, "department": values["department"] or NOT_YET})
