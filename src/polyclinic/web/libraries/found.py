"""A library as its page shows it: entries, their history, and the prompt that an entry changed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from pydantic import BaseModel

from polyclinic.core.library import Entry, Library, Operation
from polyclinic.runner.libraries import open_library
from polyclinic.store.journal import sent_messages
from polyclinic.store.run_rows import RunRow
from polyclinic.store.store import Store

MOST = 500
RUNS_SEARCHED = 12
_CONTEXT = 4


class EntryShown(BaseModel):
    """An entry.

    `run` and `episode` say where it was learned; they are empty if it came with the package or from a file.
    """

    id: str
    key: str
    texts: dict[str, str]
    quality: float
    run: str
    episode: str
    scenario: str
    uses: int
    good: int
    poor: int


class StepShown(BaseModel):
    """One operation on a library; `version` is the number of operations up to this one."""

    version: int
    action: str
    key: str
    reason: str
    run: str
    episode: str


class LibraryInFull(BaseModel):
    """A library. Only a saved one can be rolled back."""

    name: str
    clinic: str
    library: str
    about: str
    saved: bool
    version: int
    entries: list[EntryShown]
    removed: list[EntryShown]
    history: list[StepShown]


class DiffLine(BaseModel):
    """A line of a prompt; `mark` is ``+`` if the entry added it."""

    mark: str
    text: str


class PromptChanged(BaseModel):
    """The first prompt that holds an entry's words; it has no lines if there is no such prompt."""

    run: str = ""
    episode: str = ""
    role: str = ""
    prompt: str = ""
    lines: list[DiffLine] = []


def shown(library: Library, entry: Entry) -> EntryShown:
    """An entry with its success so far."""
    record = library.track_record(entry.id)
    return EntryShown(
        id=entry.id,
        key=entry.key,
        texts=dict(entry.value.texts()),
        quality=entry.quality,
        run=entry.provenance.run,
        episode=entry.provenance.episode,
        scenario=entry.provenance.scenario,
        uses=record.uses,
        good=record.good,
        poor=record.poor,
    )


def history(library: Library) -> list[StepShown]:
    """What happened to a library, the latest first; counts of uses are left out."""
    keys: dict[str, Entry] = {}
    found = []
    for version, operation in enumerate(library.operations, 1):
        entry = operation.entry or keys.get(operation.id)
        if operation.entry is not None:
            keys[operation.entry.id] = operation.entry
        if operation.action != "use":
            found.append(_step(version, operation, entry))
    return found[: -MOST - 1 : -1]


def _step(version: int, operation: Operation, entry: Entry | None) -> StepShown:
    added = operation.action == "add" and entry is not None
    return StepShown(
        version=version,
        action=operation.action,
        key=entry.key if entry is not None else operation.id,
        reason=operation.reason,
        run=entry.provenance.run if added and entry else "",
        episode=entry.provenance.episode if added and entry else "",
    )


async def prompt_changed(store: Store, source: str, id: str, rows: Sequence[RunRow]) -> PromptChanged:
    """The first prompt in these runs that holds an entry's words, compared with the prompt without them."""
    library = await open_library(store, source)
    entry = next((one for one in (*library, *(gone.entry for gone in library.removed)) if one.id == id), None)
    if entry is None:
        return PromptChanged()
    learned_in = entry.provenance.run
    clinic = next((row.clinic for row in rows if row.id == learned_in), "")
    runs = [row.id for row in rows if row.clinic == clinic]
    near = sorted(runs, key=lambda run: run != learned_in)[:RUNS_SEARCHED]
    wanted = sorted((line for _, text in entry.value.texts() for line in text.splitlines()), key=len, reverse=True)
    apart = (learned_in, entry.provenance.episode)
    for words in wanted[:3] if near else ():
        found = await store.libraries.call_with(near, words, apart) if len(words) > 8 else None
        if found is not None:
            run, episode, role, prompt, request = found
            return PromptChanged(run=run, episode=episode, role=role, prompt=prompt, lines=_diff(request, wanted))
    return PromptChanged()


def _diff(request: str, words: list[str]) -> list[DiffLine]:
    """The prompt with and without the lines that hold the words, with some lines around them."""
    after = [line for message in sent_messages(request) for line in message.content.splitlines()]
    before = [line for line in after if not any(word in line for word in words if len(word) > 8)]
    compared = list(difflib.unified_diff(before, after, lineterm="", n=_CONTEXT))[2:]
    return [DiffLine(mark="…" if line.startswith("@@") else line[:1], text=_text(line)) for line in compared]


def _text(line: str) -> str:
    return "" if line.startswith("@@") else line[1:]
