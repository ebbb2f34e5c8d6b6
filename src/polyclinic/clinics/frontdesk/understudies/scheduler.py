"""The staff's understudy at scheduling: chooses a tool by what was said, or reads the diaries hour by hour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from polyclinic.clinics.frontdesk.prompts import (
    Choice,
    PhysicianDiary,
    ProposedTime,
    ReasonedSchedule,
    StaffBooks,
    StaffReasons,
)
from polyclinic.clinics.frontdesk.rules.slots import Wish, wish_of
from polyclinic.clinics.frontdesk.rules.spoken import iso_dates, mentions_name, states_wish
from polyclinic.clinics.frontdesk.scenario.times import read_date, read_minute
from polyclinic.clinics.frontdesk.understudies.clerk import ClerkUnderstudy, listen
from polyclinic.core.understudy import Ask, answers

_CANCEL = re.compile(r"\bcancel\b", re.IGNORECASE)
_MOVE = re.compile(r"\b(move my|earlier time|bring .* forward|resched)", re.IGNORECASE)
_DOCTOR = re.compile(r"\b(Dr\. [^,.;?!]+?)(?= on \d|[,.;?!]|$)")
_Start = tuple[datetime, PhysicianDiary]


class StaffUnderstudy(ClerkUnderstudy):
    """The whole of the desk: intake, tools, and reasoning over diaries."""

    @answers(StaffBooks)
    def books(self, ask: Ask[StaffBooks]) -> Choice:
        """One tool, a question, or the fallback."""
        prompt = ask.prompt
        heard = [message.content for message in ask.messages[:-1] if message.role == "user"] + [prompt.patient_says]
        everything = " ".join(heard)
        if _CANCEL.search(everything) or _MOVE.search(everything):
            return self._existing(ask, heard, "cancel" if _CANCEL.search(everything) else "reschedule")
        if ask.mistake("falls_back"):
            return Choice(action="fallback")
        right = self._new(prompt)
        if right.action == "physician_filter" and ask.mistake("invents_physician"):
            return Choice(action="physician_filter", physician="Dr. Nobody At All")
        return self._wrong(right) if ask.mistake("wrong_tool") and right.action != "ask" else right

    @staticmethod
    def _new(prompt: StaffBooks) -> Choice:
        said = prompt.patient_says
        named = next((name for name in prompt.physicians if mentions_name(name, said)), "")
        doctor = _DOCTOR.search(said)
        dates = iso_dates(said)
        if named or doctor:
            return Choice(action="physician_filter", physician=named or (doctor.group(1) if doctor else ""))
        if dates:
            return Choice(action="date_filter", date=dates[-1])
        if states_wish(Wish(kind="asap"), [said]):
            return Choice(action="get_all_time")
        return Choice(action="ask", question="Would you like a certain doctor, a certain date, or the earliest time?")

    @staticmethod
    def _wrong(right: Choice) -> Choice:
        """A tool that does not fit: a doctor or a date is not heard, the earliest time becomes a far one."""
        return (
            Choice(action="get_all_time")
            if right.action != "get_all_time"
            else Choice(action="date_filter", date="2999-01-01")
        )

    @staticmethod
    def _existing(ask: Ask[StaffBooks], heard: Sequence[str], action: str) -> Choice:
        text = " ".join(heard)
        name = listen(heard).get("name", "")
        doctors, dates = _DOCTOR.findall(text), iso_dates(text)
        if not (name and doctors and dates):
            return Choice(action="ask", question="Could you tell me your full name, the doctor and the date of it?")
        if ask.prompt.problem and len(heard) < 3:
            return Choice(action="ask", question="I cannot find it. Could you check name, doctor and date?")
        day = dates[-1]
        if ask.mistake("wrong_appointment"):
            day = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        return Choice.model_validate(
            {"action": action, "patient_name": name, "physician": doctors[-1].strip(), "date": day}
        )

    @answers(StaffReasons)
    def reasons(self, ask: Ask[StaffReasons]) -> ReasonedSchedule | str:
        """The earliest time, found by walking the diaries."""
        prompt = ask.prompt
        if ask.mistake("garbled_schedule"):
            return "The first slot in the morning would be lovely."
        if ask.mistake("gives_up"):
            return ReasonedSchedule(schedule=[])
        wish = _heard_wish(prompt)
        found = _earliest(prompt, wish)
        if found and ask.mistake("overlooks_gaps"):
            found = _earliest(prompt, wish, gaps=False) or found
        times = [_as_time(*found)] if found else []
        return ReasonedSchedule(schedule=_spoilt(ask, times, wish))


def _heard_wish(prompt: StaffReasons) -> Wish:
    said = prompt.patient_says
    named = next((diary.name for diary in prompt.diaries if mentions_name(diary.name, said)), "")
    if named:
        return Wish(kind="physician", physician=named)
    dates = iso_dates(said)
    return wish_of("date" if dates else "asap", "", read_date(dates[-1]) if dates else None)


def _moment(day: date | str, text: str) -> datetime:
    """The moment that a date and a time of day name; both were written by the prompt or by this understudy."""
    when, minute = read_date(day) if isinstance(day, str) else day, read_minute(text)
    if when is None or minute is None:
        raise ValueError(f"'{day} {text}' is not a date and a time")
    return datetime.combine(when, datetime.min.time()) + timedelta(minutes=minute)


def _free_starts(prompt: StaffReasons, diary: PhysicianDiary, gaps: bool, step: bool = False) -> list[_Start]:
    """The first start of each free stretch that is long enough, day by day; with `step` every start."""
    now = datetime.fromisoformat(prompt.now)
    unit, visit = timedelta(minutes=prompt.unit_minutes), timedelta(minutes=diary.visit_minutes)
    starts: list[_Start] = []
    for entry in diary.days:
        opens, closes = _moment(entry.date, prompt.opens), _moment(entry.date, prompt.closes)
        cursor = opens
        if cursor <= now:
            cursor += ((now - cursor) // unit + 1) * unit
        occupied = [tuple(_moment(entry.date, part) for part in span.split("-")) for span in entry.occupied]
        stretches = [*occupied, (closes, closes)]
        for begins, ends in stretches if gaps else stretches[-1:]:
            if not gaps and occupied:
                cursor = max(cursor, occupied[-1][1])
            while cursor + visit <= begins:
                starts.append((cursor, diary))
                cursor = cursor + unit if step else begins
            cursor = max(cursor, ends)
    return starts


def _earliest(prompt: StaffReasons, wish: Wish, gaps: bool = True) -> _Start | None:
    starts = [
        start
        for diary in prompt.diaries
        if wish.kind != "physician" or diary.name == wish.physician
        for start in _free_starts(prompt, diary, gaps)
        if wish.kind != "date" or wish.valid_from is None or start[0].date() >= wish.valid_from
    ]
    return min(starts, key=lambda start: (start[0], start[1].workload_percent), default=None)


def _as_time(start: datetime, diary: PhysicianDiary) -> ProposedTime:
    end = start + timedelta(minutes=diary.visit_minutes)
    return ProposedTime(physician=diary.name, date=start.date().isoformat(), start=f"{start:%H:%M}", end=f"{end:%H:%M}")


def _spoilt(ask: Ask[StaffReasons], times: list[ProposedTime], wish: Wish) -> list[ProposedTime]:
    """The mistakes that a reasoned time can have, each by its name; none unless asked for."""
    prompt = ask.prompt
    if not times:
        return times
    time = times[0]
    own = next(diary for diary in prompt.diaries if diary.name == time.physician)
    if ask.mistake("two_physicians"):
        return [time, time.model_copy(update={"physician": "Dr. Somebody Else"})]
    if ask.mistake("past_time"):
        return [time.model_copy(update={"date": "1999-01-01"})]
    if ask.mistake("wrong_length"):
        end = _moment(time.date, time.start) + timedelta(minutes=own.visit_minutes + prompt.unit_minutes)
        return [time.model_copy(update={"end": f"{end:%H:%M}"})]
    if ask.mistake("double_books"):
        return [_taken(prompt, own) or time]
    if ask.mistake("wrong_physician") and wish.kind == "physician":
        other = _earliest(_without(prompt, own.name), Wish(kind="asap"))
        return [_as_time(*other)] if other else times
    if ask.mistake("too_early") and wish.kind == "date":
        first = _earliest(prompt, Wish(kind="asap"))
        return [_as_time(*first)] if first else times
    if ask.mistake("late"):
        return [_later(prompt, own, time)]
    return times


def _without(prompt: StaffReasons, name: str) -> StaffReasons:
    return prompt.model_copy(update={"diaries": tuple(diary for diary in prompt.diaries if diary.name != name)})


def _taken(prompt: StaffReasons, own: PhysicianDiary) -> ProposedTime | None:
    """A time that is not free although it lies ahead and within opening hours."""
    now = datetime.fromisoformat(prompt.now)
    for entry in own.days:
        opens = _moment(entry.date, prompt.opens)
        if entry.occupied and opens > now and entry.occupied[0].startswith(prompt.opens):
            return _as_time(opens, own)
    return None


def _later(prompt: StaffReasons, own: PhysicianDiary, time: ProposedTime) -> ProposedTime:
    """A free time of the same physician after the first."""
    begins = _moment(time.date, time.start)
    shifted = begins + timedelta(minutes=prompt.unit_minutes)
    later = [start for start, _ in _free_starts(prompt, own, gaps=True, step=True) if start >= shifted]
    return _as_time(later[0], own) if later else time
