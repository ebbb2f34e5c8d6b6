"""FHIR's small data types: codes, names, identifiers, references and times, checked when they are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from polyclinic.core.value import unchanging

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)


@unchanging
class Code:
    """A concept: its system, its code and the text that people read."""

    system: str
    code: str
    display: str = ""

    def coding(self) -> dict[str, str]:
        """As a FHIR Coding."""
        return {"system": self.system, "code": self.code} | ({"display": self.display} if self.display else {})

    def concept(self) -> dict[str, Any]:
        """As a FHIR CodeableConcept."""
        return {"coding": [self.coding()]} | ({"text": self.display} if self.display else {})


@unchanging
class Identifier:
    """An identifier that another organization gave. It means something only within its system."""

    system: str
    value: str
    use: Literal["usual", "official", "temp", "secondary", "old"] = "official"

    def json(self) -> dict[str, str]:
        """As a FHIR Identifier."""
        return {"use": self.use, "system": self.system, "value": checked_text(self.value)}


@unchanging
class HumanName:
    """A person's name."""

    family: str
    given: Sequence[str] = ()
    prefix: Sequence[str] = ()

    @property
    def display(self) -> str:
        """The name as it is spoken."""
        return " ".join((*self.prefix, *self.given, self.family))

    def json(self) -> dict[str, Any]:
        """As a FHIR HumanName."""
        name: dict[str, Any] = {"use": "official", "family": checked_text(self.family)}
        if self.given:
            name["given"] = [checked_text(part) for part in self.given]
        if self.prefix:
            name["prefix"] = [checked_text(part) for part in self.prefix]
        return name


@unchanging
class Address:
    """Where somebody lives: the address as given, and the parts that could be recognized."""

    text: str
    line: str = ""
    district: str = ""
    city: str = ""
    state: str = ""
    postal_code: str = ""
    country: str = ""

    def json(self) -> dict[str, Any]:
        """As a FHIR Address at home."""
        parts = {
            "text": self.text,
            "line": [self.line] if self.line else [],
            "city": self.city,
            "district": self.district,
            "state": self.state,
            "postalCode": self.postal_code,
            "country": self.country,
        }
        return {"use": "home", "type": "postal"} | {name: value for name, value in parts.items() if value}


def moment(at: datetime) -> str:
    """A FHIR instant. Raises ValueError for a time without a zone."""
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    return at.isoformat(timespec="milliseconds" if at.microsecond else "seconds")


def reference(type_: str, id_: str, display: str = "") -> dict[str, str]:
    """A reference to a resource by its id."""
    return {"reference": f"{type_}/{checked_id(id_)}"} | ({"display": display} if display else {})


def checked_id(value: str) -> str:
    """Return the id if FHIR allows it; otherwise raise ValueError."""
    if not _ID.fullmatch(value):
        raise ValueError(f"'{value}' is not a FHIR id: 1 to 64 letters, digits, '-' and '.'")
    return value


def checked_text(value: str) -> str:
    """Return the text if it is not empty; otherwise raise ValueError."""
    if not value.strip():
        raise ValueError("a text may not be empty")
    return value


def period(start: datetime, end: datetime) -> dict[str, str]:
    """Return start and end. Raises ValueError for an interval that ends before it starts."""
    if start > end:
        raise ValueError(f"the start {start} is after the end {end}")
    return {"start": moment(start), "end": moment(end)}
