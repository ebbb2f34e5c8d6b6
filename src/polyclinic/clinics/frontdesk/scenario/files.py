"""Reading tables of a user's file piece by piece: an error message names the place in the file, on one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from polyclinic.core.files import bad_file
from polyclinic.core.plain_faults import plain_fault
from polyclinic.errors import WrongForm

_FAULTS = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError)


class FaultInFile(WrongForm):
    """Something wrong inside a file, with its place in words. `in_file` turns it into a `DataError`."""


@contextmanager
def at(place: str) -> Iterator[None]:
    """Add this place to the message of an error that is raised inside the block."""
    try:
        yield
    except _FAULTS as error:
        raise FaultInFile(f"{place}: {_words(error)}") from None


@contextmanager
def in_file(file: Path) -> Iterator[None]:
    """Turn an error that is raised inside the block into a `DataError` of this file."""
    try:
        yield
    except _FAULTS as error:
        raise bad_file(file, _words(error)) from None


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {plain_fault(first)}"
    if isinstance(error, KeyError):
        return f"it has no '{error.args[0]}'"
    if isinstance(error, (TypeError, AttributeError)):
        return f"not in the expected format ({error})"
    return str(error)
