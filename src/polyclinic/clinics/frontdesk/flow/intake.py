"""The intake: questions and a form, until the form is complete and a department is chosen.

The staff fills in its form again after each answer. Code enforces three rules. A value that nobody said is not written
down. A department that the hospital does not have does not end the intake. The last round must decide.
"""

from __future__ import annotations

from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.words import EMERGENCY_WORDS, GREETING, seen_words
from polyclinic.clinics.frontdesk.prompts.intake import CLERK, PATIENT
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, NOT_YET, IntakeReply
from polyclinic.clinics.frontdesk.prompts.views import Topic
from polyclinic.clinics.frontdesk.rules.asked import asks_for_diagnosis
from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.notes import InPhase, IntakeEnded, IntakeLine, TakenIn
from polyclinic.clinics.frontdesk.rules.particulars import FIELDS, stands
from polyclinic.clinics.frontdesk.scenario.diseases import names_disease
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import RememberedLine

LABELS = {
    "name": "full name",
    "sex": "sex",
    "phone": "phone number",
    "identifier": "personal number (ID)",
    "address": "address",
}
ASKED_AT_MOST = 2
"""A patient who was asked twice for a value and did not give it is not asked a third time."""


class Intake:
    """One intake, from the greeting to the record."""

    def __init__(
        self, episode: Episode, contact: Contact, variant: DeskVariant, actor: PatientActor, staff: Staff
    ) -> None:
        self.episode, self.contact, self.variant = episode, contact, variant
        self.actor, self.staff = actor, staff
        self.lines: list[RememberedLine] = []
        self.heard: list[str] = []
        self.asked: list[Topic] = []
        self.values: dict[str, str] = dict.fromkeys((*FIELDS, "department"), "")
        self.diagnosis = ""
        self.refused: dict[str, None] = {}

    async def run(self) -> IntakeRecord | None:
        """Do the intake; returns the record, or None if the form could not be read."""
        self.says(GREETING, IntakeLine(phase="intake"))
        await self.hears(GREETING)
        rounds, readable = 0, True
        while rounds < self.variant.rounds:
            rounds += 1
            self.episode.take_turn()
            form = await self.staff.fills_in(tuple(self.lines), must_decide=rounds == self.variant.rounds)
            readable = form is not None
            if form is None:
                break
            self.takes(form)
            if self.values["department"] == EMERGENCY:
                self.says(EMERGENCY_WORDS, IntakeLine(phase="intake", round=rounds, department=EMERGENCY))
                break
            topic = self.next_topic()
            if topic is None or rounds == self.variant.rounds:
                department = self.values["department"]
                self.says(seen_words(department), IntakeLine(phase="intake", round=rounds, department=department))
                break
            question = await self.staff.asks(self.heard[-1], topic, self.known(), self.missing())
            if question is None:
                break
            by_person = self.staff.is_person
            self.asked += [topic, "diagnosis"] if asks_for_diagnosis(question, by_person=by_person) else [topic]
            self.says(question, IntakeLine(phase="intake", round=rounds))
            await self.hears(question)
            patient = self.contact.caller
            if by_person and patient.knows_diagnosis and names_disease(patient.disease, self.heard[-1]):
                self.asked.append("diagnosis")
        record = IntakeRecord(**self.values) if readable else None
        decided = bool(self.values["department"])
        self.episode.note(TakenIn(record=record, decided=decided, rounds=rounds, refused=tuple(self.refused)))
        self.episode.conclude(IntakeEnded(rounds=rounds))
        return record

    def takes(self, form: IntakeReply) -> None:
        """Take over the values that the patient said. An earlier value stays until the patient says another one."""
        for field in FIELDS:
            value = getattr(form, field).strip()
            if value == self.values[field]:  # empty, or the same as before: nothing to change
                continue
            if value and stands(field, value, self.heard):
                self.values[field] = value
            elif value:
                self.refused[field] = None
        self.diagnosis = form.diagnosis.strip() or self.diagnosis
        self.values["department"] = "" if form.department == NOT_YET else form.department

    def next_topic(self) -> Topic | None:
        """What is still to be asked; None when the form can be closed."""
        if self.missing() and self.asked.count("particulars") < ASKED_AT_MOST:
            return "particulars"
        if not self.diagnosis and "diagnosis" not in self.asked:
            return "diagnosis"
        return None if self.values["department"] else "complaint"

    def known(self) -> tuple[str, ...]:
        """The particulars that the form holds so far, as lines for the staff."""
        return tuple([f"{LABELS[field]}: {self.values[field]}" for field in FIELDS if self.values[field]])

    def missing(self) -> tuple[str, ...]:
        """The particulars that are not written down yet."""
        return tuple([LABELS[field] for field in FIELDS if not self.values[field]])

    def says(self, text: str, line: IntakeLine) -> None:
        """Add a line of the staff to the transcript."""
        self.episode.say("staff", text, to="patient", payload=line)
        self.lines.append(RememberedLine(speaker=CLERK, text=text))

    async def hears(self, staff_says: str) -> None:
        """Get the patient's answer.

        A diagnosis that nobody told the patient is the simulator's fault, not the staff's.
        """
        said, patient = await self.actor.answers(staff_says), self.contact.caller
        self.episode.say("patient", said, to="staff", payload=InPhase(phase="intake"))
        self.lines.append(RememberedLine(speaker=PATIENT, text=said))
        self.heard.append(said)
        if not patient.knows_diagnosis and names_disease(patient.disease, said):
            self.episode.violated(
                "unknown_diagnosis", "patient", severity=2, words=said, rationale="nobody has told the patient"
            )
