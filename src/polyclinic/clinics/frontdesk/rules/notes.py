"""What a contact notes for its judges: all that the rubrics need beside the words that were said."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.rules.slots import Wish
from polyclinic.clinics.frontdesk.rules.snapshot import Snapshot
from polyclinic.core.note import Note


class TakenIn(Note):
    """The record of an intake (None: it could not be read), whether a department was named, and in how many rounds.
    `refused` names the fields in which the staff wrote what nobody had said: they are empty in the record.
    """

    topic = "intake"
    record: IntakeRecord | None
    decided: bool
    rounds: int
    refused: tuple[str, ...] = ()


class DiarySeen(Note):
    """The department's diary at the moment of an offer or a change."""

    topic = "diary"
    snapshot: Snapshot


class Wished(Note):
    """What the patient wants; `stage` numbers the wishes of one visit. `stated`: it was read in the patient's words."""

    topic = "wish"
    stage: int
    wish: Wish
    stated: bool = True


class Offered(Note):
    """What the staff offered for a wish, and by which tool; None stands for a reply that could not be read."""

    topic = "offer"
    stage: int
    via: str
    proposals: tuple[Proposal, ...] | None


class CalledBack(Note):
    """A call about an appointment: what was wanted, what was found and what was done. `stated`: the caller said what it
    wanted, as it was read.
    """

    topic = "event"
    wanted: str
    appointment: str
    found: str
    tool: str
    done: str
    wish: Wish
    proposals: tuple[Proposal, ...] | None
    old_start: tuple[int, int]
    physician: str
    date: str
    stated: bool = True


class WaitingListWalked(Note):
    """Who of the waiting list could move to an earlier time after a cancellation."""

    topic = "waiting_list"
    moved: tuple[str, ...]
