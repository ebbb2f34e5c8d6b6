"""What is wrong with a case while it is being written: first its form, then what the clinic's linter finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from polyclinic.core.authoring import Writing
from polyclinic.core.clinic import Clinic
from polyclinic.core.form import FormRow, form_rows
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import PolyclinicError, UserError
from polyclinic.web.cases.folder import CaseFolder, file_name

MOST = 40


class Fault(BaseModel):
    """One error; `at` names the field, and is empty if the error is about the whole case."""

    at: list[str | int] = []
    text: str


class Checked(BaseModel):
    """A case as it is now. Only a `valid` one can be saved and played; the linter may still find faults in it."""

    valid: bool
    faults: list[Fault]
    name: str = ""
    text: str = ""


def read_form(writing: Writing, values: Mapping[str, Any]) -> BaseModel:
    """What was filled in, as an object of the file's type."""
    found: BaseModel = writing.kind.model_validate(values)
    return found


def check(folder: CaseFolder, clinic: Clinic, writing: Writing, values: Mapping[str, Any]) -> Checked:
    """Everything that is wrong with a case, and the file it would become."""
    try:
        value = read_form(writing, values)
        name = file_name(value, writing)
    except ValidationError as error:
        return Checked(valid=False, faults=_faults_of(error, writing))
    except UserError as error:
        return Checked(valid=False, faults=[Fault(at=[writing.named_by], text=str(error))])
    faults = [Fault(at=list(at), text="this is empty") for at in _empty(form_rows_of(writing), values)]
    try:
        with folder.unsaved(clinic, writing, value) as path:
            faults += [Fault(text=_without(told, str(path), path.name)) for told in clinic.faults_in(str(path))]
            text = writing.write(value)
    except PolyclinicError as error:
        return Checked(valid=False, faults=[Fault(text=str(error))], name=name)
    return Checked(valid=True, faults=faults[:MOST], name=name, text=text)


def form_rows_of(writing: Writing) -> tuple[FormRow, ...]:
    """The form of a kind of file."""
    return form_rows(writing.kind.model_json_schema(), writing.hints)


def _faults_of(error: ValidationError, writing: Writing) -> list[Fault]:
    """At most one fault for each field.

    A fault in a field that the form does not show is reported for the whole case.
    """
    found: dict[tuple[str | int, ...], str] = {}
    for fault in error.errors():
        found.setdefault(tuple(fault["loc"]), plain_fault(fault))
    shown = [Fault(at=list(at), text=text) for at, text in found.items()]
    hidden = set(writing.hints.hidden)
    for one in shown:
        if one.at and one.at[0] in hidden:
            one.text, one.at = f"{one.at[0]}: {one.text}", []
    return shown[:MOST]


def _empty(
    rows: tuple[FormRow, ...], values: Mapping[str, Any], at: tuple[str | int, ...] = ()
) -> Iterator[tuple[str | int, ...]]:
    """The paths of required text fields that are still empty."""
    for row in rows:
        given = values.get(row.name)
        if row.kind == "group" and isinstance(given, Mapping):
            yield from _empty(row.rows, given, (*at, row.name))
        elif row.kind == "groups" and isinstance(given, list):
            for number, one in enumerate(given):
                if isinstance(one, Mapping):
                    yield from _empty(row.rows, one, (*at, row.name, number))
        elif row.demanded and row.kind in ("line", "text") and isinstance(given, str) and not given.strip():
            yield (*at, row.name)


def _without(told: str, *places: str) -> str:
    """A message of the linter without the file's name, because the author has not named the file yet."""
    for place in places:
        told = told.replace(f"{place}: ", "").replace(place, "this case")
    return told
