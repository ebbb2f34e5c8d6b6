"""What changes while a hospital runs. It changes only through the effects defined here."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.scenario.diary import LONG_AGO, Appointment, Diary, Status
from polyclinic.clinics.frontdesk.scenario.schema import Contact, HospitalPlan
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.campaign import Effect, Shared
from polyclinic.core.services import Services
from polyclinic.errors import EngineError


class HospitalEffect(Effect):
    """A change in one department. Every change has its time, in minutes of the simulated clock."""

    department: str
    minute: int = LONG_AGO


class ClockMoved(HospitalEffect):
    """Time passed. Holds the appointments whose status changed."""

    kind = "clock"
    statuses: tuple[tuple[str, Status], ...]


class Booked(HospitalEffect):
    """A new appointment."""

    kind = "booked"
    appointment: Appointment


class Moved(HospitalEffect):
    """An appointment has another time."""

    kind = "moved"
    id: str
    physician: int
    day: int
    slot: int
    leaves_list: bool


class Cancelled(HospitalEffect):
    """An appointment was given up."""

    kind = "cancelled"
    id: str


class Waiting(HospitalEffect):
    """The holder of an appointment waits for an earlier time."""

    kind = "waiting"
    id: str


class HospitalState:
    """A hospital's shared state: one diary per department, and where each patient's appointment is."""

    takes: tuple[type[Effect], ...] = (ClockMoved, Booked, Moved, Cancelled, Waiting)

    def __init__(self, plan: HospitalPlan) -> None:
        self.plan = plan
        self.diaries = {department.name: Diary.empty(department, plan.time) for department in plan.departments}
        self.appointment_of: dict[str, tuple[str, str]] = {}
        """Patient id to (department, appointment id)."""
        self.registered: set[str] = set()
        self.list_changes: list[tuple[int, int]] = []
        """When somebody joined (1) or left (-1) a waiting list, in minutes."""
        self.kept_time = 0
        """How many patients were on a waiting list until their visit began."""
        self.gave_up = 0
        """How many patients were on a waiting list when they cancelled."""

    @classmethod
    def open(cls, contacts: Sequence[Contact]) -> HospitalState:
        """The state of the campaign that these contacts belong to."""
        for contact in contacts:
            if contact.plan is not None:
                return cls(contact.plan)
        raise EngineError("the first episode of a hospital campaign must be its opening, which holds the plan")

    def diary_of(self, patient: str) -> tuple[Diary, Appointment] | None:
        """The diary that holds this patient's appointment, and the appointment; None if there is none."""
        found = self.appointment_of.get(patient)
        if found is None:
            return None
        diary = self.diaries[found[0]]
        return diary, diary.appointments[found[1]]

    def apply(self, effect: Effect) -> None:
        """Apply one committed change."""
        if not isinstance(effect, HospitalEffect):
            raise EngineError(f"unknown effect of a hospital: '{effect.kind}'")
        diary = self.diaries[effect.department]
        listed = len(diary.waiting)
        match effect:
            case ClockMoved():
                for id, status in effect.statuses:
                    if id in diary.waiting:
                        self.list_changes.append((diary.begins(id), -1))
                        self.kept_time, listed = self.kept_time + 1, listed - 1
                    diary.set_status(id, status)
                diary.advance(effect.minute)
            case Booked():
                entry = effect.appointment
                diary.add(entry)
                self.appointment_of[entry.patient] = (diary.plan.name, entry.id)
                self.registered.add(entry.patient)
            case Moved():
                diary.move(effect.id, effect.physician, effect.day, effect.slot)
                if effect.leaves_list:
                    diary.leave_waiting(effect.id)
            case Cancelled():
                self.gave_up += effect.id in diary.waiting
                diary.cancel(effect.id)
            case Waiting():
                diary.wait(effect.id)
        if len(diary.waiting) != listed:
            self.list_changes.append((effect.minute, len(diary.waiting) - listed))
        diary.clock = max(diary.clock, effect.minute)


def open_campaign(contacts: Sequence[Contact], variant: DeskVariant, seed: int, services: Services) -> Shared:
    """A hospital before its first call."""
    return HospitalState.open(contacts)
