"""Compile a search to SQL over the tables of `schema`.

Resource types and parameter codes are written into the text; they come from this package's own tables, never from a
request. Every value is bound. The same text is valid in both dialects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from polyclinic.fhir.conditions import (
    AnyOf,
    Chain,
    Condition,
    Filter,
    Has,
    Interval,
    Missing,
    ReferenceTarget,
    Search,
    SearchValue,
    Text,
    Token,
)
from polyclinic.fhir.parameters import KIND, Parameter
from polyclinic.fhir.query import column_of

_LAST = "\U0010ffff"
_LIVE = "r.type = '{}' AND r.body IS NOT NULL"
# Only slots have a schedule. If the type were named too, a query planner might scan all slots.
_OF_SCHEDULE = "r.body IS NOT NULL"
_JOINED = 8
"""PostgreSQL may turn this many conditions into joins. Planning 100 joins takes it seconds; `IS TRUE` prevents that."""
_ROWS = "type = '{}' AND parameter = '{}'"


class Sql(NamedTuple):
    """A piece of SQL and the values to bind."""

    text: str
    values: list[object]


def any_of(pieces: Sequence[Sql]) -> Sql:
    """SQL that is true if at least one of these pieces is true."""
    values = [value for piece in pieces for value in piece.values]
    if len(pieces) == 1:
        return Sql(pieces[0].text, values)
    return Sql("(" + " OR ".join(piece.text for piece in pieces) + ")", values)


def where(search: Search) -> Sql:
    """SQL for all conditions of a search on table `r`. Deleted resources are excluded."""
    parts, values = [_OF_SCHEDULE if search.by_schedule() else _LIVE.format(search.type)], []
    for number, condition in enumerate(search.conditions):
        piece = _condition(search.type, condition)
        parts.append(piece.text if number < _JOINED else f"({piece.text}) IS TRUE")
        values.extend(piece.values)
    return Sql(" AND ".join(parts), values)


@lru_cache(maxsize=4096)
def _condition(type_: str, condition: Condition) -> Sql:
    """The SQL of a condition on row `r` of `type_`. Its values are never changed, so it can be cached."""
    if isinstance(condition, Has):
        return _has(type_, condition)
    if isinstance(condition, AnyOf):
        return _groups(type_, condition)
    column = column_of(type_, condition.parameter)
    if isinstance(condition, Missing):
        return _missing(type_, condition, column)
    if isinstance(condition, Chain):
        return _chain(type_, condition, column)
    negated = condition.modifier == "not"
    if column:
        piece = any_of([_column_test(f"r.{column}", condition.parameter, value) for value in condition.values])
        return Sql(f"({piece.text}) IS NOT TRUE", piece.values) if negated else piece
    code = condition.parameter.code + (":identifier" if condition.modifier == "identifier" else "")
    test = any_of([_index_test(condition, value) for value in condition.values])
    rows = f"SELECT id FROM fhir_index WHERE {_ROWS.format(type_, code)} AND {test.text}"
    return _owns(type_, code, Sql(rows, test.values), negated)


def _groups(type_: str, condition: AnyOf) -> Sql:
    pieces = []
    for group in condition.groups:
        parts = [_condition(type_, each) for each in group]
        text = " AND ".join(part.text for part in parts)
        pieces.append(Sql(f"({text})", [value for part in parts for value in part.values]))
    whole = any_of(pieces)
    return Sql(f"({whole.text}) IS NOT TRUE", whole.values) if condition.negated else whole


def _owns(type_: str, code: str, rows: Sql, negated: bool) -> Sql:
    """SQL: the resource or its kind has one of these index rows. If negated: neither of them has."""
    membership = "NOT IN" if negated else "IN"
    own = f"r.id {membership} ({rows.text})"
    if code not in KIND.get(type_, ()):
        return Sql(own, rows.values)
    joined = "AND" if negated else "OR"
    return Sql(f"({own} {joined} COALESCE(r.kind, '') {membership} ({rows.text}))", [*rows.values, *rows.values])


def _missing(type_: str, condition: Missing, column: str | None) -> Sql:
    if column:
        return Sql(f"r.{column} IS {'' if condition.missing else 'NOT '}NULL", [])
    code = condition.parameter.code
    rows = f"SELECT id FROM fhir_index WHERE type = '{type_}' AND parameter IN ('{code}', '{code}:identifier')"
    return _owns(type_, code, Sql(rows, []), condition.missing)


def _ids(type_: str, condition: Condition) -> Sql:
    """The ids of the resources of `type_` that meet a condition."""
    inner = _condition(type_, condition)
    return Sql(f"SELECT r.id FROM fhir_resource r WHERE {_LIVE.format(type_)} AND {inner.text}", inner.values)


def _chain(type_: str, condition: Chain, column: str | None) -> Sql:
    pieces = []
    for target, inner in condition.targets:
        ids = _ids(target, inner)
        if column:
            pieces.append(Sql(f"r.{column} IN ({ids.text})", ids.values))
        else:
            pieces.append(
                Sql(
                    f"r.id IN (SELECT id FROM fhir_index WHERE {_ROWS.format(type_, condition.parameter.code)}"
                    f" AND system = '{target}' AND value IN ({ids.text}))",
                    ids.values,
                )
            )
    return any_of(pieces)


def _has(type_: str, condition: Has) -> Sql:
    column = column_of(condition.type, condition.parameter)
    if column:
        inner = _condition(condition.type, condition.condition)
        return Sql(
            f"r.id IN (SELECT r.{column} FROM fhir_resource r WHERE {_LIVE.format(condition.type)} AND {inner.text})",
            inner.values,
        )
    ids = _ids(condition.type, condition.condition)
    return Sql(
        f"r.id IN (SELECT value FROM fhir_index WHERE {_ROWS.format(condition.type, condition.parameter.code)}"
        f" AND system = '{type_}' AND id IN ({ids.text}))",
        ids.values,
    )


def _column_test(column: str, parameter: Parameter, value: SearchValue) -> Sql:
    match value:
        case Token(code=code):
            return Sql(f"{column} = ?", [code])
        case ReferenceTarget(type=type_, value=id_):
            if type_ and type_ not in parameter.targets:
                return Sql("1 = 0", [])
            return Sql(f"{column} = ?", [id_])
        case Interval():
            return _point_test(column, value)
        case Text(written=text):
            return Sql(f"{column} = ?", [text])


def _point_test(column: str, interval: Interval) -> Sql:
    low, high = interval.low, interval.high
    match interval.prefix:
        case "eq":
            return Sql(f"({column} >= ? AND {column} < ?)", [low, high])
        case "ne":
            return Sql(f"({column} < ? OR {column} >= ?)", [low, high])
        case "ge":
            return Sql(f"{column} >= ?", [low])
        case "gt" | "sa":
            return Sql(f"{column} >= ?", [high])
        case "le":
            return Sql(f"{column} < ?", [high])
        case "lt" | "eb":
            return Sql(f"{column} < ?", [low])
        case "ap":
            return Sql(f"({column} >= ? AND {column} < ?)", list(approximately(interval)))


def approximately(interval: Interval) -> tuple[float, float]:
    """The range, widened for 'approximately': by at least a day for a date, by a tenth for a quantity."""
    if isinstance(interval.low, int):
        margin = max(int(interval.high - interval.low), 86_400_000_000)
        return interval.low - margin, interval.high + margin
    return interval.low - abs(interval.low) / 10, interval.high + abs(interval.high) / 10


def _index_test(condition: Filter, value: SearchValue) -> Sql:
    match value:
        case Token(system=system, code=code):
            return _pair_test(code, system)
        case ReferenceTarget(type=type_, value=id_):
            return _pair_test(id_, type_)
        case Text():
            return _text_test(condition, value)
        case Interval():
            test = _range_test(value)
            for column, bound in (("system", value.system), ("value", value.unit)):
                if bound is not None:
                    test = Sql(f"{test.text} AND {column} = ?", [*test.values, bound])
            return Sql(f"({test.text})", test.values)


def _pair_test(value: str | None, system: str | None) -> Sql:
    if value is None:
        return Sql("system = ?", [system])
    if system is None:
        return Sql("value = ?", [value])
    return Sql("(value = ? AND system = ?)", [value, system])


def _text_test(condition: Filter, value: Text) -> Sql:
    if condition.parameter.kind == "uri":
        if condition.modifier == "below":
            return Sql("(value >= ? AND value < ?)", [value.written, value.written + _LAST])
        return Sql("value = ?", [value.written])
    match condition.modifier:
        case "exact":
            return Sql("(value = ? AND system = ?)", [value.normal, value.written])
        case "contains":
            pattern = value.normal.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            return Sql("value LIKE ? ESCAPE '\\'", [f"%{pattern}%"])
        case _:
            return Sql("(value >= ? AND value < ?)", [value.normal, value.normal + _LAST])


def _range_test(interval: Interval) -> Sql:
    """Compare two ranges by FHIR's rules.

    `low` is inclusive; `high` is exclusive for dates and inclusive for quantities.
    """
    low, high = interval.low, interval.high
    within = Sql("(low >= ? AND high <= ?)", [low, high])
    match interval.prefix:
        case "eq":
            return within
        case "ne":
            return Sql("NOT (low >= ? AND high <= ?)", [low, high])
        case "gt":
            return Sql("high > ?", [high])
        case "lt":
            return Sql("low < ?", [low])
        case "ge":
            return Sql("(high > ? OR (low >= ? AND high <= ?))", [high, low, high])
        case "le":
            return Sql("(low < ? OR (low >= ? AND high <= ?))", [low, low, high])
        case "sa":
            return Sql("low >= ?", [high])
        case "eb":
            return Sql("high <= ?", [low])
        case "ap":
            bounds = approximately(interval)
            return Sql("(low < ? AND high > ?)", [bounds[1], bounds[0]])
