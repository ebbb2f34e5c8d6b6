"""A call about an appointment. If it is the caller's own, it is moved, put on the waiting list, or cancelled."""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.frontdesk.agents import PatientActor, Staff
from polyclinic.clinics.frontdesk.flow.waiting import WaitingList
from polyclinic.clinics.frontdesk.flow.words import FOUND, GREETING, THANKS, WHICH_ONE, moved_words, wish_words
from polyclinic.clinics.frontdesk.prompts.history import Step
from polyclinic.clinics.frontdesk.prompts.replies import Change
from polyclinic.clinics.frontdesk.rules.notes import (
    CalledBack,
    DiarySeen,
    InDepartment,
    InPhase,
)
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal, read_place
from polyclinic.clinics.frontdesk.rules.snapshot import Snapshot, take_snapshot
from polyclinic.clinics.frontdesk.rules.stated import states_intent
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.schema import Contact, Patient
from polyclinic.clinics.frontdesk.scenario.slots import Place, Wish, earlier_place, wish_of
from polyclinic.clinics.frontdesk.tools.desk import NOT_FOUND, as_proposal, own_appointment
from polyclinic.clinics.frontdesk.tools.ledger import Ledger
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.episode import Episode


class CallBack:
    """One call about one appointment."""

    def __init__(
        self,
        episode: Episode,
        contact: Contact,
        variant: DeskVariant,
        intent: Literal["move", "cancel"],
        about: Patient,
        diary: Diary,
        entry: Appointment,
    ) -> None:
        self.episode, self.contact, self.variant, self.intent = episode, contact, variant, intent
        self.about, self.diary, self.entry = about, diary, entry
        self.actor = PatientActor(episode, contact.caller)
        self.staff = Staff(episode, contact.departments)
        self.heard: list[str] = []
        self.rounds = variant.rounds

    async def run(self) -> str:
        """Talk until the staff uses a tool; then use the diary."""
        self.say("staff", GREETING)
        choice = await self.hear(GREETING)
        await self.episode.enter_lane(self.diary.plan.name)
        ledger = Ledger(self.episode, self.contact)
        ledger.tick(self.diary)
        found: Appointment | None = None
        while choice is not None and choice.action != "ask":
            found = self.find(ledger, choice)
            if found is not None or not self.rounds:
                break
            self.say("staff", WHICH_ONE)
            self.staff.history.append(Step(text=WHICH_ONE))
            choice = await self.hear(WHICH_ONE, problem=NOT_FOUND)
        done = ""
        snapshot = take_snapshot(self.diary, ledger.now)
        proposals: tuple[Proposal, ...] | None = ()
        if found is not None and choice is not None and choice.action == "cancel":
            done = await self.cancel(ledger, found)
        elif found is not None:
            done, proposals = await self.move(ledger, found, snapshot)
        met = done == "cancelled" if self.intent == "cancel" else done in ("moved", "waiting")
        stated = met or await states_intent(self.episode.reads, self.intent, self.heard)
        self.note(choice, found, done, snapshot, proposals, stated)
        self.episode.conclude(InDepartment(department=self.diary.plan.name))
        return done or "nothing_done"

    async def hear(self, staff_says: str, problem: str = "") -> Change | None:
        """The caller speaks, and the staff asks back or chooses a tool, while the call has rounds left."""
        choice: Change | None = None
        while self.rounds:
            self.rounds -= 1
            again = bool(self.heard)
            said = await self.actor.calls(self.intent, self.about, self.diary, self.entry, staff_says, again)
            self.say("patient", said)
            self.heard.append(said)
            choice = await self.staff.changes(self.diary, self.contact.minute, said, problem)
            if choice is None or (choice.action != "ask" and choice.patient_name.strip()):
                return choice
            # without a name no appointment can be found, so a tool called without one is a question
            staff_says, problem = choice.question or WHICH_ONE, ""
            self.say("staff", staff_says)
        return choice

    def find(self, ledger: Ledger, choice: Change) -> Appointment | None:
        """The caller's own appointment if it fits the description, otherwise None."""
        caller = self.contact.caller
        held = ledger.state.diary_of(caller.id)
        own = held[1] if held is not None and held[0] is self.diary else None
        found = own_appointment(self.diary, ledger.now, caller.id, caller.person.name, choice, own)
        result = {"appointment": found.id} if found is not None else None
        self.episode.used_tool(
            "staff", choice.action, "write", choice.arguments, result, error="" if found is not None else NOT_FOUND
        )
        self.staff.history.append(Step(result=NOT_FOUND if found is None else FOUND))
        return found

    async def cancel(self, ledger: Ledger, found: Appointment) -> str:
        """Cancel the appointment. Its time becomes free and is offered to the waiting list."""
        await WaitingList(self.episode, self.contact, self.variant, ledger, ledger.cancel(self.diary, found)).walk()
        self.say("staff", "Your appointment is cancelled.")
        self.say("patient", THANKS)
        return "cancelled"

    async def move(
        self, ledger: Ledger, found: Appointment, snapshot: Snapshot
    ) -> tuple[str, tuple[Proposal, ...] | None]:
        """Move the appointment to an earlier time that fits the same wish; if there is none, join the waiting list."""
        place = earlier_place(self.diary, ledger.now, found)
        proposals: tuple[Proposal, ...] | None = ()
        if self.variant.scheduling == "reasoning":
            words = wish_words(self.booked_wish(found))
            proposals = await self.staff.reasons(
                self.diary, ledger.now, words, moving=self.diary.time.start_text(found.day, found.slot), again=True
            )
            place = self.reasoned_place(snapshot, found, proposals)
            if proposals is None:
                return "", None
        elif place is not None:
            proposals = (as_proposal(self.diary, place),)
        if place is None:
            ledger.wait(self.diary, found)
            self.say("staff", "Nothing earlier is free. I have put you on the waiting list.")
            self.say("patient", THANKS)
            return "waiting", proposals
        ledger.move(self.diary, found, place)
        self.say("staff", moved_words(as_proposal(self.diary, place)))
        self.say("patient", THANKS)
        return "moved", proposals

    @staticmethod
    def reasoned_place(snapshot: Snapshot, found: Appointment, proposals: tuple[Proposal, ...] | None) -> Place | None:
        """The proposed place if it can be booked and is earlier than the patient's appointment."""
        place = read_place(snapshot, proposals) if proposals else None
        if not isinstance(place, Place) or (place.day, place.slot) >= (found.day, found.slot):
            return None
        return place

    def booked_wish(self, entry: Appointment) -> Wish:
        """The wish that an appointment was booked for."""
        physician = self.diary.plan.physicians[entry.physician].name
        return wish_of(entry.preference, physician, self.diary.time.date_of(entry.valid_from_day))

    def note(
        self,
        choice: Change | None,
        found: Appointment | None,
        done: str,
        snapshot: Snapshot,
        proposals: tuple[Proposal, ...] | None,
        stated: bool,
    ) -> None:
        """Note what the rubric needs."""
        self.episode.note(DiarySeen(snapshot=snapshot))
        self.episode.note(
            CalledBack(
                wanted=self.intent,
                appointment=self.entry.id,
                found=found.id if found is not None else "",
                tool=choice.action if choice is not None else "",
                done=done,
                wish=self.booked_wish(self.entry),
                proposals=proposals,
                old_start=(self.entry.day, self.entry.slot),
                physician=self.diary.plan.physicians[self.entry.physician].name,
                date=self.diary.time.date_of(self.entry.day),
                stated=stated,
            )
        )

    def say(self, speaker: str, text: str) -> None:
        """Add one spoken line to the transcript."""
        to = "patient" if speaker == "staff" else "staff"
        self.episode.say(speaker, text, to=to, payload=InPhase(phase="event"))
