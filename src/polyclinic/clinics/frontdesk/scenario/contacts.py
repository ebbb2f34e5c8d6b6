"""From patients to contacts: when each one calls, who calls back, and in which order the calls come in.

A patient calls during opening hours, between `lead_days` before the period and the appointment they were made for. So
calls spread over the whole simulated time, and there is still something to book. Those who call again to move or cancel
have a future visit. They call at any time between their booking and that visit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig
from polyclinic.clinics.frontdesk.scenario.foresight import Foresight
from polyclinic.clinics.frontdesk.scenario.schema import (
    Contact,
    ContactKind,
    HospitalPlan,
    Patient,
    TimeSystem,
)
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY

_Call = tuple[int, int, int, ContactKind]
"""(minute, patient number, step, kind). Step: 0 first call, 1 move, 2 cancellation. Sorts by arrival."""


def contacts_of(
    plan: HospitalPlan,
    patients: Sequence[Patient],
    virtual: Sequence[tuple[int, int]],
    config: HospitalConfig,
    draw: random.Random,
) -> list[Contact]:
    """The campaign: opening, calls in order of arrival, closing."""
    first: list[_Call] = [
        (_call_minute(plan.time, config.lead_days, day, slot, draw), number, 0, "visit")
        for number, (day, slot) in enumerate(virtual)
    ]
    calls = with_callbacks(plan, patients, first, config, draw)
    return arrange(plan, patients, calls, config.lead_days)


def with_callbacks(
    plan: HospitalPlan,
    patients: Sequence[Patient],
    first: Sequence[_Call],
    config: HospitalConfig,
    draw: random.Random,
) -> list[_Call]:
    """First calls and, between them, the calls of those who already have an appointment, in order of arrival.

    After each booking, somebody with a future visit may call to move it earlier, and somebody may call to cancel it.
    The config has the rates. A patient may do both, one after the other.
    """
    ahead, calls = list(first), []
    heapify(ahead)
    desk, delays = Foresight(plan, patients), config.events.delay_minutes
    rates: tuple[tuple[ContactKind, float], ...] = (
        ("move", config.events.reschedule_prob),
        ("cancel", config.events.cancel_prob),
    )
    while ahead:
        call = heappop(ahead)
        calls.append(call)
        minute, number, _order, kind = call
        if kind == "move":
            desk.move(number, minute)
        elif kind == "cancel":
            desk.cancel(number, minute)
        else:
            desk.book(number, minute)
            for order, (wanted, rate) in enumerate(rates, start=1):
                chance, who, wait = draw.random(), draw.random(), draw.random()
                if chance >= rate:
                    continue
                later = _during_hours(plan.time, minute + delays.min + int(wait * (delays.max - delays.min + 1)))
                caller = desk.who_moves(later, who) if wanted == "move" else desk.who_cancels(later, who)
                if caller is not None:
                    heappush(ahead, (later, caller, order, wanted))
    return calls


def arrange(plan: HospitalPlan, patients: Sequence[Patient], calls: Sequence[_Call], lead_days: int) -> list[Contact]:
    """Contacts for these calls, between the hospital's opening and its closing."""
    first = min((call[0] for call in calls), default=0)
    opening = min(-lead_days * MINUTES_A_DAY, first)
    contacts = [_frame(plan, "opening", opening, plan)]
    for index, (minute, number, _order, kind) in enumerate(calls):
        patient = patients[number]
        lanes = dict.fromkeys((*patient.gold_departments, patient.home_department))
        contacts.append(
            Contact(
                id=f"{plan.id}-{index:05d}-{kind}",
                tags=(plan.level, kind),
                campaign=plan.id,
                wave=1,
                kind=kind,
                level=plan.level,
                minute=minute,
                at=plan.time.moment(minute),
                patient=patient,
                plan=None,
                lanes=tuple(lanes),
                after="",
                departments=plan.department_names,
            )
        )
    visits = {contact.caller.id: contact.id for contact in contacts if contact.kind == "visit"}
    linked = [
        contact.model_copy(update={"after": visits[contact.caller.id]})
        if contact.kind in ("move", "cancel")
        else contact
        for contact in contacts
    ]
    return [*linked, _frame(plan, "closing", max(plan.time.end_minute, *(call[0] for call in calls), opening), None)]


def _frame(plan: HospitalPlan, kind: ContactKind, minute: int, carried: HospitalPlan | None) -> Contact:
    return Contact(
        id=f"{plan.id}-{kind}",
        tags=(plan.level, kind),
        campaign=plan.id,
        wave=0 if kind == "opening" else 2,
        kind=kind,
        level=plan.level,
        minute=minute,
        at=plan.time.moment(minute),
        plan=carried,
        departments=plan.department_names,
    )


def _call_minute(time: TimeSystem, lead_days: int, day: int, slot: int, draw: random.Random) -> int:
    """A moment in opening hours before the appointment. For the day's first slot it is on an earlier day."""
    start = time.minute(day, slot)
    days = [d for d in range(-lead_days, day + 1) if d * MINUTES_A_DAY + time.open_minute < start]
    chosen = days[int(draw.random() * len(days))] if days else day - 1
    opens = chosen * MINUTES_A_DAY + time.open_minute
    closes = min(chosen * MINUTES_A_DAY + time.close_minute, start)
    return opens + int(draw.random() * (closes - opens))


def _during_hours(time: TimeSystem, minute: int) -> int:
    """The same minute, or the next opening when the desk is closed then; never past the period's end."""
    day, of_day = divmod(minute, MINUTES_A_DAY)
    if of_day < time.open_minute:
        minute = day * MINUTES_A_DAY + time.open_minute
    elif of_day >= time.close_minute:
        minute = (day + 1) * MINUTES_A_DAY + time.open_minute
    return min(minute, time.end_minute)
