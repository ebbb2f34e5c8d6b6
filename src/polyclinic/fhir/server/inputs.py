"""The input of a named operation: a Parameters resource, or the query of a GET, read strictly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.server.exchange import moment

_TEXTS = ("valueString", "valueUri", "valueUrl", "valueCode", "valueId", "valueDateTime", "valueInstant", "valueDate")


class BadParameters(RecordsError, code="invalid"):
    """The input of an operation is not valid."""


class Parameters:
    """The parameters of an operation, by name."""

    def __init__(self, body: Resource) -> None:
        if body.get("resourceType") != "Parameters":
            raise BadParameters("the body must be a Parameters resource")
        listed = body.get("parameter", [])
        if not isinstance(listed, list) or not all(isinstance(p, dict) for p in listed):
            raise BadParameters("'parameter' must be an array of objects")
        self._listed: list[dict[str, Any]] = listed

    @classmethod
    def of_query(cls, query: Iterable[tuple[str, str]]) -> Parameters:
        """The parameters of an operation, read from the query of a GET request."""
        return cls({"resourceType": "Parameters", "parameter": [{"name": k, "valueString": v} for k, v in query]})

    def named(self, name: str) -> list[dict[str, Any]]:
        """All parameters with this name."""
        return [p for p in self._listed if p.get("name") == name]

    def references(self, name: str, type_: str) -> list[str]:
        """The ids of all references with this name."""
        ids = []
        for parameter in self.named(name):
            value = parameter.get("valueReference")
            text = value.get("reference") if isinstance(value, dict) else parameter.get("valueString")
            found = split_reference(text) if isinstance(text, str) else ("", "")
            if found[0] != type_:
                raise BadParameters(f"'{name}' must be a valueReference to a {type_}")
            ids.append(found[1])
        return ids

    def integer(self, name: str, default: int, maximum: int) -> int:
        """A positive number, or `default` if there is none."""
        for parameter in self.named(name):
            value = parameter.get("valuePositiveInt", parameter.get("valueInteger"))
            written = parameter.get("valueString")
            if value is None and isinstance(written, str) and written.isascii() and written.isdigit():
                value = int(written[:9])
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= maximum:
                raise BadParameters(f"'{name}' must be a valuePositiveInt of at most {maximum}")
            return value
        return default

    def text(self, name: str) -> str | None:
        """A string, from any of the FHIR types that are written as strings."""
        for parameter in self.named(name):
            for key in _TEXTS:
                if isinstance(parameter.get(key), str):
                    return str(parameter[key])
            raise BadParameters(f"'{name}' must be a valueString")
        return None

    def moment(self, name: str) -> int | None:
        """A time in microseconds."""
        return moment(name, self.text(name), BadParameters)

    def tokens(self, name: str) -> list[str]:
        """Codes as `system|code`, from strings, Codings and CodeableConcepts."""
        found: list[str] = []
        for parameter in self.named(name):
            concept = parameter.get("valueCodeableConcept")
            listed = concept.get("coding", []) if isinstance(concept, dict) else [parameter.get("valueCoding")]
            found += [_token(coding) for coding in listed if isinstance(coding, dict) and "code" in coding]
            found += [str(parameter[key]) for key in ("valueString", "valueCode") if key in parameter]
        return found

    def resource(self, name: str, type_: str) -> Resource:
        """The resource of this type that a parameter holds."""
        for parameter in self.named(name):
            value = parameter.get("resource")
            if isinstance(value, dict) and value.get("resourceType") == type_:
                return value
        raise BadParameters(f"'{name}' must be a resource of type {type_}")


def _token(coding: dict[str, Any]) -> str:
    return f"{coding['system']}|{coding['code']}" if "system" in coding else str(coding["code"])
