"""What a contact notes for its judges: everything that the rubrics need besides the words that were said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeRecord
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.clinics.frontdesk.rules.snapshot import Snapshot
from polyclinic.clinics.frontdesk.rules.usage import ClinicUse
from polyclinic.clinics.frontdesk.scenario.schema import ContactKind
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.core.note import Note, Payload
from polyclinic.core.value import Value


class InPhase(Payload):
    """In which part of a contact something was said."""

    phase: str


class IntakeLine(InPhase):
    """A line that the staff said at the intake: its round, and the department if one was named."""

    round: int | None = None
    department: str | None = None


class ContactEnded(Payload):
    """What every contact ends with."""

    level: str
    kind: ContactKind


class HospitalOpened(ContactEnded):
    """The minutes of clinic time of each department on each day, and when the period begins and ends."""

    clinic_minutes: dict[str, list[int]]
    lead_minute: int
    end_minute: int


class HospitalClosed(ContactEnded):
    """How the physicians' clinics were used. `ListsOverTime` is beside it."""

    clinics: tuple[ClinicUse, ...]


class CallEnded(ContactEnded):
    """When a patient called."""

    minute: int


class VisitEnded(CallEnded):
    """What the patient knew, the departments that are right, and the one that the staff named."""

    knows_diagnosis: bool
    gold: tuple[str, ...]
    home: str
    given: str


class TalkHeld(Payload):
    """How much was said in a contact."""

    spoken_lines: int
    spoken_words: int


class IntakeEnded(Payload):
    """How many rounds the intake took."""

    rounds: int


class InDepartment(Payload):
    """The department whose diary a contact was about."""

    department: str


class BookingEnded(InDepartment):
    """The kind of dialogue: the wish, or the first and the second wish."""

    dialogue: str

    @classmethod
    def after(cls, department: str, wishes: Sequence[str]) -> BookingEnded:
        """The dialogue in which these wishes were stated, one after the other."""
        return cls(department=department, dialogue=">".join(wishes))

    @property
    def wishes(self) -> tuple[str, ...]:
        """The wishes that were stated, the last one last."""
        return tuple(self.dialogue.split(">"))


class AppointmentMade(Payload):
    """The day and length of a new appointment, and how many minutes after the call it begins."""

    day: int
    minutes: int
    waited: int


class DiaryChanged(Payload):
    """What the diaries gained or lost: department, day and minutes of each change."""

    diary: tuple[tuple[str, int, int], ...]


class MovedUp(Payload):
    """How many patients of the waiting list moved to an earlier time, and who could have but was not reached.

    A patient may be among those not reached after several cancellations.
    """

    waiting_moved: int
    not_reached: tuple[str, ...] = ()


class TakenIn(Note):
    """The record of an intake (None: it could not be read), whether a department was named, and in how many rounds.

    `refused` names the fields in which the staff wrote what nobody had said. These fields are empty in the record.
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
    """What the patient wants; `stage` numbers the wishes of one visit.

    `stated`: the reader found it in the patient's words.
    """

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
    """A call about an appointment: what was wanted, what was found and what was done.

    `stated`: the reader found that the caller said what it wanted.
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
    date: date
    stated: bool = True


class WaitingStep(Value):
    """The staff checked one patient on the waiting list.

    `proposals`: the times proposed (None: the reply was unreadable). `earlier`: whether the proposal can be booked and
    is earlier than the patient's time. `due`: the right proposal (None: nothing earlier is free).
    """

    id: str
    proposals: tuple[Proposal, ...] | None
    due: Proposal | None
    earlier: bool

    @property
    def right(self) -> bool:
        """Whether the staff found the earliest time, or rightly none.

        Either of two physicians with the same time is right.
        """
        if self.due is None or not self.earlier:
            return self.due is None and not self.earlier
        first = self.proposals[0] if self.proposals else None
        return first is not None and (first.date, first.start) == (self.due.date, self.due.start)


class WaitingListWalked(Note):
    """Which patients of the waiting list moved to an earlier time after a cancellation.

    Also which patients could have moved but cannot be called, because no phone number, or a wrong one, was written
    down. `steps` are the steps of the staff, if the staff goes through the list.
    """

    topic = "waiting_list"
    moved: tuple[str, ...]
    unreached: tuple[str, ...] = ()
    steps: tuple[WaitingStep, ...] = ()
