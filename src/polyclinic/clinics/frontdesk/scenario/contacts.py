"""From patients to contacts: when each one calls, who calls back, and the order in which the hospital hears them.

A patient calls during opening hours, at some moment from `lead_days` before the period until just before the
appointment they were made for; so calls spread over the whole simulated time and there is still something to book.
Who calls back to move or cancel does so once, some time after the first call.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig
from polyclinic.clinics.frontdesk.scenario.schema import (
    Contact,
    ContactKind,
    HospitalPlan,
    Patient,
    TimeSystem,
)
from polyclinic.clinics.frontdesk.scenario.times import MINUTES_A_DAY

_Call = tuple[int, int, int, ContactKind]
"""Minute, patient's number, 0 for the first call and 1 for the second, kind. Sorts into order of arrival."""


def contacts_of(
    plan: HospitalPlan,
    patients: Sequence[Patient],
    virtual: Sequence[tuple[int, int]],
    config: HospitalConfig,
    draw: random.Random,
) -> list[Contact]:
    """The campaign: opening, calls in order of arrival, closing."""
    calls: list[_Call] = []
    for number, (day, slot) in enumerate(virtual):
        minute = _call_minute(plan.time, config.lead_days, day, slot, draw)
        calls.append((minute, number, 0, "visit"))
        chance = draw.random()
        delay = config.events.delay_minutes.min + int(
            draw.random() * (config.events.delay_minutes.max - config.events.delay_minutes.min + 1)
        )
        if chance < config.events.cancel_prob + config.events.reschedule_prob:
            kind: ContactKind = "cancel" if chance < config.events.cancel_prob else "move"
            calls.append((_during_hours(plan.time, minute + delay), number, 1, kind))
    return arrange(plan, patients, sorted(calls), config.lead_days)


def arrange(plan: HospitalPlan, patients: Sequence[Patient], calls: Sequence[_Call], lead_days: int) -> list[Contact]:
    """Contacts for these calls, between the hospital's opening and its closing."""
    first = min((call[0] for call in calls), default=0)
    opening = min(-lead_days * MINUTES_A_DAY, first)
    contacts = [_frame(plan, "opening", opening, plan)]
    for index, (minute, number, _second, kind) in enumerate(calls):
        patient = patients[number]
        lanes = dict.fromkeys((*patient.gold_departments, patient.home_department))
        contacts.append(
            Contact.model_construct(
                id=f"{plan.id}-{index:05d}-{kind}",
                tags=(plan.level, kind),
                campaign=plan.id,
                wave=1,
                kind=kind,
                level=plan.level,
                minute=minute,
                at=plan.time.instant(minute),
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
        at=plan.time.instant(minute),
        plan=carried,
        departments=plan.department_names,
    )


def _call_minute(time: TimeSystem, lead_days: int, day: int, slot: int, draw: random.Random) -> int:
    """A moment in opening hours before the appointment's own start; on the first morning slot, the day before at the
    latest.
    """
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
