"""The files in which users write their own cases for a clinic, as types that a form can show.

A clinic whose files hold its scenarios as JSON lines needs none of this: `one_line` is used for it. Any other clinic
says for each kind of file what it holds, how it is written and read, and which examples ship with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import BaseModel
from typing_extensions import TypeVar

from polyclinic.core.files import bad_file, rows_of
from polyclinic.core.form import NO_HINTS, FormHints
from polyclinic.core.scenario import Scenario

M = TypeVar("M", bound=BaseModel, default=Any)
ENGINE = ("tags", "campaign", "wave", "lanes")
"""Fields of a scenario that the selection of scenarios fills in, not the author."""
_HIDDEN = FormHints(hidden=ENGINE)


@dataclass(frozen=True)
class Writing(Generic[M]):
    """One kind of file with one case in it.

    `write` gives the text of the file, `read(text, file)` gives what it holds, and `examples` gives the shipped cases
    by name. The field `named_by` names the file. `to_play(path)` is the value of ``--scenarios`` with which a person
    plays it.
    """

    name: str
    title: str
    kind: type[M]
    ending: str
    write: Callable[[M], str]
    read: Callable[[str, str], M]
    examples: Callable[[], Mapping[str, M]]
    hints: FormHints = _HIDDEN
    named_by: str = "id"
    to_play: Callable[[str], str] = str

    def __post_init__(self) -> None:
        """Check that the hints of the form do not hide the field that names its file."""
        if self.named_by in self.hints.hidden:
            raise ValueError(f"{self.name}: {self.named_by} names the file, so an author must see it")


def one_line(kind: type[M], examples: Callable[[], Mapping[str, M]]) -> Writing[M]:
    """A file with one JSON line, which is the scenario itself."""

    def read(text: str, file: str) -> M:
        return only_one(rows_of(kind, text, file), file)

    hints = _HIDDEN if issubclass(kind, Scenario) else NO_HINTS
    return Writing("case", "Case", kind, ".jsonl", lambda case: case.model_dump_json() + "\n", read, examples, hints)


def only_one(found: list[M] | tuple[M, ...], file: str) -> M:
    """The one case of a file. A file with several cases raises an error: it must be edited as text."""
    if len(found) != 1:
        raise bad_file(
            file, f"it holds {len(found)} cases", fix="a form shows only files with one case; edit it as text"
        )
    return found[0]
