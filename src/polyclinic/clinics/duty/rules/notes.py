"""What a shift notes for its judges and its report, besides the words that were said."""

from __future__ import annotations

from polyclinic.clinics.duty.rules.norms.norm import Norm
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.clinics.duty.state.prompt_book import Edit
from polyclinic.core.note import Note, Payload


class Spoke(Payload):
    """In which stage of the shift a line was said."""

    stage: str


class StaffSpoke(Spoke):
    """How many drafts a line of the staff took, and how many of them the norm check refused."""

    drafts: int
    refused: int


class PatientSpoke(Spoke):
    """Whether the patient's line ends with a question."""

    asks_more: bool


class IdentityShown(Note):
    """Who is on duty: the established persona in words, its traits, and the traits as they are now."""

    topic = "identity"
    role: Role
    persona: str
    anchor: dict[str, float]
    profile: dict[str, float]


class PromptShown(Note):
    """The learned lines that a role works with in this shift."""

    topic = "prompt"
    role: Role
    version: int
    text: str
    shift: int


class NormsShown(Note):
    """The norms in force where an institution brought its own; not noted where the clinic's norms apply."""

    topic = "norms"
    norms: tuple[Norm, ...]


class NormsUnread(Note):
    """The norms about which the reader never gave a clear answer: nobody knows whether they were broken."""

    topic = "norms_unread"
    norms: tuple[str, ...]


class CommitmentBroken(Note):
    """Somebody broke a commitment."""

    topic = "broken_commitment"
    about: str
    was: str
    now: str
    by: Role


class EditProposed(Note):
    """An edit of a role's prompt book; `withheld` where updates are frozen."""

    topic = "edit"
    role: Role
    edit: Edit
    withheld: bool


class IdentityPreferred(Note):
    """Which candidate profile was chosen, and how often each was preferred."""

    topic = "identity_choice"
    role: Role
    chosen: str
    wins: dict[str, int]
