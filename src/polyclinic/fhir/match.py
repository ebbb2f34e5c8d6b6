"""Run the searches of `sql` over resources in memory, so that staged changes are found like stored ones."""

from __future__ import annotations

from polyclinic.core.records import Resource
from polyclinic.fhir.conditions import Filter, Interval, Missing, ReferenceTarget, Search, SearchValue, Text, Token
from polyclinic.fhir.dates import EARLIEST, instant
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.index import IndexRow, rows
from polyclinic.fhir.parameters import Parameter
from polyclinic.fhir.slot_kinds import kind_values
from polyclinic.fhir.sql import approximately


def rows_of(resource: Resource) -> list[IndexRow]:
    """The index rows of a resource, as if its columns were in the index table too."""
    found = rows(resource)
    found.append(IndexRow("_id", resource["id"], "", None, None))
    updated = resource.get("meta", {}).get("lastUpdated")
    if updated:
        found.append(_point("_lastUpdated", updated))
    if resource["resourceType"] == "Slot":
        reference = resource.get("schedule", {}).get("reference", "")
        type_, id_ = split_reference(reference)
        found.append(IndexRow("schedule", id_, type_, None, None))
        found.append(IndexRow("status", resource["status"], "", None, None))
        found.extend(IndexRow(*value[2:]) for value in kind_values(resource))
        found.append(_point("start", resource["start"]))
    return found


def _point(code: str, text: str) -> IndexRow:
    at = instant(text)
    return IndexRow(code, "", "", at, at + 1)


def matches(found: list[IndexRow], condition: Filter | Missing) -> bool:
    """Whether a resource with these rows meets a condition."""
    code = condition.parameter.code
    if isinstance(condition, Missing):
        has = any(row.parameter in (code, f"{code}:identifier") for row in found)
        return has is not condition.missing
    wanted = f"{code}:identifier" if condition.modifier == "identifier" else code
    hit = any(_meets(row, condition, value) for row in found if row.parameter == wanted for value in condition.values)
    return hit is not (condition.modifier == "not")


def _meets(row: IndexRow, condition: Filter, value: SearchValue) -> bool:
    match value:
        case Token(system=system, code=code):
            return (code is None or row.value == code) and (system is None or row.system == system)
        case ReferenceTarget(type=type_, value=id_):
            return row.value == id_ and (type_ is None or row.system == type_)
        case Text():
            return _meets_text(row, condition, value)
        case Interval(system=system, unit=unit):
            named = (system is None or row.system == system) and (unit is None or row.value == unit)
            return named and row.low is not None and row.high is not None and _meets_range(row.low, row.high, value)


def _meets_text(row: IndexRow, condition: Filter, value: Text) -> bool:
    if condition.parameter.kind == "uri":
        return row.value.startswith(value.written) if condition.modifier == "below" else row.value == value.written
    match condition.modifier:
        case "exact":
            return row.system == value.written
        case "contains":
            return value.normal in row.value
        case _:
            return row.value.startswith(value.normal)


def _meets_range(low: float, high: float, interval: Interval) -> bool:
    within = low >= interval.low and high <= interval.high
    match interval.prefix:
        case "eq":
            return within
        case "ne":
            return not within
        case "gt":
            return high > interval.high
        case "lt":
            return low < interval.low
        case "ge":
            return high > interval.high or within
        case "le":
            return low < interval.low or within
        case "sa":
            return low >= interval.high
        case "eb":
            return high <= interval.low
        case "ap":
            bounds = approximately(interval)
            return low < bounds[1] and high > bounds[0]


def sort(resources: list[Resource], search: Search) -> list[Resource]:
    """Sort the resources in the order that a search asks for."""
    placed = sorted(((resource["id"], rows_of(resource), resource) for resource in resources), key=lambda item: item[0])
    for parameter, descending in reversed(search.order()):
        if parameter.kind in ("date", "quantity", "number"):
            placed.sort(key=lambda item: _number(item[1], parameter, descending), reverse=descending)
        else:
            placed.sort(key=lambda item: _text(item[1], parameter, descending), reverse=descending)
    return [resource for _, _, resource in placed]


def _number(found: list[IndexRow], parameter: Parameter, descending: bool) -> float:
    ranges = [
        (r.low, r.high) for r in found if r.parameter == parameter.code and r.low is not None and r.high is not None
    ]
    if not ranges:
        return EARLIEST
    return max(high for _, high in ranges) if descending else min(low for low, _ in ranges)


def _text(found: list[IndexRow], parameter: Parameter, descending: bool) -> str:
    values = [row.value for row in found if row.parameter == parameter.code]
    return (max if descending else min)(values, default="")
