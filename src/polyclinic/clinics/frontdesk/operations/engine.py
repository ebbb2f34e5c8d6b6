"""One trial of one setting: the calls, the book, the clinic days. Nobody speaks, and nobody makes mistakes.

The rules are the same as at the desk of a whole run. A patient gets the earliest time that fits the wish, and is turned
away if there is no such time within the horizon. A trial also has what a run does not have: overbooking, urgent slots,
walk-ins, sessions that the hospital cancels, consultations of varying length, and a desk at which callers wait.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from polyclinic.clinics.frontdesk.operations.book import AFTERNOON, Book, Spot
from polyclinic.clinics.frontdesk.operations.demand import DESK_MINUTES, VisitRequest
from polyclinic.clinics.frontdesk.operations.queues import waits
from polyclinic.clinics.frontdesk.operations.setting import WEEKEND, WORKDAYS, Setting

_Key = tuple[int, int, int]
_Event = tuple[int, float, int, VisitRequest, Spot | None]


@dataclass
class Tally:
    """What is counted during the measured weeks."""

    waits_days: dict[int, float] = field(default_factory=dict)
    """Days to the appointment that a patient has in the end, by the request's `id()`."""
    urgent_days: dict[int, float] = field(default_factory=dict)
    in_clinic: list[float] = field(default_factory=list)
    walk_in_waits: list[float] = field(default_factory=list)
    desk_waits: list[float] = field(default_factory=list)
    overtime: float = 0.0
    busy: float = 0.0
    open: float = 0.0
    asked: int = 0
    turned_away: int = 0
    visits: int = 0
    stayed_away: int = 0
    rebooked: int = 0
    left: int = 0


def simulate(setting: Setting, requests: Sequence[VisitRequest], draw: random.Random) -> dict[str, float]:
    """Run one trial and return its figures."""
    return figures(setting, Trial(setting, requests, draw).run())


class Trial:
    """One department over all its weeks."""

    def __init__(self, setting: Setting, requests: Sequence[VisitRequest], draw: random.Random) -> None:
        self.setting, self.requests = setting, requests
        self.book, self.tally = Book(setting), Tally()
        self.booked: dict[_Key, list[tuple[Spot, VisitRequest]]] = {key: [] for key in self.book.sessions}
        self.cancelled = {key for key in self.book.sessions if draw.random() < setting.hospital_cancel}
        self.first_day = WORKDAYS * setting.warm_up
        self.ahead: list[_Event] = []

    def run(self) -> Tally:
        """Run all days. Each day: sessions that the hospital cancels, then the day's calls, then its clinics."""
        by_day: list[list[VisitRequest]] = [[] for _ in range(self.setting.days)]
        for request in self.requests:
            by_day[request.day].append(request)
        for day, today in enumerate(by_day):
            self.close_sessions(day + 1)
            self.calls(day, today)
            if day >= self.first_day:
                self.desk(today)
                self.clinics(day, [request for request in today if request.walk_in])
        return self.tally

    def measured(self, request: VisitRequest) -> bool:
        """Whether this patient asked in one of the measured weeks."""
        return request.day >= self.first_day

    def close_sessions(self, day: int) -> None:
        """Cancel sessions of the next day with the setting's rate. Their patients get the earliest other time, or are
        turned away if there is none.
        """
        for key in [key for key in self.cancelled if key[0] == day]:
            self.book.close(key)
            for _, request in self.booked.pop(key):
                spot = self.book.earliest(day - 1, DESK_MINUTES, first=day, urgent=True)
                if spot is None:
                    self.tally.turned_away += self.measured(request)
                    self.tally.waits_days.pop(id(request), None)
                    self.tally.urgent_days.pop(id(request), None)
                else:
                    self.tally.rebooked += self.measured(request)
                    self.put(spot, request)
                    self.waits(spot, request)

    def calls(self, day: int, today: Sequence[VisitRequest]) -> None:
        """Handle the day's first calls and cancellations in order of time."""
        for request in today:
            if not request.walk_in:
                self.cancellations(day, request.minute)
                self.ask(request)
        self.cancellations(day, DESK_MINUTES)

    def ask(self, request: VisitRequest) -> None:
        """Book the earliest time that fits the patient's wish, or turn the patient away."""
        setting = self.setting
        urgent = request.urgency < setting.urgent
        physician = int(request.who * setting.physicians) if request.wish < setting.wants_physician else None
        wants_date = setting.wants_physician <= request.wish < setting.wants_physician + setting.wants_date
        first = request.day + (1 + int(request.later * WORKDAYS) if wants_date else 0)
        if urgent:
            physician, first = None, request.day
        spot = self.book.earliest(request.day, request.minute, first=first, urgent=urgent, physician=physician)
        counts = self.measured(request)
        self.tally.asked += counts
        if spot is None:
            self.tally.turned_away += counts
            return
        self.put(spot, request)
        self.waits(spot, request)
        if request.cancels < setting.cancel:
            ahead = spot.day - request.day
            when = request.day + int(request.when * (ahead + 1))
            minute = request.minute if when == request.day else request.when * DESK_MINUTES
            heappush(self.ahead, (when, minute, len(self.ahead), request, spot))

    def put(self, spot: Spot, request: VisitRequest) -> None:
        """Enter an appointment into the book."""
        self.book.take(spot)
        self.booked[spot.day, spot.half, spot.physician].append((spot, request))

    def waits(self, spot: Spot, request: VisitRequest) -> None:
        """Keep how long a patient waits. A later booking replaces an earlier one."""
        if self.measured(request):
            waited = waited_days(request, spot, self.setting)
            self.tally.waits_days[id(request)] = waited
            if request.urgency < self.setting.urgent:
                self.tally.urgent_days[id(request)] = waited

    def cancellations(self, day: int, minute: float) -> None:
        """Take out patients who have cancelled by this moment. A place in the future becomes free again."""
        while self.ahead and self.ahead[0][:2] <= (day, minute):
            _, _, _, request, spot = heappop(self.ahead)
            if spot is None:
                continue
            entries = self.booked.get((spot.day, spot.half, spot.physician), [])
            if (spot, request) in entries and (spot.day, spot.begins(self.setting)) > (day, minute):
                entries.remove((spot, request))
                self.book.free(spot)
                self.tally.left += self.measured(request)

    def desk(self, today: Sequence[VisitRequest]) -> None:
        """Simulate one day's queue at the desk: everybody who calls or comes."""
        arrivals = ((request.minute, request.call(self.setting)) for request in today)
        self.tally.desk_waits += waits(arrivals, self.setting.clerks)

    def clinics(self, day: int, walk_ins: Sequence[VisitRequest]) -> None:
        """Run the sessions of a day. A walk-in goes to the running session with the fewest patients still to come."""
        for half in (0, 1):
            here = [
                key
                for who in range(self.setting.physicians)
                if (key := (day, half, who)) in self.booked and key not in self.cancelled
            ]
            guests: dict[_Key, list[VisitRequest]] = {key: [] for key in here}
            for request in walk_ins:
                if (request.minute >= AFTERNOON) == bool(half) and here:
                    fewest = min(here, key=lambda key: len(self.booked[key]) + len(guests[key]))
                    guests[fewest].append(request)
            for key in here:
                self.session(half, self.booked[key], guests[key])

    def session(self, half: int, entries: Sequence[tuple[Spot, VisitRequest]], guests: Sequence[VisitRequest]) -> None:
        """Simulate one physician's half-day: patients in order of their appointments, walk-ins in the gaps and at the
        end.
        """
        setting, tally = self.setting, self.tally
        opens = half * AFTERNOON
        coming: list[tuple[float, float, bool, VisitRequest]] = []
        for spot, request in entries:
            tally.visits += 1
            if request.stays_away < setting.no_show:
                tally.stayed_away += 1
                continue
            begins = spot.begins(setting)
            coming.append((max(begins + request.late, opens - 30.0), begins, False, request))
        coming += [(request.minute, request.minute, True, request) for request in guests]
        clock = float(opens)
        for arrived, due, walk_in, request in _served(coming, clock, setting):
            begins = max(clock, arrived)
            waited = begins - max(arrived, due)
            (tally.walk_in_waits if walk_in else tally.in_clinic).append(max(0.0, waited))
            length = request.consultation(setting)
            tally.busy += length
            clock = begins + length
        closes = opens + setting.session_hours * 60
        tally.overtime += max(0.0, clock - closes)
        tally.open += setting.session_hours * 60


def waited_days(request: VisitRequest, spot: Spot, setting: Setting) -> float:
    """Calendar days from the call to the visit. The book has working days only, so each weekend adds two days."""
    days = spot.day - request.day + WEEKEND * (spot.day // WORKDAYS - request.day // WORKDAYS)
    return days + (spot.begins(setting) - request.minute) / (24 * 60)


def _served(
    coming: list[tuple[float, float, bool, VisitRequest]], clock: float, setting: Setting
) -> Iterator[tuple[float, float, bool, VisitRequest]]:
    """The order in which a physician sees those who are there.

    Appointments come before walk-ins, in the order of their times. A walk-in who has waited an hour comes next.
    """
    left = sorted(coming, key=lambda entry: entry[0])
    while left:
        clock = max(clock, left[0][0])
        there = [entry for entry in left if entry[0] <= clock]
        chosen = min(there, key=lambda entry: (entry[2] and clock - entry[0] < 60, entry[1]))
        left.remove(chosen)
        yield chosen
        clock += chosen[3].consultation(setting)


def figures(setting: Setting, tally: Tally) -> dict[str, float]:
    """The figures of one trial; shares from 0 to 1."""
    weeks, hours = setting.weeks, tally.open / 60
    clinic_cost = hours * setting.physician_hour + tally.overtime / 60 * setting.overtime_hour
    desk_cost = setting.clerks * setting.clerk_hour * DESK_MINUTES / 60 * WORKDAYS * weeks
    return {
        "wait_days": _mean([*tally.waits_days.values()]),
        "wait_days_p90": _quantile([*tally.waits_days.values()], 0.9),
        "urgent_days": _mean([*tally.urgent_days.values()]),
        "clinic_wait": _mean(tally.in_clinic),
        "walk_in_wait": _mean(tally.walk_in_waits),
        "desk_wait": _mean(tally.desk_waits),
        "overtime": tally.overtime / max(1, hours / setting.session_hours),
        "utilisation": tally.busy / tally.open if tally.open else 0.0,
        "no_shows": tally.stayed_away / max(1, tally.visits),
        "turned_away": tally.turned_away / max(1, tally.asked),
        "rebooked": tally.rebooked / max(1, tally.asked),
        "seen_a_week": (tally.visits - tally.stayed_away + len(tally.walk_in_waits)) / weeks,
        "cost_a_week": (clinic_cost + desk_cost) / weeks,
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0
