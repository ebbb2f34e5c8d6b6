"""A department's appointment book over many weeks: who can be booked where, with overbooking and urgent slots.

A session is three bitmaps: ordinary slots, slots for urgent patients, and places on top of taken slots. Overbooked
places are spread over the session and are offered when no ordinary slot of that session is left. An urgent slot that
nobody took is open to everybody on its own day.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyclinic.clinics.frontdesk.operations.setting import Setting

Half = int
"""0 for the morning's clinic, 1 for the afternoon's."""
AFTERNOON = 300
"""Minutes after the opening at which the afternoon's clinic begins."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the book. `extra`: an overbooked place, in a slot that already has a patient."""

    day: int
    half: Half
    physician: int
    slot: int
    extra: bool

    def begins(self, setting: Setting) -> float:
        """When the visit begins, in minutes after the day's opening."""
        return self.half * AFTERNOON + self.slot * setting.visit


class Book:
    """All sessions of a department."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        length = setting.days + setting.horizon + 1
        slots = setting.slots
        urgent = _spread(setting.urgent_slots, slots, 1)
        extra = _spread(setting.overbooking, slots, 0)
        keys = [(day, half, who) for day in range(length) for half in (0, 1) for who in range(setting.physicians)]
        self.sessions = [key for key in keys if setting.works(key[2], key[0], key[1])]
        self._ordinary = dict.fromkeys(self.sessions, (1 << slots) - 1 & ~urgent)
        self._urgent = dict.fromkeys(self.sessions, urgent)
        self._extra = dict.fromkeys(self.sessions, extra)
        self._of_day: list[list[tuple[int, Half, int]]] = [[] for _ in range(length)]
        for key in self.sessions:
            self._of_day[key[0]].append(key)

    def earliest(
        self, day: int, minute: float, *, first: int, urgent: bool, physician: int | None = None
    ) -> Spot | None:
        """The first free place strictly after this moment, from the day `first` on, within the horizon."""
        for ahead in range(max(day, first), day + self._setting.horizon + 1):
            best: Spot | None = None
            for key in self._of_day[ahead]:
                if physician is not None and key[2] != physician:
                    continue
                spot = self._first(key, day, minute, urgent)
                if spot is not None and (best is None or (spot.half, spot.slot) < (best.half, best.slot)):
                    best = spot
            if best is not None:
                return best
        return None

    def _first(self, key: tuple[int, Half, int], today: int, minute: float, urgent: bool) -> Spot | None:
        day, half, physician = key
        bits = self._ordinary[key]
        if urgent or day == today:
            bits |= self._urgent[key]
        extra = not bits
        if extra:
            bits = self._extra[key]
        if day == today:
            past = int((minute - half * AFTERNOON) // self._setting.visit) + 1
            bits = bits >> past << past if past > 0 else bits
        return Spot(day, half, physician, (bits & -bits).bit_length() - 1, extra) if bits else None

    def take(self, spot: Spot) -> None:
        """Book a place."""
        key, bit = (spot.day, spot.half, spot.physician), ~(1 << spot.slot)
        if spot.extra:
            self._extra[key] &= bit
        else:
            self._ordinary[key] &= bit
            self._urgent[key] &= bit

    def free(self, spot: Spot) -> None:
        """Make a place free again; an urgent slot becomes an ordinary slot."""
        key, bit = (spot.day, spot.half, spot.physician), 1 << spot.slot
        if spot.extra:
            self._extra[key] |= bit
        elif key in self._ordinary:
            self._ordinary[key] |= bit

    def close(self, key: tuple[int, Half, int]) -> None:
        """Close a session that the hospital cancels: nothing more is booked into it."""
        self._ordinary[key] = self._urgent[key] = self._extra[key] = 0


def _spread(count: int, slots: int, shift: int) -> int:
    """`count` bits, spread evenly over a session."""
    bits = 0
    for number in range(count):
        bits |= 1 << min(slots - 1, (number * slots) // count + shift * (slots // max(1, count) // 2))
    return bits
