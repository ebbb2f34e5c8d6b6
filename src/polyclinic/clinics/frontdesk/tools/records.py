"""What each contact changes in the hospital's FHIR records, at the end of its episode.

The resources are read at that moment, inside the same transaction. So earlier changes are seen, and the version check
prevents conflicts. If the records are on a separate server, they are committed just before the episode. An episode that
was killed between the two finds its own changes when it runs again, and leaves them as they are.
"""

from __future__ import annotations

from datetime import datetime

from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.sexes import sex_of
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary, Status
from polyclinic.clinics.frontdesk.scenario.schema import HospitalPlan
from polyclinic.clinics.frontdesk.tools.opening import Ids
from polyclinic.core.records import (
    Create,
    Key,
    RecordChange,
    RecordMissing,
    Resource,
    StagedRecords,
    Update,
    version_of,
)
from polyclinic.fhir import resources as r
from polyclinic.fhir import scheduling, trail
from polyclinic.fhir.datatypes import Address, HumanName, Identifier, reference
from polyclinic.people.addresses import address_parts
from polyclinic.people.locales import Locale, load_locale

UNKNOWN = "unknown"
_VISITED: dict[Status, bool] = {"arrived": False, "fulfilled": True}
"""The statuses of appointments that have an encounter, and whether the encounter is over."""

_TRAIL = (("Provenance", "p", trail.provenance), ("AuditEvent", "a", trail.audit_event))
"""The trail resources that each change of an appointment adds, and the letter in their ids."""


class HospitalRecords:
    """One hospital's records as an episode sees them."""

    def __init__(self, staged: StagedRecords, ids: Ids, plan: HospitalPlan, *, apart: bool = False) -> None:
        self._staged, self._ids, self._plan, self._apart = staged, ids, plan, apart

    def book(self, patient: str, record: IntakeRecord | None, diary: Diary, entry: Appointment, now: int) -> None:
        """Create the patient's record, as the staff wrote it down, and the appointment; its slots become busy."""
        physician = diary.plan.physicians[entry.physician]
        own, visitor = self._own(entry), ("Patient", self._ids.record_id(entry.patient))
        unit = self._ids.unit(diary.plan)

        def booked(found: list[Resource | None]) -> list[RecordChange]:
            known, _, _, _, *slots = found
            if self._apart and known is not None:
                return []
            appointment = r.appointment(
                own[1],
                patient=reference(*visitor, entry.patient_name or UNKNOWN),
                practitioner=reference("Practitioner", self._ids.record_id(physician.id), physician.name),
                specialty=unit.specialty,
                service=unit.service,
                location=unit.rooms,
                created=diary.time.moment(now),
            )
            return [
                Create(self._patient(patient, record)),
                *scheduling.book(appointment, _there(slots)),
                *self._trail("CREATE", appointment, diary, now),
            ]

        left = [(type_, _trail_id(own[1], letter, 1)) for type_, letter, _ in _TRAIL]
        self._staged.later([own, visitor, *left, *self._slots(diary, entry)], booked)

    def _patient(self, patient: str, record: IntakeRecord | None) -> Resource:
        """The patient's data as the staff wrote it down. Unknown values are left out.

        Nobody asks for the birth date.
        """
        locale, id_ = load_locale(self._plan.locale), self._ids.record_id(patient)
        if record is None:
            return r.patient(id_, HumanName(UNKNOWN), organization=self._ids.hospital)
        identifiers = (Identifier(locale.identifier_system, record.identifier),) if record.identifier else ()
        return r.patient(
            id_,
            _name(record.name, locale),
            gender=sex_of(record.sex) or None,
            phone=record.phone,
            address=_address(record.address, self._plan.locale),
            identifiers=identifiers,
            organization=self._ids.hospital,
        )

    def move(self, diary: Diary, old: Appointment, new: Appointment, now: int) -> None:
        """Move an appointment to other slots, and to another physician if that changed.

        The patient leaves the waiting list.
        """
        physician = diary.plan.physicians[new.physician]
        actor = reference("Practitioner", self._ids.record_id(physician.id), physician.name)

        def moved(found: list[Resource | None]) -> list[RecordChange]:
            waiting, *others = found
            appointment, *slots = _there(others)
            patient, _, *rest = appointment["participant"]
            there = {**appointment, "participant": [patient, r.participant(actor), *rest]}
            new_slots = slots[old.length :]
            if appointment["start"] == new_slots[0]["start"] and appointment["participant"] == there["participant"]:
                return []
            return [
                *scheduling.move(there, slots[: old.length], new_slots),
                *_no_longer(waiting, diary.time.moment(now)),
                *self._trail("UPDATE", appointment, diary, now),
            ]

        slots = [*self._slots(diary, old), *self._slots(diary, new)]
        self._staged.later([self._waiting(old.id), self._own(old), *slots], moved)

    def wait(self, diary: Diary, entry: Appointment, now: int) -> None:
        """Add a place on the waiting list: an appointment without a time, which may replace the booked one."""
        own = self._waiting(entry.id)

        def waits(found: list[Resource | None]) -> list[RecordChange]:
            waiting, (booked,) = found[0], _there(found[1:])
            if waiting is not None and waiting["status"] == "waitlist":
                return []
            wish = scheduling.wait_for_earlier(own[1], booked, at=diary.time.moment(now))
            if waiting is None:
                return [Create(wish), *self._trail("CREATE", wish, diary, now)]
            again = {**wish, "meta": waiting["meta"]}
            return [Update(again, version_of(waiting)), *self._trail("UPDATE", again, diary, now)]

        self._staged.later([own, self._own(entry)], waits)

    def cancel(self, diary: Diary, entry: Appointment, now: int) -> None:
        """Cancel an appointment and free its slots."""

        at = diary.time.moment(now)

        def cancelled(found: list[Resource | None]) -> list[RecordChange]:
            waiting, *others = found
            appointment, *slots = _there(others)
            if appointment["status"] == "cancelled":
                return []
            return [
                *scheduling.cancel(appointment, slots, at=at),
                *_no_longer(waiting, at),
                *self._trail("CANCEL", appointment, diary, now),
            ]

        self._staged.later([self._waiting(entry.id), self._own(entry), *self._slots(diary, entry)], cancelled)

    def mark(self, diary: Diary, statuses: list[tuple[str, Status]], now: int) -> None:
        """Record how time changed appointments. A patient who has come gets an encounter.

        An entry of the waiting list is closed once its visit has begun.
        """
        count = len(statuses)
        waited = [id_ for id_, _ in statuses if id_ in diary.waiting]

        def marked(found: list[Resource | None]) -> list[RecordChange]:
            changes: list[RecordChange] = []
            encounters = found[count : 2 * count]
            for appointment, visit, (id_, status) in zip(_there(found[:count]), encounters, statuses, strict=True):
                if appointment["status"] == status:
                    continue
                changes.append(Update({**appointment, "status": status}, version_of(appointment)))
                if status in _VISITED:
                    made = trail.encounter(self._encounter(id_)[1], appointment, finished=_VISITED[status])
                    changes.append(Create(made) if visit is None else Update(made, version_of(visit)))
            for waiting in found[2 * count :]:
                changes += _no_longer(waiting, diary.time.moment(now))
            return changes

        own: list[Key] = [("Appointment", self._ids.record_id(id_)) for id_, _ in statuses]
        encounters = [self._encounter(id_) for id_, _ in statuses]
        self._staged.later([*own, *encounters, *map(self._waiting, waited)], marked)

    def _trail(self, activity: trail.Activity, changed: Resource, diary: Diary, now: int) -> list[RecordChange]:
        """The audit trail of a change: who did what to an appointment."""
        number = int(version_of(changed) or 0) + 1
        target, patient = f"Appointment/{changed['id']}", changed["subject"]["reference"]
        recorded = diary.time.moment(now).isoformat(timespec="seconds")
        desk = {"reference": f"Organization/{self._ids.hospital}", "display": "Front desk"}
        return [
            Create(
                make(
                    _trail_id(changed["id"], letter, number),
                    activity,
                    target,
                    patient=patient,
                    recorded=recorded,
                    author=desk,
                )
            )
            for _, letter, make in _TRAIL
        ]

    def _own(self, entry: Appointment) -> Key:
        return "Appointment", self._ids.record_id(entry.id)

    def _waiting(self, id: str) -> Key:
        return "Appointment", f"{self._ids.record_id(id.removesuffix('-appointment'))}-waits"

    def _encounter(self, id: str) -> Key:
        return "Encounter", f"{self._ids.record_id(id.removesuffix('-appointment'))}-visit"

    def _slots(self, diary: Diary, entry: Appointment) -> list[Key]:
        physician = diary.plan.physicians[entry.physician]
        slots = range(entry.slot, entry.slot + entry.length)
        return [("Slot", self._ids.slot(physician, entry.day, slot)) for slot in slots]


def _name(written: str, locale: Locale) -> HumanName:
    """Family and given names, in the order that the country uses."""
    words = written.split() or [UNKNOWN]
    if locale.name_order == "family_first":
        return HumanName(words[0], tuple(words[1:]))
    return HumanName(words[-1], tuple(words[:-1]))


def _address(said: str, locale: str) -> Address:
    """An address as it was said, and also in parts if they can be recognised."""
    line, district, city, state, postcode = address_parts(said, locale)
    country = load_locale(locale).language_tag.rpartition("-")[2]
    return Address(said, line, district, city, state, postcode, country)


def _trail_id(appointment: str, letter: str, number: int) -> str:
    return f"{appointment.removesuffix('-appointment')}-{letter}{number}"


def _no_longer(waiting: Resource | None, at: datetime) -> list[RecordChange]:
    """The changes that close an entry of the waiting list; none if there was no open entry."""
    if waiting is None or waiting["status"] != "waitlist":
        return []
    return scheduling.cancel(waiting, (), at=at, reason="other")


def _there(found: list[Resource | None]) -> list[Resource]:
    """All resources; raises an error if one is missing in the records."""
    if None in found:
        raise RecordMissing("a resource of this hospital is no longer in the records")
    return [resource for resource in found if resource is not None]
