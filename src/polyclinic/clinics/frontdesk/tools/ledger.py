"""Records every change of the hospital: as an effect on the campaign's state, and in the FHIR records.

Both are staged: they are committed when the episode ends, or not at all.
"""

from __future__ import annotations

from dataclasses import replace

from polyclinic.clinics.frontdesk.rules.clock import due_statuses
from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.notes import DiaryChanged
from polyclinic.clinics.frontdesk.rules.particulars import same
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.schema import Contact, Patient
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish, appointment_at
from polyclinic.clinics.frontdesk.state.hospital import Booked, Cancelled, ClockMoved, HospitalState, Moved, Waiting
from polyclinic.clinics.frontdesk.tools.opening import hospital_ids
from polyclinic.clinics.frontdesk.tools.records import HospitalRecords
from polyclinic.core.episode import Episode
from polyclinic.errors import EngineError


def hospital_of(episode: Episode) -> HospitalState:
    """The state that the contacts of a hospital share."""
    state = episode.shared(HospitalState)
    if state is None:
        raise EngineError(f"{episode.id} is a contact without a hospital: run contacts as part of a campaign")
    return state


class Ledger:
    """Makes the changes of one contact to its hospital."""

    def __init__(self, episode: Episode, contact: Contact) -> None:
        self._episode = episode
        self.state = hospital_of(episode)
        self.now = contact.minute
        self._records: HospitalRecords | None = None
        self._diary: list[tuple[str, int, int]] = []
        if episode.services.records is not None:
            spec = episode.spec
            ids = hospital_ids(spec.run, contact.campaign, spec.variant, spec.trial)
            apart = not episode.services.records_join
            self._records = HospitalRecords(episode.records, ids, self.state.plan, apart=apart)

    def tick(self, diary: Diary, *, always: bool = False) -> None:
        """Let time pass in a department: who has come, who is done, who stayed away.

        A contact that failed and is retried calls at the time of the retry, because the clock never runs backwards.
        Every change holds its time. So the passing of time gets an effect of its own only if it changes a status, or
        with `always`.
        """
        self.now = max(self.now, diary.clock)
        statuses = due_statuses(diary, self.now)
        if not statuses and not always:
            return
        self._episode.effect(ClockMoved(department=diary.plan.name, minute=self.now, statuses=tuple(statuses)))
        if self._records is not None and statuses:
            self._records.mark(diary, statuses, self.now)

    def book(
        self, diary: Diary, patient: Patient, record: IntakeRecord | None, place: Place, wish: Wish
    ) -> Appointment:
        """Make a new appointment for the person that the staff has written down."""
        entry = appointment_at(
            diary,
            patient,
            place,
            wish,
            id=f"{patient.id}-appointment",
            name=record.name if record is not None else "",
            reachable=record is not None and same("phone", record.phone, patient.person),
        )
        self._episode.effect(Booked(department=diary.plan.name, minute=self.now, appointment=entry))
        self._episode.changed(f"appointment {entry.id}", None, self._words(diary, entry))
        self._count(diary, entry, 1)
        if self._records is not None:
            self._records.book(patient.id, record, diary, entry, self.now)
        return entry

    def move(self, diary: Diary, entry: Appointment, place: Place) -> Appointment:
        """Move an appointment to another time; a patient on the waiting list leaves the list."""
        length = diary.plan.physicians[place.physician].slots_per_visit
        moved = replace(entry, physician=place.physician, day=place.day, slot=place.slot, length=length)
        self._episode.effect(
            Moved(
                department=diary.plan.name,
                minute=self.now,
                id=entry.id,
                physician=place.physician,
                day=place.day,
                slot=place.slot,
                leaves_list=True,
            )
        )
        self._episode.changed(f"appointment {entry.id}", self._words(diary, entry), self._words(diary, moved))
        self._count(diary, entry, -1)
        self._count(diary, moved, 1)
        if self._records is not None:
            self._records.move(diary, entry, moved, self.now)
        return moved

    def wait(self, diary: Diary, entry: Appointment) -> None:
        """Put an appointment on the waiting list."""
        self._episode.effect(Waiting(department=diary.plan.name, minute=self.now, id=entry.id))
        self._episode.changed("waiting list", None, entry.id)
        if self._records is not None:
            self._records.wait(diary, entry, self.now)

    def cancel(self, diary: Diary, entry: Appointment) -> Diary:
        """Cancel an appointment. Returns the diary without it, for the pass through the waiting list."""
        self._episode.effect(Cancelled(department=diary.plan.name, minute=self.now, id=entry.id))
        self._episode.changed(f"appointment {entry.id}", self._words(diary, entry), "cancelled")
        self._count(diary, entry, -1)
        if self._records is not None:
            self._records.cancel(diary, entry, self.now)
        left = diary.copy()
        left.cancel(entry.id)
        return left

    def _count(self, diary: Diary, entry: Appointment, sign: int) -> None:
        """Keep the changes of the diary, for the picture in the report."""
        self._diary.append((diary.plan.name, entry.day, sign * entry.length * diary.time.slot_minutes))
        self._episode.conclude(DiaryChanged(diary=tuple(self._diary)))

    @staticmethod
    def _words(diary: Diary, entry: Appointment) -> str:
        time, physician = diary.time, diary.plan.physicians[entry.physician]
        start = time.start_text(entry.day, entry.slot)
        return f"{physician.name}, {start}, {entry.length * time.slot_minutes} minutes"
