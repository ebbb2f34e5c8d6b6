"""JSON Patch (RFC 6902): apply the operations to a copy of a resource, all or none."""

from __future__ import annotations

import copy
from typing import Any

from polyclinic.core.records import RecordConflict, RecordsError, Resource

MAX_OPERATIONS = 1000
_NEEDED = {
    "add": ("value",),
    "replace": ("value",),
    "test": ("value",),
    "remove": (),
    "move": ("from",),
    "copy": ("from",),
}


class BadPatch(RecordsError, status=422, code="processing"):
    """A malformed patch, or one whose path leads to nothing."""


def apply_patch(resource: Resource, operations: object) -> Resource:
    """Return the patched resource. Raises BadPatch, or RecordConflict when a `test` fails."""
    if not isinstance(operations, list) or len(operations) > MAX_OPERATIONS:
        raise BadPatch(f"a JSON Patch must be an array of at most {MAX_OPERATIONS} operations")
    document: Any = copy.deepcopy(resource)
    for position, operation in enumerate(operations):
        if not isinstance(operation, dict) or operation.get("op") not in _NEEDED:
            raise BadPatch(f"operation {position}: 'op' must be one of {', '.join(_NEEDED)}")
        for name in ("path", *_NEEDED[operation["op"]]):
            if name not in operation or (name != "value" and not isinstance(operation[name], str)):
                raise BadPatch(f"operation {position}: '{name}' is missing or not a string")
        document = _apply(document, operation)
    if not isinstance(document, dict):
        raise BadPatch("the result of the patch is not a resource")
    return unless_renamed(document, resource)


def unless_renamed(document: Resource, resource: Resource) -> Resource:
    """Return the patched resource. Raises BadPatch if its type or its id was changed."""
    for fixed in ("resourceType", "id"):
        if document.get(fixed) != resource.get(fixed):
            raise BadPatch(f"a patch may not change '{fixed}'")
    return document


def _apply(document: Any, operation: dict[str, Any]) -> Any:
    path = _pointer(operation["path"])
    match operation["op"]:
        case "add":
            return _add(document, path, copy.deepcopy(operation["value"]))
        case "remove":
            return _remove(document, path)
        case "replace":
            _get(document, path)
            return _add(_remove(document, path) if path else None, path, copy.deepcopy(operation["value"]))
        case "move":
            source = _pointer(operation["from"])
            if path[: len(source)] == source and path != source:
                raise BadPatch("cannot move a value into itself")
            value = _get(document, source)
            return _add(_remove(document, source), path, value)
        case "copy":
            return _add(document, path, copy.deepcopy(_get(document, _pointer(operation["from"]))))
        case _:
            if not _same(_get(document, path), operation["value"]):
                raise RecordConflict(f"patch test failed at '{operation['path']}'")
            return document


def _same(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)


def _pointer(text: str) -> list[str]:
    if text == "":
        return []
    if not text.startswith("/"):
        raise BadPatch(f"'{text}' is not a JSON Pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]


def _position(container: list[Any], part: str, *, append: bool) -> int:
    if part == "-" and append:
        return len(container)
    digits = part.isascii() and part.isdigit() and len(part) < 8 and (part == "0" or not part.startswith("0"))
    if not digits or int(part) >= len(container) + append:
        raise BadPatch(f"the list has no position '{part}'")
    return int(part)


def _get(document: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(document, list):
            document = document[_position(document, part, append=False)]
        elif isinstance(document, dict) and part in document:
            document = document[part]
        else:
            raise BadPatch(f"there is nothing at '{part}'")
    return document


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    container = _get(document, path[:-1])
    if isinstance(container, list):
        container.insert(_position(container, path[-1], append=True), value)
    elif isinstance(container, dict):
        container[path[-1]] = value
    else:
        raise BadPatch(f"nothing can be put at '{path[-1]}'")
    return document


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        raise BadPatch("the whole resource cannot be removed by a patch")
    _get(document, path)
    container = _get(document, path[:-1])
    if isinstance(container, list):
        container.pop(_position(container, path[-1], append=False))
    else:
        del container[path[-1]]
    return document
