"""The hospital as a board of departments by days. It shows what the contacts of a campaign changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyclinic.clinics.frontdesk.operations.setting import Setting
from polyclinic.clinics.frontdesk.scenario import Contact
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Status
from polyclinic.clinics.frontdesk.scenario.schema import DepartmentPlan, HospitalPlan, TimeSystem
from polyclinic.clinics.frontdesk.state.hospital import (
    Booked,
    Cancelled,
    ClockMoved,
    HospitalEffect,
    HospitalState,
    Moved,
    Waiting,
)
from polyclinic.clinics.frontdesk.tools.opening import hospital_ids
from polyclinic.core.board import Board, BoardCall, BoardChange, BoardMoment, BoardRoom, BoardRow, Dial
from polyclinic.core.campaign import StoredEffect
from polyclinic.core.episode import EpisodeSpec

_DIALS = ("physicians", "sessions", "overbooking", "urgent_slots", "demand", "no_show", "clerks")
_LARGEST = {"physicians": 12, "demand": 200, "clerks": 8, "no_show": 0.5}
_STATUS: dict[Status, BoardChange] = {"arrived": "arrived", "fulfilled": "seen", "noshow": "missed"}
_BEFORE = 30
"""How many minutes before the first call the board starts; it is still empty then."""
_WHY = {"visit": "new appointment", "move": "another time", "cancel": "cancellation"}


def board(
    contacts: Sequence[Contact], effects: Sequence[tuple[str, StoredEffect]], episodes: Mapping[str, str]
) -> Board:
    """The board of a hospital; `episodes` names the episode of each contact."""
    plan = HospitalState.open(contacts).plan
    time = plan.time
    moments = sorted(_moments(plan, effects), key=lambda moment: moment.minute)
    calls = [contact for contact in contacts if contact.patient is not None]
    first = min([0, *(contact.minute for contact in calls)]) - _BEFORE
    return Board(
        title=f"{plan.name} ({plan.level})",
        days=tuple(f"{time.date_of(day):%a %d %b}" for day in range(time.days)),
        rows=tuple(
            BoardRow(name=department.name, minutes=_minutes(department, time)) for department in plan.departments
        ),
        first=first,
        last=time.end_minute,
        calls=tuple(
            BoardCall(
                episode=episodes.get(contact.id, ""),
                minute=contact.minute,
                about=_WHY.get(contact.kind, contact.kind),
                who=contact.caller.person.name,
            )
            for contact in calls
        ),
        moments=tuple(moments),
    )


def _minutes(department: DepartmentPlan, time: TimeSystem) -> tuple[int, ...]:
    """The minutes of clinic time that a department has on each day, without the physicians' other duties."""
    found = [0] * time.days
    for physician in department.physicians:
        for day in physician.working_days:
            found[day] += time.slots_per_day * time.slot_minutes
        for day, _, slots in physician.busy:
            found[day] -= slots * time.slot_minutes if day in physician.working_days else 0
    return tuple(found)


def _moments(plan: HospitalPlan, effects: Sequence[tuple[str, StoredEffect]]) -> Iterator[BoardMoment]:
    """One moment for each change: the effects are applied to the hospital's state one after the other."""
    state = HospitalState(plan)
    for episode, stored in effects:
        effect = stored.as_one_of(HospitalState.takes)
        if not isinstance(effect, HospitalEffect):
            continue
        diary = state.diaries[effect.department]
        state.apply(effect)
        match effect:
            case Booked():
                yield _moment(plan, effect, "booked", effect.appointment, episode)
            case Moved():
                yield _moment(plan, effect, "moved", diary.appointments[effect.id], episode, effect.leaves_list)
            case Cancelled():
                yield _moment(plan, effect, "cancelled", diary.appointments[effect.id], episode)
            case Waiting():
                yield _moment(plan, effect, "waiting", diary.appointments[effect.id], episode)
            case ClockMoved():
                for id, status in effect.statuses:
                    if status in _STATUS:
                        yield _came(plan, effect, diary.appointments[id], status, episode)


def _moment(
    plan: HospitalPlan,
    effect: HospitalEffect,
    change: BoardChange,
    entry: Appointment,
    episode: str,
    leaves: bool = False,
) -> BoardMoment:
    department = next(one for one in plan.departments if one.name == effect.department)
    physician = department.physicians[entry.physician]
    return BoardMoment(
        minute=effect.minute,
        change=change,
        booking=entry.id,
        row=effect.department,
        day=entry.day,
        minutes=entry.length * plan.time.slot_minutes,
        who=entry.patient_name,
        at=f"{plan.time.start_text(entry.day, entry.slot)}, {physician.name}",
        episode=episode,
        leaves=leaves,
    )


def _came(plan: HospitalPlan, effect: HospitalEffect, entry: Appointment, status: Status, episode: str) -> BoardMoment:
    """The moment of a new status: the start of the visit if the patient arrived, otherwise its end."""
    made = _moment(plan, effect, _STATUS[status], entry, episode)
    slot = entry.slot if status == "arrived" else entry.slot + entry.length
    return made.model_copy(update={"minute": plan.time.minute(entry.day, slot)})


def records(spec: EpisodeSpec, booking: str) -> list[tuple[str, str]]:
    """The FHIR resources of a booking: the appointment, the patient, the wish for an earlier time, the visit."""
    ids = hospital_ids(spec.run, spec.campaign, spec.variant, spec.trial)
    patient = booking.removesuffix("-appointment")
    return [
        ("Appointment", ids.record_id(booking)),
        ("Patient", ids.record_id(patient)),
        ("Appointment", f"{ids.record_id(patient)}-waits"),
        ("Encounter", f"{ids.record_id(patient)}-visit"),
    ]


def _dial(name: str) -> Dial:
    field = Setting.model_fields[name]
    low = next(rule.ge for rule in field.metadata if hasattr(rule, "ge"))
    high = next(rule.le for rule in field.metadata if hasattr(rule, "le"))
    return Dial(
        name=name,
        about=str(field.description),
        value=float(field.default),
        low=float(low),
        high=float(_LARGEST.get(name, high)),
        whole=field.annotation is int,
    )


BOARD = BoardRoom(board=board, records=records, dials=tuple(_dial(name) for name in _DIALS))
