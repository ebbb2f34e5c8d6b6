"""From a wish to an appointment: what is said before the diary is needed, the offer, a change of mind, the booking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.words import (
    NOTHING_FOR_THAT,
    THANKS,
    WHICH_TIME,
    WOULD_IT_SUIT,
    offer_words,
)
from polyclinic.clinics.frontdesk.prompts import Choice
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import (
    BookingCase,
    Proposal,
    anything_free,
    can_be_booked,
    judge_booking,
)
from polyclinic.clinics.frontdesk.rules.slots import Wish
from polyclinic.clinics.frontdesk.rules.snapshot import Snapshot, take_snapshot
from polyclinic.clinics.frontdesk.rules.spoken import states_wish
from polyclinic.clinics.frontdesk.scenario.schema import Contact, Patient
from polyclinic.clinics.frontdesk.state import Diary, HospitalState
from polyclinic.clinics.frontdesk.tools.desk import BOOKING_TOOLS, NOT_FOUND, as_place, as_proposal, find_time
from polyclinic.clinics.frontdesk.tools.ledger import Ledger
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode


@dataclass
class Settled:
    """What a conversation before the diary came to: the staff's choice and the words not yet said aloud."""

    choice: Choice | None
    wish_words: str
    lines: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Offer:
    """What the staff came up with: times, None for an unreadable reply, and how."""

    proposals: tuple[Proposal, ...] | None
    via: str


class Booking:
    """From a wish to an appointment."""

    def __init__(
        self,
        episode: Episode,
        contact: Contact,
        variant: DeskVariant,
        actor: PatientActor,
        staff: Staff,
        department: str,
    ) -> None:
        self.episode, self.contact, self.variant = episode, contact, variant
        self.actor, self.staff, self.department = actor, staff, department
        patient = contact.caller
        self.wishes = [wish_of(patient, kind) for kind in patient.preferences]
        self.rounds = [variant.rounds] * len(self.wishes)
        self.rejects = episode.random("rejection", paired=True).random() < variant.rejection
        self.said: list[str] = []

    async def run(self) -> str:
        """Talk first, then the diary: offer, perhaps a change of mind, a second offer, the appointment."""
        diary = cast(HospitalState, self.episode.shared).diaries[self.department]
        first = await self.settle(diary, 0)
        second = await self.settle(diary, 1) if self.rejects else None
        await self.episode.turn(self.department)
        ledger = Ledger(self.episode, self.contact)
        ledger.tick(diary)
        snapshot = take_snapshot(diary, ledger.now)
        self.episode.note("diary", snapshot=snapshot)
        self.aloud(first)
        offer = await self.offer(diary, ledger, first, 0)
        full = not offer.proposals and not anything_free(snapshot, self.wishes[0])
        stage = 0
        if (self.rejects and self.verdict(snapshot, offer, 0) == "") or full:
            stage = 1
            if not offer.proposals:
                self.episode.say("staff", NOTHING_FOR_THAT, to="patient", phase="offer")
            second = second or await self.settle(diary, 1)
            self.aloud(second)
            offer = await self.offer(diary, ledger, second, 1)
            full = not offer.proposals and not anything_free(snapshot, self.wishes[1])
        self.episode.conclude(department=self.department, dialogue=">".join(w.kind for w in self.wishes[: stage + 1]))
        if full and offer.proposals == ():
            self.episode.say("staff", "I am sorry, nothing is free.", to="patient", phase="booking")
            return "full"
        return await self.conclude(diary, ledger, snapshot, offer, stage)

    async def settle(self, diary: Diary, stage: int, heard: str = "", problem: str = "") -> Settled:
        """The patient states a wish; the staff chooses a tool or asks. Nothing here looks at the diary.

        `heard` is a wish that was stated before: with the `problem` of a tool, the staff first thinks again by itself.
        However often that happens, the patient speaks at most so many rounds about one wish.
        """
        rejected = self.wishes[0] if stage else None
        asked = WOULD_IT_SUIT if stage else WHICH_TIME
        settled = Settled(None, heard, [] if stage or heard else [("staff", WHICH_TIME)])
        while heard or self.rounds[stage]:
            if not heard:
                self.rounds[stage] -= 1
                settled.wish_words = await self.actor.wishes(self.wishes[stage], rejected, asked)
                settled.lines.append(("patient", settled.wish_words))
            if self.variant.scheduling == "reasoning":
                return settled
            settled.choice = await self.staff.chooses(diary, settled.wish_words, problem)
            if settled.choice is None or settled.choice.action != "ask":
                return settled
            asked, problem, heard = settled.choice.question, "", ""
            settled.lines.append(("staff", asked))
        return settled

    def aloud(self, settled: Settled) -> None:
        """Say what was settled, now that its moment has come."""
        for speaker, text in settled.lines:
            self.episode.say(speaker, text, to="patient" if speaker == "staff" else "staff", phase="booking")
            if speaker == "patient":
                self.said.append(text)
        settled.lines = []

    async def offer(self, diary: Diary, ledger: Ledger, settled: Settled, stage: int) -> Offer:
        """Times from the chosen tool, or from reasoning where the variant or the staff wants that."""
        wish = self.wishes[stage]
        self.episode.note("wish", stage=stage, wish=wish)
        via, proposals = "reasoning", cast("tuple[Proposal, ...] | None", ())
        for _ in range(self.variant.rounds):
            choice = settled.choice
            if self.variant.scheduling == "reasoning" or (choice is not None and choice.action == "fallback"):
                via = "reasoning" if self.variant.scheduling == "reasoning" else "fallback"
                proposals = await self.staff.reasons(diary, ledger.now, settled.wish_words)
                break
            if choice is None:
                via, proposals = "none", None
                break
            via = choice.action
            if choice.action == "ask":
                break
            problem, proposals = self.use_tool(diary, ledger.now, choice)
            if not problem:
                break
            settled = await self.settle(diary, stage, settled.wish_words, problem)
            self.aloud(settled)
        else:
            via, proposals = "fallback", await self.staff.reasons(diary, ledger.now, settled.wish_words)
        self.episode.note("offer", stage=stage, via=via, proposals=proposals)
        if proposals:
            self.episode.say("staff", offer_words(proposals), to="patient", phase="offer")
        return Offer(proposals, via)

    def use_tool(self, diary: Diary, now: int, choice: Choice) -> tuple[str, tuple[Proposal, ...]]:
        """Run a booking tool: what is wrong with the request, or the time found."""
        if choice.action not in BOOKING_TOOLS:
            self.episode.used_tool("staff", choice.action, "write", choice.arguments, error=NOT_FOUND)
            return NOT_FOUND, ()
        found = find_time(diary, now, choice)
        proposals = (as_proposal(diary, found.place),) if found.place is not None else ()
        self.episode.used_tool("staff", choice.action, "read", choice.arguments, proposals, error=found.problem)
        return found.problem, proposals

    def verdict(self, snapshot: Snapshot, offer: Offer, stage: int) -> str:
        """How the rubric sees an offer; the patient turns down only what is right."""
        wish = self.wishes[stage]
        stated = states_wish(wish, self.said)
        return judge_booking(BookingCase(wish, stated, snapshot, offer.proposals)).code

    async def conclude(self, diary: Diary, ledger: Ledger, snapshot: Snapshot, offer: Offer, stage: int) -> str:
        """Book what was offered, if it can be booked at all."""
        if not offer.proposals or not can_be_booked(snapshot, offer.proposals):
            return "not_booked"
        place = as_place(diary, offer.proposals[0])
        if place is None:
            return "not_booked"
        entry = ledger.book(diary, self.contact.caller, place, self.wishes[stage])
        self.episode.say("patient", THANKS, to="staff", phase="closing")
        minutes = entry.length * diary.time.slot_minutes
        self.episode.conclude(
            day=entry.day, minutes=minutes, waited=diary.time.minute(entry.day, entry.slot) - ledger.now
        )
        return "booked"


def wish_of(patient: Patient, kind: str) -> Wish:
    """A patient's wish of that kind."""
    if kind == "physician":
        return Wish(kind="physician", physician=patient.physician)
    if kind == "date":
        return Wish(kind="date", valid_from=patient.valid_from)
    return Wish(kind="asap")
