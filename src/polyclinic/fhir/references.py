"""Check references: a resource from outside may refer only to resources that exist or that come with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from polyclinic.core.records import Problem, RecordInvalid, Resource
from polyclinic.fhir import storage
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.unit_of_work import UnitOfWork

_LOCAL = re.compile(r"([A-Z][A-Za-z]+)/([A-Za-z0-9\-.]{1,64})(?:/_history/[A-Za-z0-9\-.]{1,64})?", re.ASCII)
_PLACEHOLDERS = ("urn:uuid:", "urn:oid:")


def references_in(value: Any) -> Iterator[str]:
    """Every reference that a resource holds."""
    if isinstance(value, dict):
        reference = value.get("reference")
        if isinstance(reference, str):
            yield reference
        for item in value.values():
            if isinstance(item, dict | list):
                yield from references_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from references_in(item)


def refuse_dangling(work: UnitOfWork, base: str) -> None:
    """Raise RecordInvalid if a resource that was written here got a reference to a resource that does not exist.

    Older references are not checked: loaded data may be incomplete, and it must still be possible to change it.
    References to other servers, to contained resources and to types that are not kept here cannot be checked.
    """
    wanted: dict[Key, Key] = {}
    for source, resource in work.after.items():
        if resource is not None:
            for target in _new_targets(work.resource_before(source), resource, source, base):
                wanted.setdefault(target, source)
    unknown = [key for key in wanted if work.after.get(key) is None]
    found = {
        (row.type, row.id) for row in storage.read_keys(work.transaction, [k for k in unknown if k not in work.after])
    }
    missing = [key for key in unknown if key not in found]
    if missing:
        _refuse([f"{'/'.join(wanted[key])} refers to {'/'.join(key)}, which does not exist" for key in missing])


def _new_targets(before: Resource | None, resource: Resource, source: Key, base: str) -> Iterable[Key]:
    known = set(references_in(before)) if before is not None else set()
    for reference in references_in(resource):
        if reference in known:
            continue
        if reference.startswith(_PLACEHOLDERS):
            _refuse([f"{'/'.join(source)} refers to {reference}, but no entry has this fullUrl"])
        match = _LOCAL.fullmatch(reference.removeprefix(f"{base}/") if base else reference)
        if match is not None and match[1] in resource_types():
            yield match[1], match[2]


def _refuse(texts: list[str]) -> None:
    raise RecordInvalid(texts[0], [Problem("not-found", text.partition("/")[0], text) for text in texts[:20]])
