"""Libraries and norms over HTTP."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import PolyclinicError, UserError
from polyclinic.eval.sections import sections_to_plain
from polyclinic.runner.libraries import open_library, roll_back, save_library
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.store.store import Store
from polyclinic.web.access.allowed import TheRequester, must, seen_runs
from polyclinic.web.libraries.found import MOST, LibraryInFull, PromptChanged, history, prompt_changed, shown
from polyclinic.web.of_request import store_of

router = APIRouter(prefix="/api/libraries", tags=["libraries"])
MOST_RUNS = 50


class LibraryShown(BaseModel):
    """A library in the list: saved under a name, or as a run left it."""

    name: str
    clinic: str
    title: str
    library: str
    about: str
    saved: bool


class RulesShown(BaseModel):
    """The rules that people in a clinic must follow, as sections of a report."""

    clinic: str
    title: str
    sections: list[dict[str, Any]]


class LibrariesShown(BaseModel):
    """The data of the page of libraries."""

    libraries: list[LibraryShown]
    rules: list[RulesShown]


class RollBack(Body):
    """The version to go back to, and the reason."""

    version: int = Field(ge=0)
    reason: str = Field(max_length=500)


class Keep(Body):
    """The name under which a run's library is kept."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$")


@router.get("", summary="What was learned, and the rules")
async def page(request: Request) -> LibrariesShown:
    store = store_of(request)
    found = [
        _source(saved.name, saved.clinic, saved.library, saved.about, True)
        for saved in [await store.libraries.load(name) for name in await store.libraries.names()]
    ]
    known = {row.id: row.clinic for row in await seen_runs(request)}
    for run in (await store.libraries.learning_runs())[:MOST_RUNS]:
        if known.get(run) in clinic_modules():
            libraries = load_clinic(known[run]).libraries
            found += [_source(f"{run}.{library}", known[run], library, "", False) for library in libraries]
    return LibrariesShown(libraries=found, rules=_rules())


@router.get("/{source}", summary="A library: entries, removed entries and its history")
async def one(source: str, request: Request) -> LibraryInFull:
    await _allowed(request, source)
    return await _in_full(store_of(request), source)


@router.get("/{source}/entries/{id}/prompt", summary="The prompt that an entry changed")
async def prompt(source: str, id: str, request: Request) -> PromptChanged:
    await _allowed(request, source)
    return await prompt_changed(store_of(request), source, id, await seen_runs(request))


@router.post("/{source}/rollback", summary="Go back to an earlier version, with a reason")
async def back(source: str, body: RollBack, request: Request, who: TheRequester) -> LibraryInFull:
    """Nothing is deleted: later versions stay in the history, and the audit log says who rolled back and why."""
    if not body.reason.strip():
        raise UserError("say why an earlier version is restored")
    store = store_of(request)
    await roll_back(store, source, body.version, body.reason.strip())
    name = who.name or "owner"
    await store.audit_log.append(name, who.role, f"roll back to {body.version}: {body.reason}", f"library/{source}")
    return await _in_full(store, source)


@router.post("/{source}/keep", status_code=201, summary="Keep a run's library under a name")
async def keep(source: str, body: Keep, request: Request) -> LibraryInFull:
    store = store_of(request)
    found = await _in_full(store, source)
    name = f"{body.name}.{found.library}"
    if name in await store.libraries.names():
        raise UserError(f"there is a library '{name}' already: give yours another name")
    library = await open_library(store, source)
    await save_library(store, name, load_clinic(found.clinic), library, f"as {source} left it")
    return await _in_full(store, name)


async def _allowed(request: Request, source: str) -> None:
    """Refuse the library of a run that the person may not see: it holds the words of the people who played there."""
    store = store_of(request)
    if source not in await store.libraries.names():
        await must(request, "run", "see", (await store.runs.get(source.rpartition(".")[0])).id)


async def _in_full(store: Store, source: str) -> LibraryInFull:
    saved = source in await store.libraries.names()
    if saved:
        kept = await store.libraries.load(source)
        clinic, about = kept.clinic, kept.about
    else:
        run = source.rpartition(".")[0]
        clinic, about = (await store.runs.get(run)).clinic, ""
        if source.rpartition(".")[2] not in load_clinic(clinic).libraries:
            raise UserError(f"{clinic} has no library '{source.rpartition('.')[2]}'")
    library = await open_library(store, source)
    return LibraryInFull(
        name=source,
        clinic=clinic,
        library=source.rpartition(".")[2],
        about=about,
        saved=saved,
        version=library.version,
        entries=[shown(library, entry) for entry in library][:MOST],
        removed=[shown(library, gone.entry) for gone in library.removed][:MOST],
        history=history(library),
    )


def _source(name: str, clinic: str, library: str, about: str, saved: bool) -> LibraryShown:
    title = load_clinic(clinic).title if clinic in clinic_modules() else clinic
    return LibraryShown(name=name, clinic=clinic, title=title, library=library, about=about, saved=saved)


def _rules() -> list[RulesShown]:
    found = []
    for name in clinic_modules():
        try:
            clinic = load_clinic(name)
        except PolyclinicError:
            continue  # the list of clinics shows its error
        if clinic.rulebook is not None:
            sections = sections_to_plain(clinic.rulebook())
            found.append(RulesShown(clinic=name, title=clinic.title, sections=sections))
    return found
