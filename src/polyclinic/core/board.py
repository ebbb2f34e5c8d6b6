"""A clinic as a live board: rooms and days that fill up, current calls, who waits. It follows the simulated clock.

A clinic with such a board offers a `BoardRoom`. The board is plain data; a page replays it at any speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from polyclinic.core.campaign import StoredEffect
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.message import Frozen
from polyclinic.core.scenario import S

BoardChange = Literal["booked", "moved", "cancelled", "waiting", "arrived", "seen", "missed"]


class BoardRow(Frozen):
    """One row of the board, and how many minutes of work fit into it on each day."""

    name: str
    minutes: tuple[int, ...]


class BoardCall(Frozen):
    """Somebody calls, at a minute of the simulated clock."""

    episode: str
    minute: int
    about: str
    who: str


class BoardMoment(Frozen):
    """Something changed on the board. `at` says in words when the booking takes place. `leaves`: the booking leaves the
    waiting list.
    """

    minute: int
    change: BoardChange
    booking: str
    row: str
    day: int
    minutes: int
    who: str
    at: str
    episode: str
    leaves: bool = False


class Board(Frozen):
    """A whole board. Minute 0 is midnight of the first day."""

    title: str
    days: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    first: int
    last: int
    calls: tuple[BoardCall, ...]
    moments: tuple[BoardMoment, ...]


class Dial(Frozen):
    """A setting of the operation that can be changed in a what-if."""

    name: str
    about: str
    value: float
    low: float
    high: float
    whole: bool


@dataclass(frozen=True)
class BoardRoom(Generic[S]):
    """What a clinic offers for its board. `board` makes it from the changes of a campaign's episodes. `records` gives
    the type and id of each record behind a booking. `dials` are the settings of its what-if.
    """

    board: Callable[[Sequence[S], Sequence[tuple[str, StoredEffect]], Mapping[str, str]], Board]
    records: Callable[[EpisodeSpec, str], list[tuple[str, str]]]
    dials: tuple[Dial, ...] = ()
