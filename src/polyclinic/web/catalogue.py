"""What there is to choose from: clinics with their parts, ways to run them, and cases.

All data comes from the clinics.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from polyclinic.core.clinic import Clinic
from polyclinic.core.model import role_of
from polyclinic.errors import PolyclinicError, UserError
from polyclinic.runner.registry import clinic_modules, load_clinic

MOST_CASES = 200


class PartShown(BaseModel):
    """A part that a person can take. `trained`: a person's performance in it is measured.

    `seats` names the seats if several players share the part.
    """

    name: str
    about: str
    trained: bool
    seats: list[str]


class WayShown(BaseModel):
    """A variant."""

    name: str
    about: str


class CaseShown(BaseModel):
    """A case, with an introduction that gives nothing away."""

    id: str
    introduction: str


class ClinicShown(BaseModel):
    """A clinic in a list. `fault` says why it cannot be loaded."""

    name: str
    title: str
    summary: str
    parts: list[PartShown] = []
    live: bool = False
    fault: str = ""


class ClinicInFull(ClinicShown):
    """A clinic with what can be chosen in it."""

    ways: list[WayShown]
    first_way: str
    settings: list[str]
    metrics: list[str]


def all_clinics() -> list[ClinicShown]:
    """Every clinic, including new ones. A broken clinic has an error message; the others are still listed."""
    found = []
    for name in clinic_modules():
        try:
            found.append(_shown(load_clinic(name)))
        except PolyclinicError as error:
            found.append(ClinicShown(name=name, title=name, summary="", fault=str(error)))
    return found


def clinic_in_full(name: str) -> ClinicInFull:
    """One clinic."""
    clinic = load_clinic(name)
    return ClinicInFull(
        **_shown(clinic).model_dump(),
        ways=[WayShown(name=each.name, about=each.about) for each in clinic.variants.values()],
        first_way=clinic.first_variant,
        settings=list(clinic.settings),
        metrics=[metric.name for judge in clinic.judges() for metric in judge.metrics],
    )


def cases_to_play(
    clinic: Clinic, role: str, language: str, seed: int, own: Sequence[CaseShown] = ()
) -> list[CaseShown]:
    """The cases that have this part: the default case first, then those that people wrote, then the others."""
    first = list(clinic.scenarios(clinic.to_play(role, language), seed)[:1])
    rest = clinic.scenarios(_wider(clinic, role, language), seed)[:MOST_CASES]
    known = {each.id: each for each in (*first, *rest)}
    shown = [CaseShown(id=each.id, introduction=each.introduction()) for each in known.values()]
    return [*shown[:1], *own, *shown[1:]]


def _wider(clinic: Clinic, role: str, language: str) -> str:
    """The selection that holds the default case."""
    selector = clinic.to_play(role, language)
    name, _, count = selector.rpartition(":")
    return name if count.isdigit() and name else "" if selector.isdigit() else selector


def case_selector(clinic: Clinic, role: str, language: str, case: str) -> str:
    """The value of `--scenarios` for this case.

    For the default case it is the default selection. Otherwise it is the case's own name, or, if the clinic cannot
    select by name, the selection that holds the case.
    """
    usual = clinic.to_play(role, language)
    first = clinic.scenarios(usual, 0)[:1]
    if not case or (first and first[0].id == case):
        return usual
    try:
        clinic.scenarios(case, 0)
    except UserError:
        wider = _wider(clinic, role, language)
        if all(each.id != case for each in clinic.scenarios(wider, 0)):
            raise
        return wider
    return case


def _shown(clinic: Clinic) -> ClinicShown:
    parts = [
        PartShown(
            name=role.name,
            about=role.about,
            trained=bool(role.metrics),
            seats=clinic.seats(role.name, clinic.first_variant),
        )
        for role in clinic.roles
        if role.for_people
    ]
    return ClinicShown(
        name=clinic.name,
        title=clinic.title,
        summary=clinic.summary,
        parts=parts,
        live=clinic.service is not None,
    )


def seat_of(clinic: Clinic, part: str) -> str:
    """The seat that a person takes: the first one, if the part has several and none is named."""
    return f"{part}-1" if clinic.role(part).seats and role_of(part) == part else part
