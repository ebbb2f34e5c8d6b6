"""The patients of one trial, drawn once for all settings: two settings never differ in their patients.

Each patient has random numbers from 0 to 1 that decide about them: who they want to see, whether they come, how long it
takes. A setting turns these numbers into facts, so two settings that differ only in the rate of no-shows have the same
patients. Those who stay away at the lower rate also stay away at the higher rate.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from statistics import NormalDist

from polyclinic.clinics.frontdesk.operations.setting import Setting

DESK_MINUTES = 540
"""Calls come in the nine hours after the opening; the minutes of a day are counted from the opening."""
_NORMAL = NormalDist()
_SPREAD = 0.45
"""Standard deviation of the logarithm of a consultation's length."""
_PUNCTUAL = NormalDist(mu=-4, sigma=9)
"""Minutes after the appointed time at which patients come; most are early."""


@dataclass(frozen=True, slots=True)
class VisitRequest:
    """A patient who asks for an appointment, or comes without one."""

    day: int
    minute: float
    walk_in: bool
    urgency: float
    wish: float
    who: float
    later: float
    stays_away: float
    cancels: float
    when: float
    length: float
    early: float
    talk: float

    def consultation(self, setting: Setting) -> float:
        """Minutes with the physician: log-normal around the setting's mean."""
        return setting.consultation * math.exp(_SPREAD * _NORMAL.inv_cdf(self.length) - _SPREAD**2 / 2)

    @property
    def late(self) -> float:
        """How many minutes after the appointed time the patient comes; negative if early."""
        return _PUNCTUAL.inv_cdf(self.early)

    def call(self, setting: Setting) -> float:
        """Minutes at the desk: exponential around the setting's mean."""
        return -setting.call * math.log(self.talk)


def draw_requests(setting: Setting, draw: random.Random) -> list[VisitRequest]:
    """All requests of a trial in order of arrival: Poisson over the day, appointments and walk-ins drawn separately."""
    found: list[VisitRequest] = []
    for day in range(setting.days):
        for rate, walk_in, hours in (
            (setting.demand, False, DESK_MINUTES),
            (setting.walk_ins, True, DESK_MINUTES - 120),
        ):
            minute = 0.0
            while rate:
                minute += -math.log(1 - draw.random()) * hours / rate
                if minute >= hours:
                    break
                found.append(_request(day, minute, walk_in, draw))
    found.sort(key=lambda request: (request.day, request.minute))
    return found


def _request(day: int, minute: float, walk_in: bool, draw: random.Random) -> VisitRequest:
    """Ten random numbers. They are strictly between 0 and 1, because inverse distribution functions need this."""
    chances = [min(max(draw.random(), 1e-9), 1 - 1e-9) for _ in range(10)]
    return VisitRequest(day, minute, walk_in, *chances)
