"""A search as SQL over the tables of `schema`.

Resource types and parameter codes are written into the text (they come from this package's own tables, never from a
request); every value is bound. The same text is valid in both dialects.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import orjson

from polyclinic.fhir.dates import EARLIEST
from polyclinic.fhir.parameters import Parameter
from polyclinic.fhir.query import (
    BadSearch,
    Chain,
    Condition,
    Filter,
    Has,
    Interval,
    Missing,
    Search,
    Target,
    Text,
    Token,
    Value,
    column_of,
)

_LAST = "\U0010ffff"
_LIVE = "r.type = '{}' AND r.body IS NOT NULL"
# Only slots have a schedule, so naming the type too would only tempt a planner into walking all slots.
_OF_SCHEDULE = "r.body IS NOT NULL"
_ROWS = "type = '{}' AND parameter = '{}'"


class Sql(NamedTuple):
    """A piece of SQL with the values bound in it."""

    text: str
    values: list[object]


def _any(pieces: Sequence[Sql]) -> Sql:
    values = [value for piece in pieces for value in piece.values]
    if len(pieces) == 1:
        return Sql(pieces[0].text, values)
    return Sql("(" + " OR ".join(piece.text for piece in pieces) + ")", values)


def where(search: Search) -> Sql:
    """All conditions of a search on table `r`, deleted resources excluded."""
    parts, values = [_OF_SCHEDULE if search.by_schedule() else _LIVE.format(search.type)], []
    for condition in search.conditions:
        piece = _condition(search.type, condition)
        parts.append(piece.text)
        values.extend(piece.values)
    return Sql(" AND ".join(parts), values)


@lru_cache(maxsize=4096)
def _condition(type_: str, condition: Condition) -> Sql:
    """A condition on row `r` of `type_`. Its values are never changed, so it can be kept."""
    if isinstance(condition, Has):
        return _has(type_, condition)
    column = column_of(type_, condition.parameter)
    if isinstance(condition, Missing):
        return _missing(type_, condition, column)
    if isinstance(condition, Chain):
        return _chain(type_, condition, column)
    negated = condition.modifier == "not"
    if column:
        piece = _any([_column_test(f"r.{column}", condition.parameter, value) for value in condition.values])
        return Sql(f"({piece.text}) IS NOT TRUE", piece.values) if negated else piece
    code = condition.parameter.code + (":identifier" if condition.modifier == "identifier" else "")
    test = _any([_index_test(condition, value) for value in condition.values])
    membership = "NOT IN" if negated else "IN"
    return Sql(
        f"r.id {membership} (SELECT id FROM fhir_index WHERE {_ROWS.format(type_, code)} AND {test.text})",
        test.values,
    )


def _missing(type_: str, condition: Missing, column: str | None) -> Sql:
    if column:
        return Sql(f"r.{column} IS {'' if condition.missing else 'NOT '}NULL", [])
    code = condition.parameter.code
    rows = f"SELECT id FROM fhir_index WHERE type = '{type_}' AND parameter IN ('{code}', '{code}:identifier')"
    return Sql(f"r.id {'NOT ' if condition.missing else ''}IN ({rows})", [])


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
    return _any(pieces)


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


def _column_test(column: str, parameter: Parameter, value: Value) -> Sql:
    match value:
        case Token(code=code):
            return Sql(f"{column} = ?", [code])
        case Target(type=type_, value=id_):
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
    """The range widened by a day at least for a date, by a tenth for a quantity."""
    if isinstance(interval.low, int):
        margin = max(int(interval.high - interval.low), 86_400_000_000)
        return interval.low - margin, interval.high + margin
    return interval.low - abs(interval.low) / 10, interval.high + abs(interval.high) / 10


def _index_test(condition: Filter, value: Value) -> Sql:
    match value:
        case Token(system=system, code=code):
            return _pair_test(code, system)
        case Target(type=type_, value=id_):
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
    """Compare two ranges as FHIR says: `low` is inclusive, `high` exclusive for dates and inclusive for quantities."""
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


class Order(NamedTuple):
    """One sort key: its expression on `r`, whether it descends, and whether it is a number. It is never NULL."""

    expression: str
    descending: bool
    numeric: bool


def order(search: Search) -> list[Order]:
    """The sort keys, the id last so that the order is total and a page can continue after any row."""
    keys = [_sort_key(search.type, parameter, down) for parameter, down in search.order()]
    return [*keys, Order("r.id", False, False)]


def _sort_key(type_: str, parameter: Parameter, descending: bool) -> Order:
    """A key of the order. `|| ''` keeps the planner on the index by owner: any other would walk all rows of a
    parameter.
    """
    numeric = parameter.kind in ("date", "quantity", "number")
    column = column_of(type_, parameter)
    if column:
        always = numeric or column == "id"
        return Order(f"r.{column}" if always else f"COALESCE(r.{column}, '')", descending, numeric)
    value, nothing = ("x.high" if descending else "x.low", str(EARLIEST)) if numeric else ("x.value", "''")
    function = "max" if descending else "min"
    expression = (
        f"COALESCE((SELECT {function}({value}) FROM fhir_index x WHERE x.id = r.id AND x.type || '' = '{type_}'"
        f" AND x.parameter || '' = '{parameter.code}'), {nothing})"
    )
    return Order(expression, descending, numeric)


def page(search: Search, limit: int) -> Sql:
    """The rows of one page: id, version, updated, body and the sort keys, after the cursor if there is one."""
    conditions = where(search)
    keys = order(search)
    text, values = conditions
    if search.cursor is not None:
        after = _after(keys, _read_cursor(search.cursor, keys))
        text, values = f"{text} AND {after.text}", [*values, *after.values]
    columns = ", ".join(["r.id", "r.version", "r.updated", "r.body", *(key.expression for key in keys[:-1])])
    ordering = ", ".join(f"{key.expression}{' DESC' if key.descending else ''}" for key in keys)
    return Sql(f"SELECT {columns} FROM fhir_resource r WHERE {text} ORDER BY {ordering} LIMIT {limit:d}", values)


def _after(keys: Sequence[Order], last: Sequence[object]) -> Sql:
    pieces = []
    for position, key in enumerate(keys):
        equal = [f"{earlier.expression} = ?" for earlier in keys[:position]]
        beyond = f"{key.expression} {'<' if key.descending else '>'} ?"
        pieces.append(Sql("(" + " AND ".join([*equal, beyond]) + ")", list(last[: position + 1])))
    return _any(pieces)


def count(search: Search) -> Sql:
    """How many resources match."""
    conditions = where(search)
    return Sql(f"SELECT count(*) FROM fhir_resource r WHERE {conditions.text}", conditions.values)


def write_cursor(keys: Sequence[object]) -> str:
    """An opaque text from which the next page continues."""
    plain = [(int(k) if k == int(k) else float(k)) if isinstance(k, Decimal) else k for k in keys]
    return base64.urlsafe_b64encode(orjson.dumps(plain)).decode().rstrip("=")


def _read_cursor(text: str, keys: Sequence[Order]) -> list[object]:
    """The last row's keys, each of the kind that its place in the order has."""
    try:
        last = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, orjson.JSONDecodeError, ValueError) as error:
        raise BadSearch("'_page' is not a link that this server gave") from error
    right = isinstance(last, list) and len(last) == len(keys)
    if not right or not all(_fits(value, key.numeric) for value, key in zip(last, keys, strict=True)):
        raise BadSearch("'_page' is not a link that this server gave for this search")
    return list(last)


def _fits(value: object, numeric: bool) -> bool:
    if numeric:
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**62
        return whole or isinstance(value, float)
    return isinstance(value, str) and "\x00" not in value
