"""The folder with the cases that people wrote: plain files, one folder for each clinic.

`polyclinic run CLINIC --scenarios FILE` reads the same files, and a file that was written by hand is shown too.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel

from polyclinic.core.authoring import Writing
from polyclinic.core.clinic import Clinic
from polyclinic.core.files import read_text
from polyclinic.errors import DataError, UnknownName, UserError
from polyclinic.web.of_request import kept

OWN = "own/"
"""A case whose name begins with this is a file of the folder."""
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_HIDDEN = "."


@dataclass(frozen=True)
class OwnCase:
    """A file of the folder. If no form can show it, `writing` is None and `fault` says why."""

    path: Path
    writing: Writing | None = None
    value: BaseModel | None = None
    fault: str = ""

    @property
    def name(self) -> str:
        """The name of the case: the file's name without the extension."""
        return self.path.stem

    @property
    def digest(self) -> str:
        """A hash of the file; it changes with every byte."""
        return digest_of(self.path)


class CaseFolder:
    """The files by clinic and name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of_clinic(self, clinic: Clinic) -> list[OwnCase]:
        """All files of a clinic, by name."""
        place = self.folder / clinic.name
        endings = {writing.ending for writing in clinic.writings}
        if not place.is_dir():
            return []
        found = (path for path in sorted(place.iterdir()) if path.suffix in endings and path.name[0] != _HIDDEN)
        return [_read(clinic, path) for path in found]

    def find(self, clinic: Clinic, name: str) -> OwnCase:
        """A file by its name."""
        known = {case.name: case for case in self.of_clinic(clinic)}
        if name not in known:
            raise UnknownName("case of {1} in {2}", name, known, of=(clinic.name, str(self.folder)))
        return known[name]

    def has(self, clinic: Clinic, writing: Writing, name: str) -> bool:
        """Whether a file with this name exists."""
        return (self.folder / clinic.name / f"{name}{writing.ending}").is_file()

    def selector(self, clinic: Clinic, case: str) -> str:
        """What selects a case for a run: the file if `case` names a file of the folder, otherwise `case` itself."""
        if not case.startswith(OWN):
            return case
        found = self.find(clinic, case.removeprefix(OWN))
        path = str(found.path.resolve())
        return found.writing.to_play(path) if found.writing is not None else path

    def save(self, clinic: Clinic, writing: Writing, value: BaseModel, was: str) -> OwnCase:
        """Write a case. `was` is its digest when it was opened: a file that has changed since is not overwritten."""
        name = file_name(value, writing)
        path = self.folder / clinic.name / f"{name}{writing.ending}"
        there = digest_of(path)
        text = writing.write(value)
        if there not in (was, hashlib.sha256(text.encode()).hexdigest()):
            raise UserError(
                f"{path} was changed by somebody else: open it again, or give your case another name"
                if was
                else f"there is a case '{name}' already: give yours another name"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, text)
        return OwnCase(path, writing, value)

    @contextmanager
    def unsaved(self, clinic: Clinic, writing: Writing, value: BaseModel) -> Iterator[Path]:
        """Write a case to a temporary file beside the others, so that relative references work."""
        place = self.folder / clinic.name
        place.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(writing.ending, f"{_HIDDEN}checking-", place)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(writing.write(value))
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)


TheCases = Annotated[CaseFolder, Depends(kept("cases"))]


def digest_of(path: Path) -> str:
    """The digest of a file; empty if there is no file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def file_name(value: BaseModel, writing: Writing) -> str:
    """The name of a case's file, from the field that names it."""
    given: Any = getattr(value, writing.named_by)
    name = _UNFIT.sub("-", str(given)).strip("-.")[:80]
    if not name:
        raise UserError("enter a name with letters and digits; it becomes the name of the file")
    return name


def _read(clinic: Clinic, path: Path) -> OwnCase:
    """Read a file as the first kind of case that fits."""
    fault = ""
    for writing in clinic.writings:
        if writing.ending != path.suffix:
            continue
        try:
            return OwnCase(path, writing, writing.read(read_text(path), path.name))
        except (DataError, ValueError) as error:
            fault = fault or str(error)
    return OwnCase(path, fault=fault)


def _write_whole(path: Path, text: str) -> None:
    """Write a file atomically: after a crash there is the old file or the new one, never half of it."""
    handle, name = tempfile.mkstemp(".tmp", _HIDDEN, path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(name, path)
