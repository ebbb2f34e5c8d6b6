"""What each contact changes in the hospital's FHIR records, made with its episode's end.

What is changed is read at that moment, inside the same transaction: a change that came first is seen, and the version
guards the rest. On a server of its own the records are committed just before the episode is; an episode that was killed
between the two finds its own changes there when it runs again, and lets them stand.
"""

from __future__ import annotations

from typing import cast

from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.particulars import sex_of
from polyclinic.clinics.frontdesk.scenario.schema import HospitalPlan
from polyclinic.clinics.frontdesk.state import Appointment, Diary, Status
from polyclinic.clinics.frontdesk.tools.opening import Ids, moment
from polyclinic.core.records import (
    Change,
    Create,
    Key,
    RecordMissing,
    Resource,
    StagedRecords,
    Update,
    version_of,
)
from polyclinic.fhir import resources as r
from polyclinic.fhir import scheduling
from polyclinic.fhir.datatypes import Identifier, Name, reference
from polyclinic.people.locales import Locale, load_locale

UNKNOWN = "unknown"


class HospitalRecords:
    """One hospital's records as an episode sees them."""

    def __init__(self, staged: StagedRecords, ids: Ids, plan: HospitalPlan, *, apart: bool = False) -> None:
        self._staged, self._ids, self._plan, self._apart = staged, ids, plan, apart

    def book(self, patient: str, record: IntakeRecord | None, diary: Diary, entry: Appointment, now: int) -> None:
        """The patient's own record, as the staff wrote it down, and the appointment, with its slots busy."""
        physician = diary.plan.physicians[entry.physician]
        own, visitor = self._own(entry), ("Patient", self._ids.record_id(entry.patient))

        def booked(found: list[Resource | None]) -> list[Change]:
            known, _, *slots = found
            if self._apart and known is not None:
                return []
            appointment = r.appointment(
                own[1],
                patient=reference(*visitor, entry.patient_name or UNKNOWN),
                practitioner=reference("Practitioner", self._ids.record_id(physician.id), physician.name),
                created=moment(diary.time, now),
            )
            return [Create(self._patient(patient, record)), *scheduling.book(appointment, _there(slots))]

        self._staged.later([own, visitor, *self._slots(diary, entry)], booked)

    def _patient(self, patient: str, record: IntakeRecord | None) -> Resource:
        """What was said and heard; what was not is not there. Nobody asks for the birth date."""
        locale, id_ = load_locale(self._plan.locale), self._ids.record_id(patient)
        if record is None:
            return r.patient(id_, Name(UNKNOWN), organization=self._ids.hospital)
        identifiers = (Identifier(locale.identifier_system, record.identifier),) if record.identifier else ()
        return r.patient(
            id_,
            _name(record.name, locale),
            gender=cast("r.Gender | None", sex_of(record.sex) or None),
            phone=record.phone,
            address=record.address,
            identifiers=identifiers,
            organization=self._ids.hospital,
        )

    def move(self, diary: Diary, old: Appointment, new: Appointment) -> None:
        """Other slots, and another physician where that changed."""
        physician = diary.plan.physicians[new.physician]
        actor = reference("Practitioner", self._ids.record_id(physician.id), physician.name)

        def moved(found: list[Resource | None]) -> list[Change]:
            appointment, *slots = _there(found)
            there = {**appointment, "participant": [appointment["participant"][0], r.participant(actor)]}
            new_slots = slots[old.length :]
            if appointment["start"] == new_slots[0]["start"] and appointment["participant"] == there["participant"]:
                return []
            return scheduling.move(there, slots[: old.length], new_slots)

        self._staged.later([self._own(old), *self._slots(diary, old), *self._slots(diary, new)], moved)

    def cancel(self, diary: Diary, entry: Appointment, now: int) -> None:
        """Cancelled, with its slots free again."""

        def cancelled(found: list[Resource | None]) -> list[Change]:
            appointment, *slots = _there(found)
            if appointment["status"] == "cancelled":
                return []
            return scheduling.cancel(appointment, slots, at=moment(diary.time, now))

        self._staged.later([self._own(entry), *self._slots(diary, entry)], cancelled)

    def mark(self, statuses: list[tuple[str, Status]]) -> None:
        """What time did to appointments."""

        def marked(found: list[Resource | None]) -> list[Change]:
            return [
                Update({**appointment, "status": status}, version_of(appointment))
                for appointment, (_, status) in zip(_there(found), statuses, strict=True)
                if appointment["status"] != status
            ]

        self._staged.later([("Appointment", self._ids.record_id(id_)) for id_, _ in statuses], marked)

    def _own(self, entry: Appointment) -> Key:
        return "Appointment", self._ids.record_id(entry.id)

    def _slots(self, diary: Diary, entry: Appointment) -> list[Key]:
        physician = diary.plan.physicians[entry.physician]
        slots = range(entry.slot, entry.slot + entry.length)
        return [("Slot", self._ids.slot(physician, entry.day, slot)) for slot in slots]


def _name(written: str, locale: Locale) -> Name:
    """Family and given names by the order of the country."""
    words = written.split() or [UNKNOWN]
    if locale.name_order == "family_first":
        return Name(words[0], tuple(words[1:]))
    return Name(words[-1], tuple(words[:-1]))


def _there(found: list[Resource | None]) -> list[Resource]:
    """All of them; raises when the records have lost one."""
    if None in found:
        raise RecordMissing("the records lack a resource of this hospital that was there before")
    return [resource for resource in found if resource is not None]
