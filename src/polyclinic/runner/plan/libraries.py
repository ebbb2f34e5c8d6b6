"""What a run's libraries start with: nothing, a saved library, another run, or a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from polyclinic.core.clinic import Clinic
from polyclinic.core.files import read_text, rows_of
from polyclinic.core.library import Operation
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.runner.plan.config import RunConfig
from polyclinic.store.libraries import PIN, SavedLibrary, library_operations
from polyclinic.store.store import Store

NONE = "none"


async def start_libraries(store: Store, clinic: Clinic, config: RunConfig) -> dict[str, list[Operation]]:
    """The operations that each library begins with.

    ``--library attention=NAME`` sets one library, ``--library NAME`` sets all of them.
    """
    for name in config.libraries:
        if name != "all" and name not in clinic.libraries:
            raise UnknownName("library of {1}", name, clinic.libraries, of=clinic.name)
    return {
        library: await read_library(store, _source(config.libraries, library), library) for library in clinic.libraries
    }


def _source(given: Mapping[str, str], library: str) -> str:
    """The source of a library: the one given for it, else the one given for all, else ``none``."""
    return given.get(library) or given.get("all") or NONE


async def with_own_libraries(store: Store, clinic: Clinic, config: RunConfig) -> RunConfig:
    """The config with the libraries that `polyclinic evolve` saved under the clinic's name, if none is named.

    They are then in the run's config like any others. ``--library none`` starts empty.
    """
    if config.libraries or not clinic.libraries:
        return config
    saved = set(await store.libraries.names())
    own = {library: f"{clinic.name}.{library}" for library in clinic.libraries if f"{clinic.name}.{library}" in saved}
    return config.model_copy(update={"libraries": own})


async def pin_libraries(store: Store, clinic: Clinic, config: RunConfig) -> RunConfig:
    """The config with every library as it is now, saved under NAME@DIGEST.

    So a later change to a library does not affect this run.
    """
    pinned: dict[str, str] = {}
    for library, operations in (await start_libraries(store, clinic, config)).items():
        source = _source(config.libraries, library)
        if operations and PIN not in source:
            text = "\n".join(operation.model_dump_json() for operation in operations)
            plain = source if source.endswith(f".{library}") else f"{source}.{library}"
            source = f"{plain}{PIN}{hashlib.sha256(text.encode()).hexdigest()[:8]}"
            await store.libraries.save(
                SavedLibrary(
                    name=source,
                    clinic=clinic.name,
                    library=library,
                    embedder=config.embedder or "default",
                    about=f"copy of {plain} for the runs that began with it",
                    operations=tuple(operations),
                )
            )
        if operations:
            pinned[library] = source
    return config.model_copy(update={"libraries": pinned})


async def read_library(store: Store, source: str, library: str) -> list[Operation]:
    """A library's operations from a file (JSONL), a saved name, or a run that learned it; ``none`` is an empty one."""
    if source == NONE:
        return []
    saved = await store.libraries.names(pinned=True)
    if PIN not in source and (source.endswith(".jsonl") or Path(source).is_file()):
        return read_library_file(source)
    for name in (f"{source}.{library}", source):
        if name in saved:
            return list((await store.libraries.load(name)).operations)
    runs = {row.id for row in await store.runs.all()}
    if source not in runs and source != "last":
        known = [*(name for name in saved if PIN not in name), *runs]
        raise UnknownName(
            "library, run or file", source, known, begin="learn one with: polyclinic evolve CLINIC --name NAME"
        )
    return await whole_library(store, (await store.runs.get(source)).id, library)


async def whole_library(store: Store, run: str, library: str) -> list[Operation]:
    """A library at the end of a run: what the run began with, then what its campaign added."""
    given = (await store.runs.get(run)).config.get("libraries", {})
    return [*await read_library(store, _source(given, library), library), *await learned(store, run, library)]


async def learned(store: Store, run: str, library: str) -> list[Operation]:
    """What a run's campaign added to one library. Refused if several campaigns changed it differently."""
    rows = await store.runs.episodes(run)
    units = list(dict.fromkeys(row.unit for row in rows if row.spec.campaign))
    place = {row.spec.id: row.spec.position for row in rows}
    found: list[list[Operation]] = []
    for unit in units:
        effects = sorted(await store.runs.effects(run, unit), key=lambda pair: place[pair[0]])
        operations = library_operations([effect for _, effect in effects], library)
        if operations:
            found.append(operations)
    if len(found) > 1:
        raise ConfigError(
            f"run {run} changed '{library}' in {len(found)} campaigns;"
            " save the library of one of them under a name, and use that"
        )
    return found[0] if found else []


async def save_learned(store: Store, run: str, clinic: Clinic, name: str, embedder: str) -> dict[str, int]:
    """Save a run's libraries under a name, as they are at its end.

    Returns the saved names, with the number of operations of each.
    """
    saved: dict[str, int] = {}
    for library in clinic.libraries:
        operations = await whole_library(store, run, library)
        full = f"{name}.{library}"
        await store.libraries.save(
            SavedLibrary(
                name=full,
                clinic=clinic.name,
                library=library,
                embedder=embedder,
                about=f"learned in run {run}",
                operations=tuple(operations),
            )
        )
        saved[full] = len(operations)
    return saved


def read_library_file(path: str) -> list[Operation]:
    """A library from a JSONL file of operations, one a line."""
    return rows_of(Operation, read_text(path, about="library file"), path)


def write_library_file(path: str, operations: list[Operation]) -> None:
    """Write a library to a file that `read_library_file` reads."""
    Path(path).write_text("".join(f"{operation.model_dump_json()}\n" for operation in operations), encoding="utf-8")
