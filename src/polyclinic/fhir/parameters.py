"""The search parameters of the supported resources, read from `data/search.json`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from polyclinic.core.files import package_data

_Kind = Literal["date", "number", "quantity", "reference", "string", "token", "uri"]

# Slots are by far the most numerous resources. These parameters have columns of their own in a slot's row.
COLUMNS: dict[str, dict[str, str]] = {"Slot": {"schedule": "schedule", "status": "status", "start": "start_at"}}
# What kind of visit a slot is for. Many slots share one kind, so these are indexed once for each kind.
KIND: dict[str, tuple[str, ...]] = {"Slot": ("appointment-type", "service-category", "service-type", "specialty")}
_CODE_TYPES = frozenset({"code", "boolean", "id", "string", "presence"})


@dataclass(frozen=True)
class Path:
    """Where a parameter's values are: steps in the JSON, the type of the values, and which of them count."""

    steps: tuple[str, ...]
    type: str
    target: str | None = None
    where: tuple[str, str] | None = None
    first: bool = False


@dataclass(frozen=True, eq=False)
class Parameter:
    """One search parameter of one resource type. Each parameter is one object, so they are compared by identity."""

    code: str
    kind: _Kind
    paths: tuple[Path, ...]
    targets: tuple[str, ...]
    definition: str

    @property
    def plain_codes(self) -> bool:
        """Whether its values are plain codes, whose system is implied and not written."""
        return all(path.type in _CODE_TYPES for path in self.paths)


@cache
def data(name: str) -> dict[str, Any]:
    """Read one of the package's data files."""
    return cast(dict[str, Any], package_data("polyclinic.fhir", f"data/{name}"))


@cache
def elements_of(type_: str) -> dict[str, Any]:
    """The elements of a resource or data type, by name; empty where the type is unknown."""
    return cast(dict[str, Any], data("structure.json")["types"].get(type_, {}))


def _parameter(code: str, entry: dict[str, Any]) -> Parameter:
    paths = tuple(
        Path(
            steps=tuple(p["steps"]),
            type=p["type"],
            target=p.get("target"),
            where=tuple(p["where"]) if "where" in p else None,
            first=p.get("first", False),
        )
        for p in entry["paths"]
    )
    return Parameter(code, entry["kind"], paths, tuple(entry.get("targets", ())), entry["definition"])


@cache
def parameters(type: str) -> dict[str, Parameter]:
    """All parameters of a type, including those that every resource has."""
    table = data("search.json")
    return {code: _parameter(code, entry) for code, entry in sorted({**table["Resource"], **table[type]}.items())}


@cache
def patient_parameters(type: str) -> tuple[str, ...]:
    """The codes of a type's parameters that can refer to patients."""
    found = parameters(type).values()
    return tuple(each.code for each in found if each.kind == "reference" and "Patient" in each.targets)


@cache
def resource_types() -> tuple[str, ...]:
    """The supported resource types, in order."""
    return tuple(name for name in data("search.json") if name != "Resource")
