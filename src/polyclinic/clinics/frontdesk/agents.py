"""The cast: the patient and the desk's staff, each with its own memory of the conversation."""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.frontdesk.prompts import (
    Choice,
    DayDiary,
    IntakeReply,
    PatientBooking,
    PatientCalls,
    PatientIntake,
    PhysicianDiary,
    StaffBooks,
    StaffIntake,
    StaffReasons,
    StaffRecord,
    StaffTurn,
)
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.rules.slots import Wish
from polyclinic.clinics.frontdesk.scenario.schema import Patient
from polyclinic.clinics.frontdesk.scenario.times import clock_text
from polyclinic.clinics.frontdesk.state import Appointment, Diary
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message, assistant, user
from polyclinic.errors import ReplyError

WISH_WORDS = {
    "asap": "the earliest time with any doctor",
    "physician": "the earliest time with a certain doctor",
    "date": "a time from a certain date on",
}


class PatientActor:
    """Knows its own story; of the hospital only what it was told."""

    def __init__(self, episode: Episode, patient: Patient) -> None:
        self._agent, self._patient = episode.agent("patient"), patient
        self._heard: list[Message] = []

    async def answers(self, staff_says: str) -> str:
        """At the intake."""
        patient, person = self._patient, self._patient.person
        prompt = PatientIntake(
            name=person.name,
            sex=person.sex,
            birth_date=person.birth_date,
            phone=person.phone,
            identifier=person.identifier,
            address=person.address,
            diagnosis=patient.disease if patient.knows_diagnosis else "",
            symptoms=patient.symptoms,
            axes=patient.axes,
            staff_says=staff_says,
        )
        return self._remember(staff_says, await self._agent.ask(prompt, history=self._heard))

    async def wishes(self, wish: Wish, rejected: Wish | None, staff_says: str) -> str:
        """States a scheduling wish, after turning down what came of an earlier one where there was one."""
        prompt = PatientBooking(
            axes=self._patient.axes,
            wish=wish.kind,
            physician=wish.physician,
            valid_from=wish.valid_from.isoformat() if wish.valid_from is not None else "",
            rejected=WISH_WORDS[rejected.kind] if rejected is not None else "",
            staff_says=staff_says,
        )
        return await self._agent.ask(prompt)

    async def calls(
        self, intent: Literal["move", "cancel"], about: Patient, diary: Diary, entry: Appointment, staff_says: str
    ) -> str:
        """About an appointment: its own, or the one it claims to be its own."""
        prompt = PatientCalls(
            axes=self._patient.axes,
            intent=intent,
            name=about.person.name,
            physician=diary.plan.physicians[entry.physician].name,
            date=diary.time.date_of(entry.day),
            time=diary.time.time_text(entry.slot),
            staff_says=staff_says,
        )
        return self._remember(staff_says, await self._agent.ask(prompt, history=self._heard))

    def _remember(self, heard: str, said: str) -> str:
        self._heard += [user(heard), assistant(said)]
        return said


class Staff:
    """The tested side: intake, record, choice of tools, and reasoning over diaries."""

    def __init__(self, episode: Episode, departments: tuple[str, ...], rounds: int) -> None:
        self._agent, self._departments, self._rounds = episode.agent("staff"), departments, rounds
        self._dialogue: list[Message] = []
        self._booking: list[Message] = []

    async def takes_in(self, patient_says: str, round: int) -> StaffTurn | None:
        """The next question or the decision; None when the reply stayed unreadable."""
        prompt = StaffIntake(departments=self._departments, rounds=self._rounds, patient_says=patient_says, round=round)
        try:
            turn = await self._agent.ask(prompt, history=self._dialogue)
        except ReplyError:
            return None
        self._dialogue += [user(patient_says), assistant(turn.says)]
        return turn

    async def records(self) -> IntakeReply | None:
        """What is written down after the dialogue; None when it stayed unreadable."""
        try:
            prompt = StaffRecord(departments=self._departments, rounds=self._rounds)
            return await self._agent.ask(prompt, history=self._dialogue)
        except ReplyError:
            return None

    async def chooses(self, diary: Diary, patient_says: str, problem: str = "") -> Choice | None:
        """One step of scheduling; None when the reply stayed unreadable."""
        prompt = StaffBooks(
            department=diary.plan.name,
            physicians=diary.physician_names,
            problem=problem,
            patient_says=patient_says,
        )
        try:
            choice = await self._agent.ask(prompt, history=self._booking)
        except ReplyError:
            return None
        self._booking += [user(patient_says), assistant(choice.question or choice.action)]
        return choice

    async def reasons(self, diary: Diary, now: int, patient_says: str, moving: str = "") -> tuple[Proposal, ...] | None:
        """A time found by reading the diaries; None when the reply stayed unreadable."""
        time = diary.time
        prompt = StaffReasons(
            department=diary.plan.name,
            opens=time.time_text(0),
            closes=clock_text(time.close_minute),
            unit_minutes=time.slot_minutes,
            diaries=readable_diaries(diary),
            now=time.clock(now).isoformat(timespec="minutes"),
            moving=moving,
            patient_says=patient_says,
        )
        try:
            reply = await self._agent.ask(prompt)
        except ReplyError:
            return None
        return tuple(Proposal(**entry.model_dump()) for entry in reply.schedule)


def readable_diaries(diary: Diary) -> tuple[PhysicianDiary, ...]:
    """A department's diaries as occupied stretches of clock time."""
    time = diary.time
    return tuple(
        PhysicianDiary(
            name=physician.name,
            visit_minutes=physician.slots_per_visit * time.slot_minutes,
            workload_percent=round(100 * diary.booked[index] / max(1, diary.capacity[index])),
            days=tuple(
                DayDiary(date=time.date_of(day), occupied=_stretches(diary, bits))
                for day, bits in enumerate(diary.free[index])
            ),
        )
        for index, physician in enumerate(diary.plan.physicians)
    )


def _stretches(diary: Diary, free: int) -> tuple[str, ...]:
    time = diary.time
    spans: list[str] = []
    begins = -1
    for slot in range(time.slots_per_day + 1):
        taken = slot < time.slots_per_day and not free >> slot & 1
        if taken and begins < 0:
            begins = slot
        elif not taken and begins >= 0:
            spans.append(f"{time.time_text(begins)}-{time.time_text(slot)}")
            begins = -1
    return tuple(spans)
