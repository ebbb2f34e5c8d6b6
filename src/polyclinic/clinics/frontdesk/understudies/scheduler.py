"""The staff's understudy at scheduling: chooses a tool by what was said, or reads the diaries hour by hour."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from polyclinic.clinics.frontdesk.prompts.replies import Change, Choice, FoundTime
from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks, StaffChanges, StaffReasons
from polyclinic.clinics.frontdesk.prompts.views import PhysicianDiary
from polyclinic.clinics.frontdesk.readings import INTENT, INTENTS, WISH, WISHES
from polyclinic.clinics.frontdesk.scenario.diary import plain_name
from polyclinic.clinics.frontdesk.scenario.slots import Wish, wish_of
from polyclinic.clinics.frontdesk.scenario.times import ClockTime
from polyclinic.clinics.frontdesk.understudies.clerk import ClerkUnderstudy
from polyclinic.clinics.frontdesk.understudies.hearing import listen
from polyclinic.clinics.frontdesk.understudies.voice import line
from polyclinic.core.understudy import Ask, answers
from polyclinic.text.dates import dates_in
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.phrases import stands_in
from polyclinic.text.sentences import SENTENCE_START

_SOON = WISH.ask(wish=WISHES["asap"])
_ANYBODY = WISH.ask(wish=WISHES["no_preference"])
_THIS_DOCTOR = WISH.ask(wish=WISHES["physician"])
_NOT_THIS_DOCTOR = WISH.ask(wish=WISHES["not_physician"])
_CANCEL = INTENT.ask(intent=INTENTS["cancel"])
_NEXT = lazy_pattern(r"\b(?:earliest|soonest|next (?:opening|slot|time)|right away|straight away)\b", re.IGNORECASE)
_GIVES_UP = lazy_pattern(r"\b(?:cancel|call(?:ing)? (?:it |this )?off|give (?:it|this) up)", re.IGNORECASE)
_SOONER = lazy_pattern(r"\b(?:sooner|earlier|move|forward)\b", re.IGNORECASE)
_ASKS_FOR = lazy_pattern(rf"(?:\b(?:I would|I['’]d) like to see|{SENTENCE_START}Could it be) $")
"""A doctor who is named right after these words is wished for; the reader need not be asked."""
_Start = tuple[datetime, PhysicianDiary]


class StaffUnderstudy(ClerkUnderstudy):
    """Plays the whole desk: intake, tools, and reasoning over diaries."""

    @answers(StaffBooks)
    def books(self, ask: Ask[StaffBooks]) -> Choice:
        """One tool, a question, or the fallback."""
        if ask.mistake("falls_back"):
            return Choice(action="fallback")
        right = self._new(ask)
        if right.action == "physician_filter" and ask.mistake("forgets_physician"):
            return Choice(action="physician_filter")
        return self._wrong(ask.prompt, right) if ask.mistake("wrong_tool") and right.action != "ask" else right

    @staticmethod
    def _new(ask: Ask[StaffBooks]) -> Choice:
        prompt, said = ask.prompt, ask.prompt.patient_says
        named = _doctor(prompt.physicians, said)
        if named:
            avoids = (
                not _ASKS_FOR.search(said.partition(named)[0])
                and ask.understands(said, _NOT_THIS_DOCTOR)
                and not ask.understands(said, _THIS_DOCTOR)
            )
            return Choice(action="fallback") if avoids else Choice(action="physician_filter", physician=named)
        dates = dates_in(said)
        if dates and dates[-1] in prompt.days:
            return Choice(action="date_filter", date=dates[-1].isoformat())
        if _NEXT.search(said) or ask.understands(said, _SOON) or ask.understands(said, _ANYBODY):
            return Choice(action="get_all_time")
        return Choice(action="ask", question=line(prompt.voice, "staff", "asks_wish"))

    @staticmethod
    def _wrong(prompt: StaffBooks, right: Choice) -> Choice:
        """A tool that does not fit.

        It ignores a doctor or a date, and takes the last day instead of the earliest time.
        """
        if right.action != "get_all_time":
            return Choice(action="get_all_time")
        return Choice(action="date_filter", date=prompt.days[-1].isoformat())

    @answers(StaffChanges)
    def changes(self, ask: Ask[StaffChanges]) -> Change:
        """Move or cancel the appointment once it is clear which one is meant; ask until then."""
        prompt = ask.prompt
        heard = [message.content for message in ask.messages[:-1] if message.role == "user"] + [prompt.patient_says]
        text = " ".join(heard)
        name, doctor = listen(heard).get("name", ""), _doctor(prompt.physicians, text)
        dates = dates_in(text) if name and doctor else []
        if not dates:
            return Change(action="ask", question=line(prompt.voice, "staff", "asks_which"))
        if prompt.problem and len(heard) < 3:
            return Change(action="ask", question=line(prompt.voice, "staff", "asks_again"))
        day = dates[-1]
        if ask.mistake("wrong_appointment"):
            day += timedelta(days=1 if day + timedelta(days=1) in prompt.days else -1)
        cancels = bool(_GIVES_UP.search(text)) or (not _SOONER.search(text) and ask.understands(text, _CANCEL))
        return Change(
            action="cancel" if cancels else "reschedule", patient_name=name, physician=doctor, date=day.isoformat()
        )

    @answers(StaffReasons)
    def reasons(self, ask: Ask[StaffReasons]) -> FoundTime | str:
        """The earliest time, found by going through the diaries."""
        prompt = ask.prompt
        if ask.mistake("garbled_schedule"):
            return line(prompt.voice, "staff", "garbled_time")
        if ask.mistake("gives_up"):
            return FoundTime()
        wish = _heard_wish(prompt)
        found = _earliest(prompt, wish)
        if found and ask.mistake("overlooks_gaps"):
            found = _earliest(prompt, wish, gaps=False) or found
        return _written(ask, found, wish) if found else FoundTime()


def _doctor(physicians: Iterable[str], text: str) -> str:
    """The first of these physicians who is named in full."""
    said = plain_name(text)
    return next((name for name in physicians if stands_in(plain_name(name), said, hyphens=True)), "")


def _heard_wish(prompt: StaffReasons) -> Wish:
    said = prompt.patient_says
    named = _doctor((diary.name for diary in prompt.diaries), said)
    if named:
        return Wish(kind="physician", physician=named)
    dates = dates_in(said)
    return wish_of("date" if dates else "asap", "", dates[-1] if dates else None)


def _free_starts(prompt: StaffReasons, diary: PhysicianDiary, gaps: bool, step: bool = False) -> list[_Start]:
    """The first start of each free period that is long enough, day by day; with `step` every start."""
    now = prompt.clock.now
    unit, visit = timedelta(minutes=prompt.unit_minutes), timedelta(minutes=diary.visit_minutes)
    starts: list[_Start] = []
    for entry in diary.days:
        opens, closes = prompt.opens.on(entry.date), prompt.closes.on(entry.date)
        cursor = opens
        if cursor <= now:
            cursor += ((now - cursor) // unit + 1) * unit
        occupied = [(taken.begins.on(entry.date), taken.ends.on(entry.date)) for taken in entry.occupied]
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


def _found_time(physician: str, start: datetime, minutes: int) -> FoundTime:
    end = ClockTime.of_moment(start + timedelta(minutes=minutes))
    return FoundTime(
        physician=physician, date=start.date().isoformat(), start=str(ClockTime.of_moment(start)), end=str(end)
    )


def _written(ask: Ask[StaffReasons], right: _Start, wish: Wish) -> FoundTime:
    """The time as the staff writes it, with the mistake that was asked for by name, if one was."""
    start, diary = right
    others = [other.name for other in ask.prompt.diaries if other.name != diary.name]
    if ask.mistake("two_physicians"):
        return _found_time(" and ".join([diary.name, *others[:1]]), start, diary.visit_minutes)
    if ask.mistake("closed_hours"):
        start = ask.prompt.opens.on(start.date()) - timedelta(minutes=diary.visit_minutes)
    elif ask.mistake("wrong_length"):
        return _found_time(diary.name, start, diary.visit_minutes + ask.prompt.unit_minutes)
    else:
        start, diary = _spoilt(ask, right, wish) or right
    return _found_time(diary.name, start, diary.visit_minutes)


def _spoilt(ask: Ask[StaffReasons], right: _Start, wish: Wish) -> _Start | None:
    """Another start, if a mistake was asked for by name and such a start exists."""
    prompt, (start, own) = ask.prompt, right
    if ask.mistake("double_books"):
        return _taken(prompt, own)
    if ask.mistake("wrong_physician") and wish.kind == "physician":
        return _earliest(_without(prompt, own.name), Wish(kind="asap"))
    if ask.mistake("too_early") and wish.kind == "date":
        return _earliest(prompt, Wish(kind="asap"))
    if ask.mistake("late"):
        shifted = start + timedelta(minutes=prompt.unit_minutes)
        return next((later for later in _free_starts(prompt, own, gaps=True, step=True) if later[0] >= shifted), None)
    return None


def _without(prompt: StaffReasons, name: str) -> StaffReasons:
    return prompt.model_copy(update={"diaries": tuple(diary for diary in prompt.diaries if diary.name != name)})


def _taken(prompt: StaffReasons, own: PhysicianDiary) -> _Start | None:
    """A time that is taken, in the future and within opening hours."""
    for entry in own.days:
        opens = prompt.opens.on(entry.date)
        if entry.occupied and opens > prompt.clock.now and entry.occupied[0].begins == prompt.opens:
            return opens, own
    return None
