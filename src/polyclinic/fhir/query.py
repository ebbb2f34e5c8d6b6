"""A FHIR search as data: parsed once, then compiled to SQL (`sql`) or matched in memory (`match`).

Every value is read here, so later steps never see a malformed value. Unknown parameters are collected in
`Search.ignored`; the caller decides whether they are an error (strict handling) or a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal, cast

from polyclinic.core.records import Query
from polyclinic.fhir.conditions import (
    BadSearch,
    Chain,
    Condition,
    Filter,
    Has,
    Include,
    Missing,
    ReferenceTarget,
    Search,
)
from polyclinic.fhir.parameters import COLUMNS, Parameter, parameters, resource_types
from polyclinic.fhir.query_values import read_value, split_values
from polyclinic.fhir.r4.mapping import TYPES, as_in_r4, r5_condition, r5_parameter, require_r4

MAX_COUNT = 1000
MAX_VALUES = 500
MAX_PARAMETERS = 100
MAX_DEPTH = 5
_MODIFIERS: dict[str, frozenset[str]] = {
    "token": frozenset({"not"}),
    "string": frozenset({"exact", "contains"}),
    "reference": frozenset({"identifier"}),
    "uri": frozenset({"below"}),
}


def pairs(query: Query) -> list[tuple[str, str]]:
    """Turn a mapping into the name-value pairs of a query string."""
    return [(k, v) for k, vs in query.items() for v in ([vs] if isinstance(vs, str) else vs)]


def parse_search(type_: str, query: Iterable[tuple[str, str]], base: str = "", *, r4: bool = False) -> Search:
    """Read a search. `base` is this server's own address; references may begin with it. Raises BadSearch.

    With `r4`, its names and values are those of R4.
    """
    if type_ not in resource_types():
        raise BadSearch(f"resource type '{type_}' is not supported")
    search = Search(type_)
    for number, (name, text) in enumerate(query):
        if number >= MAX_PARAMETERS:
            raise BadSearch(f"a search can have at most {MAX_PARAMETERS} parameters")
        if name in CONTROLS:
            CONTROLS[name](search, text)
            search.used.append((name, text))
        elif name not in ("_format", "_pretty"):
            condition = parse_condition(type_, name, text, base, r4=r4)
            if condition is None:
                search.ignored.append(name)
            else:
                search.conditions.append(condition)
                search.used.append((name, text))
    if r4:
        as_in_r4(search)
    return search


@lru_cache(maxsize=4096)
def parse_condition(
    type_: str, name: str, text: str, base: str = "", depth: int = 0, *, r4: bool = False
) -> Condition | None:
    """Read one condition of a search on `type_`; None when the parameter is unknown.

    Results are cached, because the same conditions come again and again.
    """
    if depth > MAX_DEPTH:
        raise BadSearch(f"'{name}' nests deeper than {MAX_DEPTH}")
    if name.startswith("_has:"):
        return _has(type_, name, text, base, depth, r4=r4)
    head, dot, rest = name.partition(".")
    code, _, modifier = head.partition(":")
    parameter = parameters(type_).get(r5_parameter(type_, code) if r4 else code)
    if parameter is None:
        return None
    if dot:
        return _chain(parameter, modifier, rest, text, base, depth, r4=r4)
    if modifier == "missing":
        if text not in ("true", "false"):
            raise BadSearch(f"'{name}' must be true or false, not '{text}'")
        return Missing(parameter, text == "true")
    target = modifier if parameter.kind == "reference" and modifier in resource_types() else None
    if modifier and not target and modifier not in _MODIFIERS.get(parameter.kind, ()):
        raise BadSearch(f"modifier ':{modifier}' is not supported on the {parameter.kind} parameter '{code}'")
    texts = split_values(text)
    if len(texts) > MAX_VALUES:
        raise BadSearch(f"'{name}' has {len(texts)} values; at most {MAX_VALUES} are allowed")
    values = tuple(read_value(parameter, None if target else modifier or None, part, base) for part in texts)
    if target:
        values = tuple(ReferenceTarget(target, v.value) if isinstance(v, ReferenceTarget) else v for v in values)
    found = Filter(parameter, None if target else modifier or None, values)
    return r5_condition(type_, found) if r4 else found


def _has(type_: str, name: str, text: str, base: str, depth: int, *, r4: bool) -> Condition | None:
    parts = name.split(":", 3)
    if len(parts) != 4 or parts[1] not in resource_types():
        raise BadSearch(f"'{name}' is not of the form _has:Type:reference:parameter")
    if r4:
        require_r4(parts[1])
    reference = parameters(parts[1]).get(parts[2])
    if reference is None or reference.kind != "reference":
        raise BadSearch(f"'{parts[2]}' is not a reference parameter of {parts[1]}")
    inner = parse_condition(parts[1], parts[3], text, base, depth + 1, r4=r4)
    return None if inner is None else Has(parts[1], reference, inner)


def _chain(
    parameter: Parameter, type_: str, rest: str, text: str, base: str, depth: int, *, r4: bool
) -> Condition | None:
    if parameter.kind != "reference":
        raise BadSearch(f"'{parameter.code}' is not a reference, so it cannot be chained")
    if type_ and type_ not in resource_types():
        raise BadSearch(f"resource type '{type_}' is not supported")
    if r4 and type_:
        require_r4(type_)
    targets = []
    for target in (type_,) if type_ else parameter.targets:
        if r4 and target not in TYPES:
            continue
        inner = parse_condition(target, rest, text, base, depth + 1, r4=r4)
        if inner is not None:
            targets.append((target, inner))
    return Chain(parameter, tuple(targets)) if targets else None


def _sort(search: Search, text: str) -> None:
    for part in text.split(","):
        code = part.removeprefix("-")
        parameter = parameters(search.type).get(code)
        if parameter is None:
            raise BadSearch(f"cannot sort {search.type} by '{code}'")
        search.sort.append((parameter, part.startswith("-")))
    if len(search.sort) > MAX_DEPTH:
        raise BadSearch(f"at most {MAX_DEPTH} sort keys are allowed")


def _count(search: Search, text: str) -> None:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadSearch(f"'_count' must be a number of 0 or more, not '{text}'")
    search.count = min(int(text), MAX_COUNT)


def _total(search: Search, text: str) -> None:
    if text not in ("none", "estimate", "accurate"):
        raise BadSearch(f"'_total' must be none, estimate or accurate, not '{text}'")
    search.total = cast(Literal["none", "estimate", "accurate"], text)


def _summary(search: Search, text: str) -> None:
    if text not in ("true", "text", "data", "count", "false"):
        raise BadSearch(f"'_summary' must be true, text, data, count or false, not '{text}'")
    search.summary = cast(Literal["true", "text", "data", "count", "false"], text)


def _elements(search: Search, text: str) -> None:
    search.elements = tuple(dict.fromkeys(e for e in (part.strip() for part in text.split(",")) if e))


def _page(search: Search, text: str) -> None:
    search.cursor = text


def _included(search: Search, text: str) -> None:
    search.included_after = text


def _include(text: str, iterate: bool) -> Include:
    parts: Sequence[str] = text.split(":")
    if len(parts) == 1 and parts[0] == "*":
        return Include("*", None, None, iterate)
    if len(parts) not in (2, 3) or parts[0] not in resource_types():
        raise BadSearch(f"'{text}' is not of the form Type:reference or Type:reference:TargetType")
    if parts[1] != "*":
        parameter = parameters(parts[0]).get(parts[1])
        if parameter is None or parameter.kind != "reference":
            raise BadSearch(f"'{parts[1]}' is not a reference parameter of {parts[0]}")
    return Include(parts[0], None if parts[1] == "*" else parts[1], parts[2] if len(parts) == 3 else None, iterate)


CONTROLS: dict[str, Callable[[Search, str], None]] = {
    "_sort": _sort,
    "_count": _count,
    "_total": _total,
    "_summary": _summary,
    "_elements": _elements,
    "_page": _page,
    "_included": _included,
    "_include": lambda search, text: search.includes.append(_include(text, False)),
    "_include:iterate": lambda search, text: search.includes.append(_include(text, True)),
    "_revinclude": lambda search, text: search.reverse_includes.append(_include(text, False)),
    "_revinclude:iterate": lambda search, text: search.reverse_includes.append(_include(text, True)),
}


def column_of(type_: str, parameter: Parameter) -> str | None:
    """The column of the resource's own row that holds a parameter's value; None if there is no such column."""
    if parameter.code == "_id":
        return "id"
    if parameter.code == "_lastUpdated":
        return "updated"
    return COLUMNS.get(type_, {}).get(parameter.code)
