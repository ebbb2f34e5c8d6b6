"""Cases over HTTP: what can be written, forms, the linter, and the files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from polyclinic.core.authoring import Writing
from polyclinic.core.clinic import Clinic
from polyclinic.core.form import FormRow
from polyclinic.core.live import Body
from polyclinic.core.scenario import Scenario
from polyclinic.errors import PolyclinicError, UnknownName, UserError
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.web.access.allowed import must, person_of
from polyclinic.web.cases.checking import Checked, check, form_rows_of
from polyclinic.web.cases.folder import OWN, CaseFolder, OwnCase, TheCases
from polyclinic.web.catalogue import CaseShown
from polyclinic.web.of_request import store_of

MOST_EXAMPLES = 200
router = APIRouter(prefix="/api/cases", tags=["cases"])


class KindShown(BaseModel):
    """A kind of case that can be written."""

    clinic: str
    clinic_title: str
    kind: str
    title: str


class OwnShown(BaseModel):
    """A case in the folder; `fault` says why no form can show it."""

    clinic: str
    kind: str
    name: str
    path: str
    about: str
    changed_ms: int
    fault: str = ""


class CasesShown(BaseModel):
    """The page of cases."""

    folder: str
    kinds: list[KindShown]
    cases: list[OwnShown]


class ExampleShown(BaseModel):
    """A shipped case, as a starting point."""

    name: str
    about: str


class FormShown(BaseModel):
    """A kind of case as a form."""

    clinic: str
    clinic_title: str
    kind: str
    title: str
    named_by: str
    rows: tuple[FormRow, ...]
    examples: list[ExampleShown]


class CaseOpened(BaseModel):
    """A case to change. `digest` is sent back when the case is saved; `case` selects it in Practise."""

    kind: str
    values: dict[str, Any]
    digest: str = ""
    path: str = ""
    case: str = ""


class Written(Body):
    """The values that are filled in."""

    values: dict[str, Any]
    was: str = Field("", max_length=64)


def _clinic(clinic: str) -> Clinic:
    return load_clinic(clinic)


def _writing(clinic: str, kind: str) -> Writing:
    writings = {writing.name: writing for writing in load_clinic(clinic).writings}
    if kind not in writings:
        raise UnknownName("kind of case in {1}", kind, writings, of=clinic)
    return writings[kind]


_Chosen = Annotated[Clinic, Depends(_clinic)]
_Kind = Annotated[Writing, Depends(_writing)]


@router.get("", summary="The kinds of cases that can be written, and the cases that people wrote")
async def page(folder: TheCases) -> CasesShown:
    return await asyncio.to_thread(_page, folder)


@router.get("/{clinic}/files/{name}", summary="A case to change")
async def opened(name: str, clinic: _Chosen, folder: TheCases) -> CaseOpened:
    return _opened(await asyncio.to_thread(folder.find, clinic, name))


@router.get("/{clinic}/{kind}/form", summary="The form of a kind of case")
async def form(clinic: _Chosen, kind: _Kind) -> FormShown:
    examples = await asyncio.to_thread(kind.examples)
    return FormShown(
        clinic=clinic.name,
        clinic_title=clinic.title,
        kind=kind.name,
        title=kind.title,
        named_by=kind.named_by,
        rows=form_rows_of(kind),
        examples=[ExampleShown(name=n, about=about(value)) for n, value in list(examples.items())[:MOST_EXAMPLES]],
    )


@router.get(
    "/{clinic}/{kind}/examples/{name}",
    summary="A shipped case, as a starting point",
)
async def example(name: str, kind: _Kind) -> CaseOpened:
    known = await asyncio.to_thread(kind.examples)
    if name not in known:
        raise UnknownName("case that ships", name, known)
    return CaseOpened(kind=kind.name, values=known[name].model_dump(mode="json"))


@router.post("/{clinic}/{kind}/check", summary="The faults of a case")
async def checked(body: Written, clinic: _Chosen, kind: _Kind, folder: TheCases) -> Checked:
    return await asyncio.to_thread(check, folder, clinic, kind, body.values)


@router.post("/{clinic}/{kind}", status_code=201, summary="Save a case")
async def save(body: Written, clinic: _Chosen, kind: _Kind, folder: TheCases, request: Request) -> CaseOpened:
    """Saves a new case, or changes a case that the person may change."""
    found = await asyncio.to_thread(check, folder, clinic, kind, body.values)
    if not found.valid:
        first = found.faults[0]
        raise UserError(f"{'.'.join(map(str, first.at))}: {first.text}".removeprefix(": "))
    name, new = f"{clinic.name}/{found.name}", not folder.has(clinic, kind, found.name)
    if not new:
        await must(request, "case", "change", name)
    value = kind.kind.model_validate(body.values)
    saved = await asyncio.to_thread(folder.save, clinic, kind, value, body.was)
    if new:
        await _owns(request, name)
    return _opened(saved)


async def _owns(request: Request, name: str) -> None:
    """Make this person the owner of a case."""
    who = person_of(request).name
    if who:
        await store_of(request).owners.add("case", name, who)


def own_to_play(folder: CaseFolder, clinic: Clinic) -> list[CaseShown]:
    """The cases of the folder that a person can choose in Practise."""
    return [
        CaseShown(id=f"{OWN}{case.name}", introduction=about(case.value) or case.name)
        for case in folder.of_clinic(clinic)
        if case.value is not None
    ]


def about(value: BaseModel) -> str:
    """A one-line description of a case."""
    if isinstance(value, Scenario):
        return value.introduction()
    told = [getattr(value, name, "") for name in ("title", "diagnosis", "name")]
    return next((str(text) for text in told if text), "")


def _opened(found: OwnCase) -> CaseOpened:
    if found.writing is None or found.value is None:
        raise UserError(f"{found.path.name} cannot be shown as a form: {found.fault}")
    return CaseOpened(
        kind=found.writing.name,
        values=found.value.model_dump(mode="json"),
        digest=found.digest,
        path=_near(found.path),
        case=f"{OWN}{found.name}",
    )


def _page(folder: CaseFolder) -> CasesShown:
    kinds, cases = [], []
    for name in clinic_modules():
        try:
            clinic = load_clinic(name)
        except PolyclinicError:
            continue  # the list of clinics shows its error
        kinds += [
            KindShown(clinic=name, clinic_title=clinic.title, kind=writing.name, title=writing.title)
            for writing in clinic.writings
        ]
        cases += [_shown(clinic, case) for case in folder.of_clinic(clinic)]
    return CasesShown(folder=_near(folder.folder), kinds=kinds, cases=cases)


def _shown(clinic: Clinic, case: OwnCase) -> OwnShown:
    return OwnShown(
        clinic=clinic.name,
        kind=case.writing.name if case.writing else "",
        name=case.name,
        path=_near(case.path),
        about=about(case.value) if case.value is not None else "",
        changed_ms=int(case.path.stat().st_mtime * 1000),
        fault=case.fault,
    )


def _near(path: Path) -> str:
    """A path as people see it: relative to the server's working folder, if it is inside that folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
