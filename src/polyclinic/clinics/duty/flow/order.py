"""Who speaks when: the running order of each task for the team that is on duty."""

from __future__ import annotations

from polyclinic.clinics.duty.rules.tasks import Beat
from polyclinic.clinics.duty.scenario.schema import AnyDuty, Role


def running_order(scenario: AnyDuty) -> tuple[Beat, ...]:
    """The beats for this team; patients answer in the stage ``reply``."""
    team = set(scenario.roles)
    if scenario.task == "T1":
        return _review("trainee" in team)
    if scenario.task == "T2":
        return _triage("trainee" in team, "patient" in team, "admin" in team)
    return _discharge("trainee" in team)


def _review(trainee: bool) -> tuple[Beat, ...]:
    lead: Role = "trainee" if trainee else "doctor"
    check = (
        (Beat(role="trainee", stage="consult", to="doctor"), Beat(role="doctor", stage="confirm", to="trainee"))
        if trainee
        else (Beat(role="doctor", stage="clarify", to="patient"), Beat(role="patient", stage="reply", to="doctor"))
    )
    reply = Beat(role="patient", stage="reply", to=lead)
    return (
        Beat(role=lead, stage="open", to="patient"),
        reply,
        *check,
        Beat(role=lead, stage="plan", to="patient"),
        reply,
    )


def _triage(trainee: bool, patient: bool, admin: bool) -> tuple[Beat, ...]:
    beats = [Beat(role="nurse", stage="report", to="doctor"), Beat(role="doctor", stage="assess", to="nurse")]
    if patient:
        beats += [Beat(role="patient", stage="reply", to="nurse")]
    if trainee:
        beats += [Beat(role="trainee", stage="opine", to="doctor")]
    if admin:
        beats += [Beat(role="admin", stage="limits", to="doctor")]
    beats += [Beat(role="doctor", stage="decide", to="nurse"), Beat(role="nurse", stage="act", to="doctor")]
    if admin:
        beats += [Beat(role="admin", stage="arrange", to="nurse")]
    else:
        beats += [Beat(role="nurse", stage="act", to="doctor")]
    if patient:
        beats += [Beat(role="patient", stage="reply", to="nurse")]
    return (*beats, Beat(role="doctor", stage="settle", to="nurse"))


def _discharge(trainee: bool) -> tuple[Beat, ...]:
    explains: Role = "trainee" if trainee else "nurse"
    beats = [Beat(role="doctor", stage="brief", to="nurse"), Beat(role="nurse", stage="gaps", to="doctor")]
    if trainee:
        beats += [Beat(role="trainee", stage="draft", to="doctor")]
    beats += [
        Beat(role="doctor", stage="confirm", to=explains),
        Beat(role=explains, stage="explain", to="patient"),
        Beat(role="patient", stage="reply", to=explains),
        Beat(role="nurse", stage="teach", to="patient"),
        Beat(role="patient", stage="reply", to="nurse"),
        Beat(role="doctor", stage="close", to="patient"),
    ]
    return (*beats, Beat(role="patient", stage="reply", to="doctor")) if trainee else tuple(beats)
