"""Who speaks when. A contact is a visit (intake, then a booking), or a call to move or cancel.

A hospital's contacts run side by side. Everything that a dialogue can do without the diary is done first. Then the
contact waits for its turn in its department, in order of arrival, and acts on the diary. What a patient answers to an
offer is heard in that turn too. So the result is the same as if contacts ran one after the other.
"""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.booking import Booking
from polyclinic.clinics.frontdesk.flow.callback import CallBack
from polyclinic.clinics.frontdesk.flow.intake import Intake
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY
from polyclinic.clinics.frontdesk.rules.intake_rubric import right_department
from polyclinic.clinics.frontdesk.rules.notes import (
    CallEnded,
    HospitalClosed,
    HospitalOpened,
    TalkHeld,
    VisitEnded,
)
from polyclinic.clinics.frontdesk.rules.usage import clinic_use, lists_over_time
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.tools.ledger import Ledger
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode


async def flow(episode: Episode[Contact, DeskVariant]) -> str:
    """One contact with the hospital."""
    contact = episode.scenario
    if contact.kind == "opening":
        return await open_hospital(episode, contact)
    if contact.kind == "closing":
        return await close_hospital(episode, contact)
    if contact.kind == "visit":
        outcome = await visit(episode, contact)
    else:
        outcome = await call_back(episode, contact, contact.kind)
    said = episode.transcript.said()
    if said:
        words = sum([len(event.text.split()) for event in said])
        episode.conclude(TalkHeld(spoken_lines=len(said), spoken_words=words))
    return outcome


async def open_hospital(episode: Episode, contact: Contact) -> str:
    """Runs before the first call. Records how many minutes of clinic time each department has on each day."""
    await episode.enter_lane("*")
    ledger = Ledger(episode, contact)
    time = ledger.state.plan.time
    minutes = {
        name: [time.slot_minutes * sum(days[day].bit_count() for days in diary.free) for day in range(time.days)]
        for name, diary in ledger.state.diaries.items()
    }
    opened = HospitalOpened(
        level=contact.level,
        kind=contact.kind,
        clinic_minutes=minutes,
        lead_minute=contact.minute,
        end_minute=time.end_minute,
    )
    episode.conclude(opened)
    return "opened"


async def close_hospital(episode: Episode, contact: Contact) -> str:
    """Runs at the end of the period. Every appointment becomes fulfilled, a no-show or cancelled."""
    await episode.enter_lane("*")
    ledger = Ledger(episode, contact)
    for diary in ledger.state.diaries.values():
        ledger.tick(diary, always=True)
    uses = tuple([use for diary in ledger.state.diaries.values() for use in clinic_use(diary, ledger.now)])
    closed = HospitalClosed(level=contact.level, kind=contact.kind, clinics=uses)
    episode.conclude(closed)
    episode.conclude(lists_over_time(ledger.state, ledger.now))
    return "closed"


async def visit(episode: Episode[Contact, DeskVariant], contact: Contact) -> str:
    """Intake and booking. The booking is always made in a right department, so that both tasks are scored separately.

    A patient whom the staff takes for an emergency gets help at once and no appointment.
    """
    variant, patient = episode.variant, contact.caller
    actor, staff = PatientActor(episode, patient), Staff(episode, contact.departments)
    record = await Intake(episode, contact, variant, actor, staff).run()
    given = record.department if record is not None else ""
    department = given if right_department(given, patient.gold_departments) else patient.home_department
    ended = VisitEnded(
        level=contact.level,
        kind=contact.kind,
        minute=contact.minute,
        knows_diagnosis=patient.knows_diagnosis,
        gold=patient.gold_departments,
        home=patient.home_department,
        given=given,
    )
    episode.conclude(ended)
    if given == EMERGENCY:
        return "emergency"
    if variant.scheduling == "none":
        return "taken_in"
    return await Booking(episode, contact, variant, actor, staff, department, record).run()


async def call_back(episode: Episode[Contact, DeskVariant], contact: Contact, intent: Literal["move", "cancel"]) -> str:
    """A patient with an appointment wants it moved or cancelled. A patient who has none, or is too late to change it,
    does not call.
    """
    variant, caller = episode.variant, contact.caller
    about = contact.claims or caller
    episode.conclude(CallEnded(level=contact.level, kind=contact.kind, minute=contact.minute))
    if variant.scheduling == "none":
        return "no_scheduling"
    await episode.after(contact.after)
    if contact.claims is not None:
        await episode.enter_lane("*")
    ledger = Ledger(episode, contact)
    held = ledger.state.diary_of(about.id)
    if held is None:
        return "no_appointment"
    diary, _ = held
    await episode.enter_lane(diary.plan.name)
    # Read the appointment only now: an earlier call, by this caller or by somebody who cancelled, may have moved it.
    entry = diary.appointments[held[1].id]
    if entry.status == "cancelled":
        return "no_appointment"
    if diary.time.minute(entry.day, entry.slot) <= ledger.now:
        return "too_late"
    return await CallBack(episode, contact, variant, intent, about, diary, entry).run()
