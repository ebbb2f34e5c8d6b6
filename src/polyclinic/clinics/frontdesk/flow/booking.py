"""From a wish to an appointment: the talk, the offer, a change of mind, the booking."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.words import (
    NOTHING_FOR_THAT,
    SEE_DIARIES,
    THANKS,
    WHICH_TIME,
    offer_words,
)
from polyclinic.clinics.frontdesk.prompts.history import Step
from polyclinic.clinics.frontdesk.prompts.replies import Choice
from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.notes import AppointmentMade, BookingEnded, DiarySeen, InPhase, Offered, Wished
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal, anything_free, judge_place, read_place
from polyclinic.clinics.frontdesk.rules.snapshot import Snapshot, take_snapshot
from polyclinic.clinics.frontdesk.rules.stated import states_wish
from polyclinic.clinics.frontdesk.scenario.diary import Diary
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish, wish_of
from polyclinic.clinics.frontdesk.tools.desk import as_proposal, find_time
from polyclinic.clinics.frontdesk.tools.ledger import Ledger, hospital_of
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode
from polyclinic.core.value import unchanging


@dataclass
class OpenWish:
    """One wish of the patient, and the state of the talk about it.

    This includes the staff's choice and the words that are not yet said aloud.
    """

    is_second: bool
    wish: Wish
    rounds: int
    turns_down: Wish | None = None
    choice: Choice | None = None
    wish_words: str = ""
    unsaid: list[tuple[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@unchanging
class Offer:
    """What the staff found for a request. `place` is what can be booked.

    `proposals` is None for an unreadable reply, and empty when nothing was found.
    """

    request: OpenWish
    via: str
    proposals: tuple[Proposal, ...] | None = ()
    place: Place | None = None


class Booking:
    """Books an appointment for a patient's wish."""

    def __init__(
        self,
        episode: Episode,
        contact: Contact,
        variant: DeskVariant,
        actor: PatientActor,
        staff: Staff,
        department: str,
        record: IntakeRecord | None,
    ) -> None:
        self.episode, self.contact, self.variant = episode, contact, variant
        self.actor, self.staff, self.department, self.record = actor, staff, department, record
        patient = contact.caller
        first, second = (wish_of(kind, patient.physician, patient.valid_from) for kind in patient.preferences)
        self.first = OpenWish(False, first, variant.rounds)
        self.second = OpenWish(True, second, variant.rounds, turns_down=first)
        resistance = patient.resistance
        if resistance is None:
            resistance = episode.random("rejection", paired=True).random()
        self.rejects = resistance < variant.rejection

    async def run(self) -> str:
        """Hear a wish. Then use the diary: an offer, perhaps a change of mind and a second offer, the booking."""
        diary = hospital_of(self.episode).diaries[self.department]
        await self.settle(diary, self.first, WHICH_TIME)
        await self.episode.enter_lane(self.department)
        ledger = Ledger(self.episode, self.contact)
        ledger.tick(diary)
        snapshot = take_snapshot(diary, ledger.now)
        self.episode.note(DiarySeen(snapshot=snapshot))
        offer = await self.offer(diary, snapshot, self.first)
        if not offer.proposals and not anything_free(snapshot, offer.request.wish):
            self.tell(NOTHING_FOR_THAT)
            self.second.turns_down = None
            await self.settle(diary, self.second, NOTHING_FOR_THAT)
            offer = await self.offer(diary, snapshot, self.second)
        elif self.rejects and self.is_right(snapshot, offer):
            await self.settle(diary, self.second, offer_words(offer.proposals or ()))
            offer = await self.offer(diary, snapshot, self.second)
        wishes = [self.first.wish.kind, *([self.second.wish.kind] if offer.request.is_second else [])]
        self.episode.conclude(BookingEnded.after(self.department, wishes))
        if offer.proposals == () and not anything_free(snapshot, offer.request.wish):
            self.say("staff", "I am sorry, nothing is free.", "booking")
            return "full"
        return self.conclude(diary, ledger, offer)

    async def settle(self, diary: Diary, request: OpenWish, asked: str, problem: str = "") -> None:
        """The patient answers what the staff `asked` by stating a wish; the staff chooses a tool or asks. Nothing here
        looks at the diary.

        If a tool reported a `problem`, the staff first chooses again without asking the patient. This may happen
        several times, but the number of the patient's rounds about one wish is limited.
        """
        heard = bool(problem and request.wish_words)
        request.choice = None
        request.unsaid = [] if request.is_second or heard else [("staff", asked)]
        while heard or request.rounds:
            if not heard:
                request.rounds -= 1
                request.wish_words = await self.actor.wishes(request.wish, request.turns_down, asked)
                request.unsaid.append(("patient", request.wish_words))
            if self.variant.scheduling == "reasoning":
                return
            name = self.record.name if self.record is not None else ""
            request.choice = await self.staff.chooses(
                diary, self.contact.minute, name, request.wish_words, problem, again=heard
            )
            if request.choice is None or request.choice.action != "ask":
                return
            asked, problem, heard = request.choice.question, "", False
            request.unsaid.append(("staff", asked))

    def aloud(self, request: OpenWish) -> None:
        """Say aloud what was prepared before the contact's turn came."""
        for speaker, text in request.unsaid:
            self.say(speaker, text, "booking")
            if speaker == "patient":
                request.said.append(text)
        request.unsaid = []

    async def offer(self, diary: Diary, snapshot: Snapshot, request: OpenWish) -> Offer:
        """Say the request aloud, then find times with the chosen tool or by reasoning.

        If the offer is right, the wish counts as stated. Otherwise the reader is asked whether the patient stated it.
        """
        self.aloud(request)
        offer = await self.find(diary, snapshot, request)
        today = snapshot.time.clock(snapshot.now).date()
        stated = self.is_right(snapshot, offer) or await states_wish(
            self.episode.reads, request.wish, request.said, today
        )
        stage = int(request.is_second)
        self.episode.note(Wished(stage=stage, wish=request.wish, stated=stated))
        self.episode.note(Offered(stage=stage, via=offer.via, proposals=offer.proposals))
        if offer.proposals:
            self.tell(offer_words(offer.proposals))
        return offer

    async def find(self, diary: Diary, snapshot: Snapshot, request: OpenWish) -> Offer:
        """Use the tool that the staff chose. If it reports a problem, the staff chooses again.

        If no tool helps, the staff reads the diaries itself.
        """
        if self.variant.scheduling == "reasoning":
            return await self.reason(diary, snapshot, request, "reasoning")
        for _ in range(self.variant.rounds):
            choice = request.choice
            if choice is None:
                return Offer(request, "none", proposals=None)
            if choice.action == "fallback":
                self.staff.history.append(Step(result=SEE_DIARIES))
                break
            if choice.action == "ask":
                return Offer(request, "ask")
            found = find_time(diary, snapshot.now, choice)
            proposals = (as_proposal(diary, found.place),) if found.place is not None else ()
            self.episode.used_tool("staff", choice.action, "read", choice.arguments, proposals, error=found.problem)
            self.staff.history.append(Step(result=found.problem, found=proposals))
            if not found.problem:
                return Offer(request, choice.action, proposals, found.place)
            await self.settle(diary, request, WHICH_TIME, found.problem)
            self.aloud(request)
        return await self.reason(diary, snapshot, request, "fallback")

    async def reason(self, diary: Diary, snapshot: Snapshot, request: OpenWish, via: str) -> Offer:
        """An offer that the staff finds by reading the diaries."""
        new = self.variant.scheduling == "reasoning"
        proposals = await self.staff.reasons(diary, snapshot.now, request.wish_words, again=not new)
        place = read_place(snapshot, proposals) if proposals else None
        return Offer(request, via, proposals, place if isinstance(place, Place) else None)

    def is_right(self, snapshot: Snapshot, offer: Offer) -> bool:
        """Whether the rubric finds no error in an offer. The patient turns down only offers without an error."""
        return offer.place is not None and judge_place(snapshot, offer.request.wish, offer.place).passed

    def conclude(self, diary: Diary, ledger: Ledger, offer: Offer) -> str:
        """Book what was offered, if it can be booked at all."""
        if offer.place is None:
            return "not_booked"
        entry = ledger.book(diary, self.contact.caller, self.record, offer.place, offer.request.wish)
        self.say("patient", THANKS, "closing")
        minutes = entry.length * diary.time.slot_minutes
        waited = diary.time.minute(entry.day, entry.slot) - ledger.now
        self.episode.conclude(AppointmentMade(day=entry.day, minutes=minutes, waited=waited))
        return "booked"

    def tell(self, words: str) -> None:
        """Tell the patient what was found. The staff remembers its own words."""
        self.say("staff", words, "offer")
        self.staff.history.append(Step(text=words))

    def say(self, speaker: str, text: str, phase: str) -> None:
        """Add one spoken line to the transcript."""
        to = "patient" if speaker == "staff" else "staff"
        self.episode.say(speaker, text, to=to, payload=InPhase(phase=phase))
