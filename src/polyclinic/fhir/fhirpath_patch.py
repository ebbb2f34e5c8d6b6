"""FHIRPath Patch: apply the operations of a Parameters resource to a copy of a resource, all or none.

A path consists of elements with `[n]`, `where(element = 'value')`, `first()`, `last()`, `single()` and `ofType(Type)`.
This is enough to name one element. Other FHIRPath is refused. Names and cardinalities come from HL7's definitions.
So `deceased` with a boolean becomes `deceasedBoolean`, and a repeating element gets one more entry.
"""

from __future__ import annotations

import copy
import re
from typing import Any, NamedTuple

from polyclinic.core.records import Resource
from polyclinic.fhir.parameters import elements_of
from polyclinic.fhir.patch import MAX_OPERATIONS, BadPatch, unless_renamed

_TOKEN = re.compile(r"(\w+)(?:\[(\d+)\])?(?:\((.*?)\))?$", re.DOTALL)
_EQUALS = re.compile(r"\s*([\w.]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(true|false)|(-?\d+(?:\.\d+)?))\s*", re.DOTALL)
_ENDS = {"first": 0, "last": -1}


class _Place(NamedTuple):
    """The place of a value in a document: its container, its key or position in it, and the value's type."""

    container: Any
    key: Any
    type: str

    @property
    def value(self) -> Any:
        return self.container[self.key]


def apply_fhirpath_patch(resource: Resource, parameters: Resource) -> Resource:
    """Return the patched resource. Raises BadPatch."""
    listed = parameters.get("parameter", [])
    if not isinstance(listed, list) or not listed or len(listed) > MAX_OPERATIONS:
        raise BadPatch(f"a FHIRPath Patch must have 1 to {MAX_OPERATIONS} parameters named 'operation'")
    document = copy.deepcopy(resource)
    for position, operation in enumerate(listed):
        if not isinstance(operation, dict) or operation.get("name") != "operation":
            raise BadPatch(f"parameter {position}: a FHIRPath Patch must have only parameters named 'operation'")
        _apply(document, {p.get("name"): p for p in operation.get("part", []) if isinstance(p, dict)})
    return unless_renamed(document, resource)


def _apply(document: Resource, parts: dict[Any, Any]) -> None:
    kind, path = _text(parts, "type", "valueCode"), _text(parts, "path", "valueString")
    match kind:
        case "add":
            _add(_one(document, path), _text(parts, "name", "valueString"), parts.get("value"))
        case "delete":
            if _places(document, path):
                _delete(_only(document, path))
        case "replace":
            place = _only(document, path)
            place.container[place.key] = _value(parts.get("value"), place.type)
        case "insert":
            items, type_ = _list_at(document, path)
            items.insert(_index(parts, "index", len(items)), _value(parts.get("value"), type_))
        case "move":
            items, _ = _list_at(document, path)
            moved = items.pop(_index(parts, "source", len(items) - 1))
            items.insert(_index(parts, "destination", len(items)), moved)
        case _:
            raise BadPatch("'type' must be add, insert, delete, replace or move")


def _text(parts: dict[Any, Any], name: str, key: str) -> str:
    part = parts.get(name, {})
    value = part.get(key, part.get("valueString"))
    if not isinstance(value, str) or not value:
        raise BadPatch(f"a patch operation needs '{name}' as {key}")
    return value


def _index(parts: dict[Any, Any], name: str, highest: int) -> int:
    value = parts.get(name, {}).get("valueInteger")
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= highest:
        raise BadPatch(f"'{name}' must be a valueInteger from 0 to {highest}")
    return value


def _only(document: Resource, path: str) -> _Place:
    found = _places(document, path)
    if len(found) != 1:
        raise BadPatch(f"'{path}' must lead to one element, not to {len(found)}")
    return found[0]


def _one(document: Resource, path: str) -> tuple[Any, str]:
    """The object at a path, and its type. The path must lead to exactly one object."""
    place = _only(document, path)
    if not isinstance(place.value, dict):
        raise BadPatch(f"'{path}' must lead to an element that has elements of its own")
    return place.value, place.type


def _list_at(document: Resource, path: str) -> tuple[list[Any], str]:
    """The list that a path leads to, and the type of its elements. The path must not end with a position (`[n]`)."""
    head, dot, last = path.rpartition(".")
    if not dot or not last.isidentifier():
        raise BadPatch(f"'{path}' must end with the name of a repeating element")
    owner, type_ = _one(document, head)
    entry = elements_of(type_).get(last)
    if entry is None or not entry["many"] or not isinstance(owner.get(last), list):
        raise BadPatch(f"'{path}' must lead to a repeating element that has entries")
    return owner[last], entry["type"]


def _steps(path: str) -> list[str]:
    """Split at dots outside parentheses and quotes."""
    steps, depth, quoted, current = [], 0, False, ""
    for character in path:
        quoted = quoted != (character == "'")
        depth += 0 if quoted else (character == "(") - (character == ")")
        if character == "." and depth == 0 and not quoted:
            steps.append(current)
            current = ""
        else:
            current += character
    return [*steps, current]


def _places(document: Resource, path: str) -> list[_Place]:
    root = {"": document}
    first, *rest = _steps(path.strip())
    if first not in (document["resourceType"], "Resource", "DomainResource", "$this"):
        raise BadPatch(f"'{path}' must begin with {document['resourceType']}")
    places = [_Place(root, "", document["resourceType"])]
    for step in rest:
        match = _TOKEN.fullmatch(step.strip())
        if match is None:
            raise BadPatch(f"'{step}' is not understood in a patch")
        name, index, argument = match.groups()
        places = _function(places, name, argument) if argument is not None else _children(places, name)
        if index is not None:
            places = places[int(index) : int(index) + 1]
    return places


def _function(places: list[_Place], name: str, argument: str) -> list[_Place]:
    if name in _ENDS and not argument:
        return places[_ENDS[name] :][:1]
    if name == "single" and not argument and len(places) <= 1:
        return places
    if name == "ofType":
        return [place for place in places if place.type == argument.removeprefix("FHIR.")]
    if name == "where":
        conditions = [_EQUALS.fullmatch(part) for part in re.split(r"\band\b", argument)]
        if all(conditions):
            return [place for place in places if all(_holds(place.value, m) for m in conditions if m is not None)]
    raise BadPatch(f"'{name}({argument})' is not understood in a patch")


def _holds(value: Any, condition: re.Match[str]) -> bool:
    path, text, truth, number = condition.groups()
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if text is not None:
        return bool(value == re.sub(r"\\(.)", r"\1", text))
    return (value is (truth == "true")) if truth is not None else str(value) == number


def _children(places: list[_Place], name: str) -> list[_Place]:
    found = []
    for place in places:
        owner, elements = place.value, elements_of(place.type)
        if not isinstance(owner, dict):
            continue
        for key in owner:
            entry = elements.get(key, {})
            if key == name or entry.get("choice") == name:
                value, type_ = owner[key], entry.get("type", "")
                if isinstance(value, list):
                    found += [_Place(value, position, type_) for position in range(len(value))]
                else:
                    found.append(_Place(owner, key, type_))
    return found


def _delete(place: _Place) -> None:
    if isinstance(place.container, list):
        place.container.pop(place.key)
    elif place.key == "":
        raise BadPatch("the whole resource cannot be removed by a patch")
    else:
        del place.container[place.key]


def _add(target: tuple[Any, str], name: str, value: Any) -> None:
    owner, type_ = target
    elements = elements_of(type_)
    if name in elements:
        key = name
    else:
        given = next((key for key in value or {} if key.startswith("value")), "value").removeprefix("value")
        key = f"{name}{given}"
    entry = elements.get(key)
    if entry is None:
        raise BadPatch(f"'{name}' is not an element of {type_}")
    made = _value(value, entry["type"])
    if entry["many"]:
        owner.setdefault(key, []).append(made)
    elif key in owner:
        raise BadPatch(f"'{name}' already has a value: use replace")
    else:
        owner[key] = made


def _value(part: Any, type_: str) -> Any:
    """Read the value of a part: a value of a FHIR type, or an object made of nested parts."""
    if not isinstance(part, dict):
        raise BadPatch("a patch operation needs 'value'")
    for key, value in part.items():
        if key.startswith("value"):
            return copy.deepcopy(value)
    if isinstance(part.get("resource"), dict):
        return copy.deepcopy(part["resource"])
    made: dict[str, Any] = {}
    for inner in part.get("part", []):
        _add((made, type_), str(inner.get("name", "")), inner)
    if not made:
        raise BadPatch("a patch operation needs 'value'")
    return made
