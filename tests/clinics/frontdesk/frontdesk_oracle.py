"""A second opinion on bookings, written without the clinic's rules: plain datetimes, minute by minute, no bit tricks.

It keeps its own diary as a set of taken minutes per physician, scans every start of the grid, and judges a proposed
time by checking the criteria one after the other. It is slow and obvious on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any


@dataclass
class Doc:
    name: str
    visit: timedelta
    clinic_days: set[date]
    capacity: int
    taken: set[datetime] = field(default_factory=set)
    visits: int = 0


@dataclass
class Visit:
    doc: Doc
    start: datetime
    kind: str
    wanted_doc: str
    wanted_from: date | None


@dataclass
class Oracle:
    opens: time
    closes: time
    step: timedelta
    dates: list[date]
    docs: list[Doc]
    visits: dict[str, Visit] = field(default_factory=dict)
    queue: list[str] = field(default_factory=list)

    def free_at(self, doc: Doc, start: datetime) -> bool:
        if start.date() not in doc.clinic_days or start.time() < self.opens:
            return False
        end = start + doc.visit
        if end > datetime.combine(start.date(), self.closes):
            return False
        moment = start
        while moment < end:
            if moment in doc.taken:
                return False
            moment += timedelta(minutes=1)
        return True

    @cached_property
    def grid(self) -> list[datetime]:
        moments = []
        for day in self.dates:
            moment = datetime.combine(day, self.opens)
            while moment < datetime.combine(day, self.closes):
                moments.append(moment)
                moment += self.step
        return moments

    def best(self, now: datetime, kind: str, wanted_doc: str, wanted_from: date | None) -> tuple[Doc, datetime] | None:
        for moment in self.grid:
            if moment <= now or (kind == "date" and wanted_from is not None and moment.date() < wanted_from):
                continue
            able = [d for d in self.docs if (kind != "physician" or d.name == wanted_doc) and self.free_at(d, moment)]
            if able:
                return min(able, key=lambda d: (Fraction(d.visits, d.capacity), self.docs.index(d))), moment
        return None

    def take(self, name: str, doc: Doc, start: datetime, kind: str, wanted_doc: str, wanted_from: date | None) -> None:
        assert self.free_at(doc, start), "the oracle was told to double-book"
        self._mark(doc, start, True)
        self.visits[name] = Visit(doc, start, kind, wanted_doc, wanted_from)

    def _mark(self, doc: Doc, start: datetime, on: bool) -> None:
        moment = start
        while moment < start + doc.visit:
            (doc.taken.add if on else doc.taken.remove)(moment)
            moment += timedelta(minutes=1)
        doc.visits += 1 if on else -1

    def shift(self, name: str, now: datetime) -> bool:
        """Move a visit earlier if an earlier time fits the patient's wish; return whether it moved."""
        visit = self.visits[name]
        wanted = visit.doc.name if visit.kind == "physician" else ""
        found = self.best(now, visit.kind, wanted, visit.wanted_from)
        if found is None or found[1] >= visit.start:
            return False
        self._mark(visit.doc, visit.start, False)
        self._mark(found[0], found[1], True)
        self.visits[name] = Visit(found[0], found[1], visit.kind, visit.wanted_doc, visit.wanted_from)
        return True

    def ask_earlier(self, name: str, now: datetime) -> str:
        if self.shift(name, now):
            return "moved"
        if name not in self.queue:
            self.queue.append(name)
        return "waiting"

    def drop(self, name: str, now: datetime) -> list[str]:
        """Cancel a visit; then let everyone on the waiting list try once, in order. Those who moved leave the list."""
        visit = self.visits.pop(name)
        self._mark(visit.doc, visit.start, False)
        self.queue = [waiting for waiting in self.queue if waiting != name]
        moved = [
            waiting for waiting in list(self.queue) if self.visits[waiting].start > now and self.shift(waiting, now)
        ]
        self.queue = [waiting for waiting in self.queue if waiting not in moved]
        return moved

    def verdict(
        self, now: datetime, kind: str, wanted_doc: str, wanted_from: date | None, answers: list[dict[str, str]]
    ) -> str:
        """The error code of a proposed time, or "" without an error."""
        if len({answer["physician"] for answer in answers}) > 1:
            return "PC"
        answer = answers[0]
        doc = next((d for d in self.docs if d.name == answer["physician"]), None)
        try:
            start = datetime.fromisoformat(f"{answer['date']}T{answer['start']}:00")
            end = datetime.fromisoformat(f"{answer['date']}T{answer['end']}:00")
        except ValueError:
            return "IVS"
        if doc is None or start.date() not in self.dates or start >= end or start <= now:
            return "IVS"
        if start.time() < self.opens or end.time() > self.closes:
            return "IVS"
        opening = datetime.combine(start.date(), self.opens)
        if (start - opening) % self.step or (end - opening) % self.step:
            return "IVS"
        if end - start != doc.visit:
            return "WD"
        if not self.free_at(doc, start):
            return "TC"
        if kind == "physician" and doc.name != wanted_doc:
            return "IP"
        if kind == "date" and wanted_from is not None and start.date() < wanted_from:
            return "IDT"
        found = self.best(now, kind, wanted_doc, wanted_from)
        return "NET" if found is not None and found[1] < start else ""

    def event_verdict(
        self, now: datetime, name: str, wanted: str, found: str, done: str, answers: list[dict[str, str]] | None
    ) -> str:
        """The error code of a call about the visit with this name, before anything has changed."""
        if found != name:
            return "FI"
        if wanted == "cancel":
            return "" if done == "cancelled" else "IS"
        if answers is None:
            return "IF"
        visit = self.visits[name]
        wanted_doc = visit.doc.name if visit.kind == "physician" else ""
        if answers:
            return self.verdict(now, visit.kind, wanted_doc, visit.wanted_from, answers)
        if done not in ("moved", "waiting"):
            return "IS"
        earliest = self.best(now, visit.kind, wanted_doc, visit.wanted_from)
        return "NET" if earliest is not None and earliest[1] < visit.start else ""


def oracle_for(diary: Any) -> Oracle:
    """The oracle's own copy of a department: it takes over the plan and the clock, but no rule."""
    clock = diary.time
    docs = []
    for physician in diary.plan.physicians:
        days = {clock.start_date + timedelta(days=day) for day in physician.working_days}
        hours = (clock.close_minute - clock.open_minute) // 60
        doc = Doc(
            physician.name,
            timedelta(minutes=60 // physician.capacity_per_hour),
            days,
            physician.capacity_per_hour * hours * len(days),
        )
        for day, first, length in physician.busy:
            begins = datetime.combine(clock.start_date, time()) + timedelta(
                days=day, minutes=clock.open_minute + first * clock.slot_minutes
            )
            doc.taken |= {begins + timedelta(minutes=minute) for minute in range(length * clock.slot_minutes)}
        docs.append(doc)
    return Oracle(
        time(clock.open_minute // 60),
        time(clock.close_minute // 60),
        timedelta(minutes=clock.slot_minutes),
        [clock.start_date + timedelta(days=day) for day in range(clock.days)],
        docs,
    )
