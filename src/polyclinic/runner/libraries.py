"""Libraries outside of runs: open, merge, save, and check which cases an entry was learned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from polyclinic.core.clinic import Clinic
from polyclinic.core.library import Entry, Library, Operation
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError
from polyclinic.runner.build.built_run import run_embedder, run_index
from polyclinic.runner.plan.libraries import read_library
from polyclinic.store.libraries import SavedLibrary
from polyclinic.store.store import Store


async def open_library(store: Store, source: str) -> Library:
    """Open a library by saved name (NAME.LIBRARY), by run (RUN.LIBRARY), or from a file."""
    if Path(source).is_file():
        operations = await read_library(store, source, "")
    elif source in await store.libraries.names():
        operations = list((await store.libraries.load(source)).operations)
    else:
        run, dot, library = source.rpartition(".")
        if not dot:
            known = ", ".join(await store.libraries.names()) or "none"
            raise ConfigError(f"'{source}': write RUN.LIBRARY, a file, or one of the saved libraries: {known}")
        operations = await read_library(store, run, library)
    return Library(source, run_embedder(""), run_index, operations)


async def merge(store: Store, sources: Sequence[str], unless_near: float | None) -> Library:
    """Merge several libraries, in order. Of similar entries the better one is kept."""
    merged = Library("merged", run_embedder(""), run_index)
    for source in sources:
        library = await open_library(store, source)
        merged.extend(Operation(action="add", entry=entry, unless_near=unless_near) for entry in library)
    return merged


async def save_library(store: Store, name: str, clinic: Clinic, library: Library, about: str) -> None:
    """Save a library under NAME.LIBRARY."""
    _, dot, which = name.rpartition(".")
    if not dot or which not in clinic.libraries:
        raise ConfigError(f"'{name}': end the name with .{' or .'.join(clinic.libraries)}")
    saved = SavedLibrary(
        name=name,
        clinic=clinic.name,
        library=which,
        embedder=library.embedder.name,
        about=about,
        operations=tuple(library.operations),
    )
    await store.libraries.save(saved)


async def roll_back(store: Store, name: str, version: int, reason: str) -> Library:
    """Bring a saved library back to an earlier version. The changes in between stay in its history, with the reason."""
    if name not in await store.libraries.names():
        raise ConfigError(
            f"only a saved library can be rolled back, and '{name}' is not one: see `polyclinic library list`"
        )
    library = await open_library(store, name)
    if not 0 <= version <= library.version:
        raise ConfigError(f"{name} has versions 0 to {library.version}, not {version}")
    library.extend(library.rollback(version, reason))
    saved = await store.libraries.load(name)
    await store.libraries.save(saved.model_copy(update={"operations": tuple(library.operations)}))
    return library


def contamination(library: Library, cases: Iterable[Scenario]) -> list[Entry]:
    """The entries that were learned from any of these cases."""
    tested = {case.id for case in cases}
    return [entry for entry in library if entry.provenance.scenario in tested]
