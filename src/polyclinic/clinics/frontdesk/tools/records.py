"""What each contact changes in the hospital's FHIR records, staged with its episode.

Slots are read before they are taken: whoever was quicker is seen, and the version guards the rest. On a server of its own
the records are committed just before the episode is; an episode that was killed between the two finds its own changes there
when it runs again, and lets them stand.
"""

from __future__ import annotations

from polyclinic.clinics.frontdesk.scenario.schema import HospitalPlan, Patient
from polyclinic.clinics.frontdesk.state import Appointment, Diary, Status
from polyclinic.clinics.frontdesk.tools.opening import Ids, moment
from polyclinic.core.records import Create, RecordMissing, Resource, StagedRecords, Update, version_of
from polyclinic.fhir import resources as r
from polyclinic.fhir import scheduling
from polyclinic.people.locales import load_locale


class HospitalRecords:
    """One hospital's records as an episode sees them."""

    def __init__(self, staged: StagedRecords, ids: Ids, plan: HospitalPlan, *, apart: bool = False) -> None:
        self._staged, self._ids, self._plan, self._apart = staged, ids, plan, apart

    async def book(self, patient: Patient, diary: Diary, entry: Appointment, now: int) -> None:
        """The patient's own record and the appointment, with its slots busy."""
        if self._apart and await self._is_there(entry):
            return
        physician = diary.plan.physicians[entry.physician]
        appointment = r.appointment(
            self._ids.of(entry.id),
            patient=r.reference("Patient", self._ids.of(entry.patient), entry.patient_name),
            practitioner=r.reference("Practitioner", self._ids.of(physician.id), physician.name),
            created=moment(diary.time, now),
        )
        booking = scheduling.book(appointment, await self._slots(diary, entry))
        await self._staged.transact([Create(self._patient(patient)), *booking])

    async def _is_there(self, entry: Appointment) -> bool:
        try:
            await self._staged.read("Appointment", self._ids.of(entry.id))
        except RecordMissing:
            return False
        return True

    def _patient(self, patient: Patient) -> Resource:
        person = patient.person
        system = load_locale(self._plan.locale).identifier_system
        return r.patient(
            self._ids.of(patient.id),
            r.Name(person.family, (person.given,)),
            gender=person.sex,
            birth_date=person.birth_date,
            phone=person.phone,
            address=person.address,
            identifiers=(r.Identifier(system, person.identifier),),
            organization=self._ids.hospital,
        )

    async def move(self, diary: Diary, old: Appointment, new: Appointment) -> None:
        """Other slots, and another physician where that changed."""
        appointment = await self._staged.read("Appointment", self._ids.of(old.id))
        physician = diary.plan.physicians[new.physician]
        actor = r.reference("Practitioner", self._ids.of(physician.id), physician.name)
        moved = {**appointment, "participant": [appointment["participant"][0], r.participant(actor)]}
        old_slots, new_slots = await self._slots(diary, old), await self._slots(diary, new)
        if appointment["start"] == new_slots[0]["start"] and appointment["participant"] == moved["participant"]:
            return
        await self._staged.transact(scheduling.move(moved, old_slots, new_slots))

    async def cancel(self, diary: Diary, entry: Appointment, now: int) -> None:
        """Cancelled, with its slots free again."""
        appointment = await self._staged.read("Appointment", self._ids.of(entry.id))
        if appointment["status"] == "cancelled":
            return
        slots = await self._slots(diary, entry)
        await self._staged.transact(scheduling.cancel(appointment, slots, at=moment(diary.time, now)))

    async def mark(self, statuses: list[tuple[str, Status]]) -> None:
        """What time did to appointments."""
        changes = []
        for id_, status in statuses:
            appointment = await self._staged.read("Appointment", self._ids.of(id_))
            if appointment["status"] != status:
                changes.append(Update({**appointment, "status": status}, version_of(appointment)))
        await self._staged.transact(changes)

    async def _slots(self, diary: Diary, entry: Appointment) -> list[Resource]:
        physician = diary.plan.physicians[entry.physician]
        return [
            await self._staged.read("Slot", self._ids.slot(physician, entry.day, slot))
            for slot in range(entry.slot, entry.slot + entry.length)
        ]
