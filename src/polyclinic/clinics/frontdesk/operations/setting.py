"""What a manager can change: how the clinics are staffed, how they are booked, and what the patients do.

Everything is for one department, which has a desk of its own. Times are minutes unless the name says otherwise.
"""

from __future__ import annotations

from pydantic import Field, model_validator

from polyclinic.core.message import Frozen

WORKDAYS, WEEKEND = 5, 2
SESSIONS_A_WEEK = 2 * WORKDAYS


_PAPER = "the h-adminsim paper, {}"
ASSUMED = "assumption: replace it by your own figure"
SOURCES = {
    "physicians": _PAPER.format("table 1: two to three in a department of a tertiary hospital"),
    "visit": _PAPER.format("table 1: time unit of a secondary hospital"),
    "cancel": _PAPER.format("section 5.1.2: primary and secondary hospitals"),
    "wants_physician": _PAPER.format("table 1: secondary and tertiary hospitals"),
    "wants_date": _PAPER.format("table 1"),
    "no_show": "mean of 105 studies: Dantas et al., Health Policy 122 (2018) 412, doi:10.1016/j.healthpol.2018.02.002",
    "weeks": "chosen for this measurement",
    "warm_up": "chosen for this measurement",
}
"""Where a default value comes from. Defaults that are not listed are assumptions."""


class Setting(Frozen):
    """One way to run a department."""

    physicians: int = Field(default=3, ge=1, le=60, description="physicians of the department")
    sessions: int = Field(default=6, ge=1, le=SESSIONS_A_WEEK, description="half-day clinics of each physician a week")
    session_hours: int = Field(default=4, ge=1, le=6, description="hours of a half-day clinic")
    visit: int = Field(default=15, ge=3, le=60, description="minutes that a visit is booked for")
    overbooking: int = Field(default=0, ge=0, le=8, description="patients booked on top of a full session")
    urgent_slots: int = Field(default=0, ge=0, le=8, description="slots of a session kept for urgent patients")
    demand: float = Field(default=60, ge=0, le=2000, description="patients a working day who ask for an appointment")
    urgent: float = Field(default=0.1, ge=0, le=1, description="share of these patients who are urgent")
    walk_ins: float = Field(
        default=4, ge=0, le=500, description="patients a working day who come without an appointment"
    )
    no_show: float = Field(default=0.23, ge=0, le=1, description="share of patients who stay away")
    cancel: float = Field(default=0.05, ge=0, le=1, description="share of patients who cancel before the visit")
    hospital_cancel: float = Field(default=0.02, ge=0, le=1, description="share of sessions that the hospital cancels")
    wants_physician: float = Field(
        default=0.4, ge=0, le=1, description="share of patients who want a certain physician"
    )
    wants_date: float = Field(
        default=0.2, ge=0, le=1, description="share of patients who can come only from a certain date on"
    )
    clerks: int = Field(default=2, ge=1, le=60, description="clerks at the desk")
    call: float = Field(default=4, gt=0, le=60, description="mean minutes of a call at the desk")
    consultation: float = Field(default=13.5, gt=0, le=120, description="mean minutes of a consultation")
    weeks: int = Field(default=4, ge=1, le=52, description="weeks that are measured")
    warm_up: int = Field(default=3, ge=0, le=52, description="weeks before the measured weeks, to fill the book")
    horizon: int = Field(default=20, ge=1, le=250, description="working days ahead that can be booked")
    physician_hour: float = Field(default=100, ge=0, description="cost of an hour of a clinic")
    overtime_hour: float = Field(default=150, ge=0, description="cost of an hour of overtime")
    clerk_hour: float = Field(default=30, ge=0, description="cost of an hour of a clerk")

    @model_validator(mode="after")
    def _fits(self) -> Setting:
        if self.slots < self.urgent_slots:
            raise ValueError(f"urgent_slots {self.urgent_slots}: a session has only {self.slots} slots")
        if self.overbooking > self.slots:
            raise ValueError(f"overbooking {self.overbooking}: a session has only {self.slots} slots")
        if self.wants_physician + self.wants_date > 1:
            raise ValueError("wants_physician and wants_date must not add up to more than 1")
        return self

    @property
    def slots(self) -> int:
        """The number of slots of a session."""
        return self.session_hours * 60 // self.visit

    @property
    def days(self) -> int:
        """The number of simulated working days, including the warm-up."""
        return WORKDAYS * (self.warm_up + self.weeks)

    def works(self, physician: int, day: int, half: int) -> bool:
        """Whether a physician has a clinic in this half of a day.

        The template repeats every week. The physicians' clinics are spread evenly over the half-days.
        """
        session = 2 * (day % WORKDAYS) + half
        return (session * self.sessions + physician * 7) % SESSIONS_A_WEEK < self.sessions
