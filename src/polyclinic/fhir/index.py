"""The index rows of a resource: the values by which a search can find it.

One extractor serves the index table in the database, the in-memory match of staged resources, and the tests that
compare it with HL7's own expressions. So they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from polyclinic.core.records import Resource
from polyclinic.fhir.extract import Emit, IndexValues, emitter
from polyclinic.fhir.parameters import COLUMNS, KIND, parameters

# A value of the wrong type raises one of these; it is not indexed, so no search finds it.
_UNREADABLE = (ValueError, TypeError, AttributeError, KeyError)


class IndexRow(NamedTuple):
    """One indexed value.

    The meaning of `value` and `system` depends on the kind: token (code, system), reference (id, type) or (url, ""),
    string (normal form, as written), uri (uri, ""), quantity (unit code, system). `low` and `high` hold a date's range
    or a quantity's.
    """

    parameter: str
    value: str
    system: str
    low: int | float | None
    high: int | float | None


class _Plan(NamedTuple):
    """How to index a resource type.

    `presences` are parameters that say whether an element is present. `firsts` are lists of paths; in each list,
    only the first path with a value counts. `tree` holds all other paths. So absent elements cost nothing, and
    parameters that read the same elements walk to them once. `together` are elements whose parameters also read other
    elements.
    """

    presences: list[tuple[str, str]]
    firsts: list[list[tuple[tuple[str, ...], Emit]]]
    tree: dict[str, _Node]
    together: set[str]


class _Node(NamedTuple):
    """What to do with every value found at one element, and with the elements below it."""

    emits: list[Emit]
    below: dict[str, _Node]


def rows(resource: Resource) -> list[IndexRow]:
    """The index values without type and id."""
    return [IndexRow(*value[2:]) for value in index_values(resource)]


def index_values(resource: Resource) -> IndexValues:
    """Every index value of a resource, once, in a stable order, as rows of the index table.

    Values that cannot be read are not indexed. The parameters in `COLUMNS` and `KIND` are kept elsewhere.
    """
    found: IndexValues = {}
    type_, id_ = resource["resourceType"], resource.get("id", "")
    plan = _plan(type_)
    for code, prefix in plan.presences:
        present = any(key.startswith(prefix) and resource[key] is not False for key in resource)
        found[(type_, id_, code, "true" if present else "false", "", None, None)] = None
    for alternatives in plan.firsts:
        before = len(found)
        for steps, emit in alternatives:
            for node in walk(resource, steps):
                with suppress(*_UNREADABLE):
                    emit(id_, node, found)
            if len(found) > before:
                break
    _descend(id_, resource, plan.tree, found)
    return found


def some_values(resource: Resource, codes: tuple[str, ...]) -> IndexValues:
    """The index values of a few parameters. Each parameter must read only one element."""
    found: IndexValues = {}
    _descend(resource.get("id", ""), resource, _tree(resource["resourceType"], codes), found)
    return found


@cache
def _tree(type_: str, codes: tuple[str, ...]) -> dict[str, _Node]:
    tree: dict[str, _Node] = {}
    for code in codes:
        parameter = parameters(type_)[code]
        for path in parameter.paths:
            _grow(tree, path.steps).emits.append(emitter(type_, parameter, path))
    return tree


def differing_values(before: Resource, after: Resource) -> tuple[IndexValues, IndexValues]:
    """The index values of two versions of a resource, without those of elements that are the same in both."""
    plan = _plan(after["resourceType"])
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if plan.presences or not plan.together.isdisjoint(changed):
        return index_values(before), index_values(after)
    tree = {key: plan.tree[key] for key in changed if key in plan.tree}
    old: IndexValues = {}
    new: IndexValues = {}
    _descend(before.get("id", ""), before, tree, old)
    _descend(after.get("id", ""), after, tree, new)
    return old, new


def _descend(id_: str, element: Resource, tree: Mapping[str, _Node], found: IndexValues) -> None:
    for key, values in element.items():
        if key not in tree:
            continue
        emits, below = tree[key]
        for value in _flat(values):
            for emit in emits:
                try:
                    emit(id_, value, found)
                except _UNREADABLE:
                    continue
            if below and isinstance(value, dict):
                _descend(id_, value, below, found)


@cache
def _plan(type_: str) -> _Plan:
    plan = _Plan([], [], {}, set())
    columns = COLUMNS.get(type_, {})
    for parameter in parameters(type_).values():
        if parameter.code in columns or parameter.code in ("_id", "_lastUpdated", *KIND.get(type_, ())):
            continue
        elements = {path.steps[0] for path in parameter.paths}
        if len(elements) > 1:
            plan.together.update(elements)
        if any(path.first for path in parameter.paths):
            plan.together.update(elements)
            plan.firsts.append([(path.steps, emitter(type_, parameter, path)) for path in parameter.paths])
            continue
        for path in parameter.paths:
            if path.type == "presence":
                plan.presences.append((parameter.code, path.steps[0]))
            else:
                _grow(plan.tree, path.steps).emits.append(emitter(type_, parameter, path))
    return plan


def _grow(tree: dict[str, _Node], steps: tuple[str, ...]) -> _Node:
    """The node at the end of the steps; it is added to the tree if it is missing."""
    node = tree.setdefault(steps[0], _Node([], {}))
    return _grow(node.below, steps[1:]) if len(steps) > 1 else node


def _flat(node: Any) -> Sequence[Any]:
    if not isinstance(node, list):
        return () if node is None else (node,)
    for item in node:
        if item is None or isinstance(item, list):
            return list(walk(node, ()))
    return node


def walk(node: Any, steps: tuple[str, ...]) -> Iterator[Any]:
    """Every value at the end of the steps. Lists on the way are flattened."""
    if isinstance(node, list):
        for item in node:
            yield from walk(item, steps)
    elif not steps:
        if node is not None:
            yield node
    elif isinstance(node, dict) and steps[0] in node:
        yield from walk(node[steps[0]], steps[1:])
