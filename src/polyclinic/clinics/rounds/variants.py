"""The named configurations of a round. Plain data; `flow` reads it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from polyclinic.core.scenario import Variant

SEAT = "-seat-"
TutorKind = Literal["socratic", "no_thinking", "plain", "lecture", "none"]


class RoundsVariant(Variant):
    """Who is in the room and how the tutor works.

    `revisions` is the largest number of drafts for one piece of guidance. `transfer` asks every student an unseen case
    at the end. `played_by` is the seat whose model plays every student; 0: each seat has its own. `SETTINGS` can be set
    for a run and only affect understudies: their `voice`, and `learning`, how strongly teaching changes a student (0:
    not at all; 1: as in the shipped results).
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("voice", "learning")

    tutor: TutorKind = "socratic"
    students: int = 3
    played_by: int = 0
    rounds: int = 5
    revisions: int = 3
    patient: bool = True
    specialist: bool = True
    supervisor: bool = True
    transfer: bool = False
    voice: Literal["first", "second"] = "first"
    learning: float = Field(1.0, ge=0.0, le=3.0)

    @property
    def seats(self) -> int:
        """How many seats a cast can name."""
        return max(self.students, self.played_by)

    @property
    def tutoring(self) -> str:
        """How the tutor works: the name of the variant without the seat."""
        return self.name.partition(SEAT)[0]


_NAMED = (
    RoundsVariant(name="full", about="the paper's method: thinking tutor, patient, specialist and supervisor"),
    RoundsVariant(name="one-student", about="the same with a single student", students=1),
    RoundsVariant(name="without-patient", about="students have the case sheet and nobody to ask", patient=False),
    RoundsVariant(name="without-specialist", about="no fact check before guidance goes out", specialist=False),
    RoundsVariant(
        name="without-supervisor", about="no safety and tone check before guidance goes out", supervisor=False
    ),
    RoundsVariant(
        name="without-thinking", about="the Socratic tutor speaks without its structured thinking", tutor="no_thinking"
    ),
    RoundsVariant(name="plain-tutor", about="a tutor without steps, thinking or method", tutor="plain", baseline=True),
    RoundsVariant(name="lecture", about="a tutor who explains instead of asking", tutor="lecture", baseline=True),
    RoundsVariant(
        name="untutored",
        about="the control group: same students, case, patient and expert, no tutor",
        tutor="none",
        baseline=True,
    ),
    RoundsVariant(name="socratic-transfer", about="full, then an unseen case for every student", transfer=True),
    RoundsVariant(
        name="lecture-transfer", about="lecture, then an unseen case for every student", tutor="lecture", transfer=True
    ),
    RoundsVariant(
        name="untutored-transfer", about="no tutor, then an unseen case for every student", tutor="none", transfer=True
    ),
)
SIZES = tuple(
    RoundsVariant(name=f"students-{n}", about=f"the full method with {n} student{'s' if n > 1 else ''}", students=n)
    for n in range(1, 11)
)
_SEATS = tuple(
    named.model_copy(
        update={
            "name": f"{named.name}{SEAT}{n}",
            "about": f"{named.name}, with every student played by the model of student-{n}",
            "played_by": n,
        }
    )
    for named in _NAMED
    if named.name in ("full", "plain-tutor")
    for n in range(1, 6)
)
VARIANTS = {variant.name: variant for variant in (*_NAMED, *SIZES, *_SEATS)}
