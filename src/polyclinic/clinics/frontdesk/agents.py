"""The cast: the patient and the desk's staff, each with its own memory of the conversation."""

from __future__ import annotations

from typing import Literal, TypeVar

from polyclinic.clinics.frontdesk.prompts.history import Step, as_messages
from polyclinic.clinics.frontdesk.prompts.intake import StaffIntake, StaffRecord
from polyclinic.clinics.frontdesk.prompts.patient import PatientBooking, PatientCalls, PatientIntake
from polyclinic.clinics.frontdesk.prompts.replies import Change, Choice, IntakeReply
from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks, StaffChanges, StaffReasons
from polyclinic.clinics.frontdesk.prompts.views import (
    VOICES,
    DayDiary,
    DeskClock,
    PhysicianDiary,
    TakenPeriod,
    Topic,
    Voice,
)
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.scenario.diary import Appointment, Diary
from polyclinic.clinics.frontdesk.scenario.diseases import department_lines, spoken_names
from polyclinic.clinics.frontdesk.scenario.schema import Patient
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.clinics.frontdesk.scenario.times import ClockTime
from polyclinic.core.agent import Answer
from polyclinic.core.episode import Episode
from polyclinic.core.memory import RememberedLine
from polyclinic.core.message import Message, assistant, user
from polyclinic.core.part import Part, answer_in_part
from polyclinic.core.prompt import Prompt
from polyclinic.core.services import Services
from polyclinic.errors import ConfigError, ReplyError

R = TypeVar("R")
D = TypeVar("D", Choice, Change)
WISH_WORDS = {
    "asap": "the earliest time with any doctor",
    "physician": "the earliest time with a certain doctor",
    "date": "a time from a certain date on",
}


def voice_of(services: Services) -> Voice:
    """Return the set of sentences that the understudies use, as chosen by the setting ``voice``."""
    name = services.options.get("voice", VOICES[0])
    if name not in VOICES:
        raise ConfigError(f"--set voice={name}: there is no such voice; there are {' and '.join(VOICES)}")
    return _VOICES[name]


_VOICES = {name: Voice(name=name) for name in VOICES}


class PatientActor:
    """Plays the patient. It knows its own story. About the hospital it knows only what the staff has said.

    Its replies are checked, so that it stays in its role.
    """

    def __init__(self, episode: Episode, patient: Patient) -> None:
        self._episode, self._agent, self._patient = episode, episode.agent("patient"), patient
        self._voice = voice_of(episode.services)
        self._heard: list[Message] = []
        self._hidden = () if patient.knows_diagnosis else spoken_names(patient.disease)

    async def answers(self, staff_says: str) -> str:
        """The patient's answer to the staff at the intake."""
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
            others=patient.others,
            companion=patient.companion,
            speaker=patient.companion_name,
            axes=patient.axes,
            staff_says=staff_says,
            first=not self._heard,
            voice=self._voice,
        )
        return await self._says(prompt, staff_says)

    async def wishes(self, wish: Wish, rejected: Wish | None, staff_says: str) -> str:
        """What the patient says to state a wish for a time. If `rejected` is given, it first turns down that offer."""
        prompt = PatientBooking(
            name=self._patient.person.name,
            axes=self._patient.axes,
            wish=wish.kind,
            physician=wish.physician,
            valid_from=wish.valid_from.isoformat() if wish.valid_from is not None else "",
            rejected=WISH_WORDS[rejected.kind] if rejected is not None else "",
            staff_says=staff_says,
            voice=self._voice,
        )
        return await self._says(prompt, staff_says, remembers=False)

    async def calls(
        self,
        intent: Literal["move", "cancel"],
        about: Patient,
        diary: Diary,
        entry: Appointment,
        staff_says: str,
        again: bool,
    ) -> str:
        """What the patient says when it calls about an appointment: its own, or one that it claims is its own. `again`:
        it has spoken before.
        """
        prompt = PatientCalls(
            axes=self._patient.axes,
            intent=intent,
            name=about.person.name,
            physician=diary.plan.physicians[entry.physician].name,
            date=diary.time.date_of(entry.day),
            time=str(diary.time.clock_time(entry.slot)),
            staff_says=staff_says,
            again=again,
            voice=self._voice,
        )
        return await self._says(prompt, staff_says)

    async def _says(self, prompt: Prompt[str], heard: str, *, remembers: bool = True) -> str:
        """Get one reply that stays in the role.

        With `remembers=False` the prompt does not hold the earlier dialogue. An interpreter speaks of the patient, and
        the reader would take this for somebody who speaks of themselves, and a caller's name, doctor and date for a
        form. So only the exact rules decide there.
        """
        interprets = self._patient.companion == "interpreter"
        part = Part(
            who="the patient",
            own=() if interprets else ("patient",),
            others=("clerk", "staff"),
            said=heard,
            hidden=self._hidden,
            reads=not (interprets or isinstance(prompt, PatientCalls)),
            sex="" if self._patient.companion else self._patient.person.sex,
        )
        history = self._heard if remembers else ()
        answer = await answer_in_part(self._episode, self._agent, prompt, part, history=history)
        if remembers:
            self._heard += [user(f'The clerk says: "{heard}"'), assistant(answer.value)]
        return answer.value


class Staff:
    """Plays the staff, which is the tested side: intake, form, choice of tools, and reasoning over diaries.

    A method returns None when the model's reply could not be read even after retries.
    """

    def __init__(self, episode: Episode, departments: tuple[str, ...]) -> None:
        self._agent, self._departments = episode.agent("staff"), departments
        self._voice = voice_of(episode.services)
        self._dialogue: list[Message] = []
        self.history: list[Step] = []

    @property
    def is_person(self) -> bool:
        """Whether a person sits at the desk."""
        return self._agent.is_person

    async def fills_in(self, dialogue: tuple[RememberedLine, ...], *, must_decide: bool) -> IntakeReply | None:
        """The form, filled in from what was said so far."""
        prompt = StaffRecord(
            departments=self._departments,
            department_lines=department_lines(self._departments),
            dialogue=dialogue,
            must_decide=must_decide,
            voice=self._voice,
        )
        answer = await self._answers(prompt, [])
        return answer.value if answer is not None else None

    async def asks(
        self, patient_says: str, topic: Topic, known: tuple[str, ...], missing: tuple[str, ...]
    ) -> str | None:
        """The next question of the intake."""
        prompt = StaffIntake(known=known, missing=missing, topic=topic, patient_says=patient_says, voice=self._voice)
        answer = await self._answers(prompt, self._dialogue)
        if answer is None:
            return None
        self._dialogue += [user(f'The patient says: "{patient_says}"'), assistant(answer.value)]
        return answer.value

    async def chooses(
        self, diary: Diary, now: int, name: str, patient_says: str, problem: str = "", *, again: bool = False
    ) -> Choice | None:
        """One step of booking a first appointment: a tool, a question or the fallback.

        With `again`, the patient said these words before the last step.
        """
        prompt = StaffBooks(
            department=diary.plan.name,
            physicians=diary.physician_names,
            days=diary.time.dates,
            today=diary.time.today_text(now),
            patient_name=name,
            problem=problem,
            patient_says=patient_says,
            voice=self._voice,
        )
        answer = await self._answers(prompt, as_messages(self.history))
        return self._remembers("" if again else patient_says, answer)

    async def changes(self, diary: Diary, now: int, caller_says: str, problem: str = "") -> Change | None:
        """One step of a call about an existing appointment: a tool or a question."""
        prompt = StaffChanges(
            department=diary.plan.name,
            physicians=diary.physician_names,
            days=diary.time.dates,
            today=diary.time.today_text(now),
            problem=problem,
            patient_says=caller_says,
            voice=self._voice,
        )
        answer = await self._answers(prompt, as_messages(self.history))
        return self._remembers(caller_says, answer)

    async def reasons(
        self, diary: Diary, now: int, patient_says: str, moving: str = "", *, again: bool = False
    ) -> tuple[Proposal, ...] | None:
        """The time that the staff finds by reading the diaries. With `again`, it has heard the patient already."""
        time = diary.time
        prompt = StaffReasons(
            department=diary.plan.name,
            opens=time.clock_time(0),
            closes=ClockTime(time.close_minute),
            unit_minutes=time.slot_minutes,
            diaries=readable_diaries(diary),
            now=time.clock(now).isoformat(timespec="minutes"),
            moving=moving,
            patient_says=patient_says,
            clock=DeskClock(now=time.clock(now)),
            voice=self._voice,
        )
        answer = await self._answers(prompt, as_messages(self.history))
        if answer is None:
            return None
        if not again:
            self.history.append(Step(heard=patient_says))
        self.history.append(Step(text=answer.call.text))
        found = answer.value
        return tuple(
            Proposal(physician=name, date=found.date, start=found.start, end=found.end) for name in found.physicians()
        )

    async def _answers(self, prompt: Prompt[R], history: list[Message]) -> Answer[R] | None:
        try:
            return await self._agent.answer(prompt, history)
        except ReplyError:
            return None

    def _remembers(self, heard: str, answer: Answer[D] | None) -> D | None:
        """Add this step to the history that the next step sees, and return its value. `heard` is empty if nothing new
        was said.
        """
        if answer is None:
            return None
        if heard:
            self.history.append(Step(heard=heard))
        called = bool(answer.call.tool_calls)
        self.history.append(Step(chose=answer.value, text=answer.call.text, by_call=called))
        return answer.value


def readable_diaries(diary: Diary) -> tuple[PhysicianDiary, ...]:
    """A department's diaries, each as the periods of clock time that are taken."""
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


def _stretches(diary: Diary, free: int) -> tuple[TakenPeriod, ...]:
    time = diary.time
    spans: list[TakenPeriod] = []
    begins = -1
    for slot in range(time.slots_per_day + 1):
        taken = slot < time.slots_per_day and not free >> slot & 1
        if taken and begins < 0:
            begins = slot
        elif not taken and begins >= 0:
            spans.append(TakenPeriod(begins=time.clock_time(begins), ends=time.clock_time(slot)))
            begins = -1
    return tuple(spans)
