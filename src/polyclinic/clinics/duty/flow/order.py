"""Who speaks when: the running order of each task for the team that is on duty."""

from __future__ import annotations

from polyclinic.clinics.duty.rules.tasks.beats import Beat
from polyclinic.clinics.duty.scenario.schema import AnyDuty


def running_order(scenario: AnyDuty) -> tuple[Beat, ...]:
    """The beats for this team; patients answer in the stage ``reply``."""
    team = set(scenario.roles)
    if scenario.task == "T1":
        return _review("trainee" in team)
    if scenario.task == "T2":
        return _triage("trainee" in team, "patient" in team, "admin" in team)
    return _discharge("trainee" in team)


def _review(trainee: bool) -> tuple[Beat, ...]:
    if trainee:
        return (
            Beat(role="trainee", stage="open", to="patient"),
            Beat(role="patient", stage="reply", to="trainee"),
            Beat(role="trainee", stage="consult", to="doctor"),
            Beat(role="doctor", stage="confirm", to="trainee"),
            Beat(role="trainee", stage="plan", to="patient"),
            Beat(role="patient", stage="reply", to="trainee"),
        )
    return (
        Beat(role="doctor", stage="open", to="patient"),
        Beat(role="patient", stage="reply", to="doctor"),
        Beat(role="doctor", stage="clarify", to="patient"),
        Beat(role="patient", stage="reply", to="doctor"),
        Beat(role="doctor", stage="plan", to="patient"),
        Beat(role="patient", stage="reply", to="doctor"),
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
    if trainee:
        return (
            Beat(role="doctor", stage="brief", to="nurse"),
            Beat(role="nurse", stage="gaps", to="doctor"),
            Beat(role="trainee", stage="draft", to="doctor"),
            Beat(role="doctor", stage="confirm", to="trainee"),
            Beat(role="trainee", stage="explain", to="patient"),
            Beat(role="patient", stage="reply", to="trainee"),
            Beat(role="nurse", stage="teach", to="patient"),
            Beat(role="patient", stage="reply", to="nurse"),
            Beat(role="doctor", stage="close", to="patient"),
            Beat(role="patient", stage="reply", to="doctor"),
        )
    return (
        Beat(role="doctor", stage="brief", to="nurse"),
        Beat(role="nurse", stage="gaps", to="doctor"),
        Beat(role="doctor", stage="confirm", to="nurse"),
        Beat(role="nurse", stage="explain", to="patient"),
        Beat(role="patient", stage="reply", to="nurse"),
        Beat(role="nurse", stage="teach", to="patient"),
        Beat(role="patient", stage="reply", to="nurse"),
        Beat(role="doctor", stage="close", to="patient"),
    )
