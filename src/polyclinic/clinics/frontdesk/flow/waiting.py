"""The waiting list after a cancellation: patients move up by rule, or the staff goes through it as in the paper."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.agents import Staff
from polyclinic.clinics.frontdesk.flow.words import wish_words
from polyclinic.clinics.frontdesk.rules.notes import MovedUp, WaitingListWalked, WaitingStep
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal, read_place
from polyclinic.clinics.frontdesk.rules.snapshot import take_snapshot
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.scenario.slots import (
    Place,
    can_move_up,
    earlier_place,
    walk_waiting_list,
    wish_of,
)
from polyclinic.clinics.frontdesk.tools.desk import BOOKING_TOOLS, as_proposal, find_time
from polyclinic.clinics.frontdesk.tools.ledger import Ledger
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode


class WaitingList:
    """One pass through the waiting list. `diary` is without the cancelled appointment, and changes as patients move."""

    def __init__(self, episode: Episode, contact: Contact, variant: DeskVariant, ledger: Ledger, diary: Diary) -> None:
        self.episode, self.contact, self.variant = episode, contact, variant
        self.ledger, self.diary = ledger, diary

    async def walk(self) -> None:
        """Move up every patient who can be moved and called."""
        if self.variant.waiting_list == "rule":
            found = walk_waiting_list(self.diary, self.ledger.now)
            for waiting, place in found.moves:
                self.move(waiting, place)
            walked = WaitingListWalked(moved=tuple([id_ for id_, _ in found.moves]), unreached=tuple(found.unreached))
        else:
            walked = await self.by_staff()
        self.episode.note(walked)
        self.episode.conclude(MovedUp(waiting_moved=len(walked.moved), not_reached=walked.unreached))

    async def by_staff(self) -> WaitingListWalked:
        """The staff looks for an earlier time for each patient in turn; code checks each time that the staff finds."""
        moved: list[str] = []
        unreached: list[str] = []
        steps: list[WaitingStep] = []
        for waiting in [id_ for id_ in self.diary.waiting if can_move_up(self.diary, self.ledger.now, id_)]:
            entry = self.diary.appointments[waiting]
            due = earlier_place(self.diary, self.ledger.now, entry)
            proposals, place = await self.proposed(entry)
            earlier = place is not None and (place.day, place.slot) < (entry.day, entry.slot)
            steps.append(
                WaitingStep(
                    id=waiting,
                    proposals=proposals,
                    due=as_proposal(self.diary, due) if due is not None else None,
                    earlier=earlier,
                )
            )
            if place is None or not earlier:
                continue
            if not entry.reachable:
                unreached.append(waiting)
                continue
            self.move(waiting, place)
            moved.append(waiting)
        return WaitingListWalked(moved=tuple(moved), unreached=tuple(unreached), steps=tuple(steps))

    async def proposed(self, entry: Appointment) -> tuple[tuple[Proposal, ...] | None, Place | None]:
        """The times that the staff finds for one patient, by the wish that the appointment was booked for."""
        diary, now = self.diary, self.ledger.now
        physician = diary.plan.physicians[entry.physician].name
        words = wish_words(wish_of(entry.preference, physician, diary.time.date_of(entry.valid_from_day)))
        staff = Staff(self.episode, self.contact.departments)
        if self.variant.scheduling == "tool":
            choice = await staff.chooses(diary, now, entry.patient_name, words)
            if choice is not None and choice.action in BOOKING_TOOLS:
                place = find_time(diary, now, choice).place
                self.episode.used_tool("staff", choice.action, "read", choice.arguments, entry.id)
                return ((as_proposal(diary, place),) if place is not None else ()), place
            if choice is None or choice.action == "ask":
                return None, None
        has = diary.time.start_text(entry.day, entry.slot)
        proposals = await staff.reasons(diary, now, words, moving=has)
        found = read_place(take_snapshot(diary, now), proposals) if proposals else None
        if isinstance(found, Place):
            return (as_proposal(diary, found),), found
        return proposals, None

    def move(self, waiting: str, place: Place) -> None:
        """Move one patient to an earlier time; the old time becomes free for the next patient."""
        self.ledger.move(self.diary, self.diary.appointments[waiting], place)
        self.diary.move(waiting, place.physician, place.day, place.slot)
