"""The order of a search's matches and its pages, as SQL. A cursor names the last match of a page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import orjson

from polyclinic.fhir.conditions import (
    BadSearch,
    Search,
)
from polyclinic.fhir.dates import EARLIEST
from polyclinic.fhir.parameters import KIND, Parameter
from polyclinic.fhir.query import column_of
from polyclinic.fhir.sql import Sql, any_of, where


class SortKey(NamedTuple):
    """One sort key: its expression on `r`, whether it descends, and whether it is a number. The value is never NULL."""

    expression: str
    descending: bool
    numeric: bool


def order(search: Search) -> list[SortKey]:
    """The sort keys. The id comes last, so that the order is unique and a page can continue after any row."""
    keys = [_sort_key(search.type, parameter, down) for parameter, down in search.order()]
    return [*keys, SortKey("r.id", False, False)]


def _sort_key(type_: str, parameter: Parameter, descending: bool) -> SortKey:
    """The SQL sort key for a parameter.

    `|| ''` makes the query planner use the index by owner. With another index it would scan all rows of a parameter.
    """
    numeric = parameter.kind in ("date", "quantity", "number")
    column = column_of(type_, parameter)
    if column:
        always = numeric or column == "id"
        return SortKey(f"r.{column}" if always else f"COALESCE(r.{column}, '')", descending, numeric)
    value, nothing = ("x.high" if descending else "x.low", str(EARLIEST)) if numeric else ("x.value", "''")
    function = "max" if descending else "min"
    owner = "IN (r.id, r.kind)" if parameter.code in KIND.get(type_, ()) else "= r.id"
    expression = (
        f"COALESCE((SELECT {function}({value}) FROM fhir_index x WHERE x.id {owner} AND x.type || '' = '{type_}'"
        f" AND x.parameter || '' = '{parameter.code}'), {nothing})"
    )
    return SortKey(expression, descending, numeric)


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


def _after(keys: Sequence[SortKey], last: Sequence[object]) -> Sql:
    pieces = []
    for position, key in enumerate(keys):
        equal = [f"{earlier.expression} = ?" for earlier in keys[:position]]
        beyond = f"{key.expression} {'<' if key.descending else '>'} ?"
        pieces.append(Sql("(" + " AND ".join([*equal, beyond]) + ")", list(last[: position + 1])))
    return any_of(pieces)


def count(search: Search) -> Sql:
    """How many resources match."""
    conditions = where(search)
    return Sql(f"SELECT count(*) FROM fhir_resource r WHERE {conditions.text}", conditions.values)


def write_cursor(keys: Sequence[object]) -> str:
    """Write an opaque text that says where the next page continues."""
    plain = [(int(k) if k == int(k) else float(k)) if isinstance(k, Decimal) else k for k in keys]
    return base64.urlsafe_b64encode(orjson.dumps(plain)).decode().rstrip("=")


def _read_cursor(text: str, keys: Sequence[SortKey], name: str = "_page") -> list[object]:
    """Read the sort keys of the last row from a cursor, and check that each has the right type."""
    try:
        last = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, orjson.JSONDecodeError, ValueError) as error:
        raise BadSearch(f"'{name}' does not come from a link that this server gave") from error
    right = isinstance(last, list) and len(last) == len(keys)
    if not right or not all(_fits(value, key.numeric) for value, key in zip(last, keys, strict=True)):
        raise BadSearch(f"'{name}' does not come from a link that this server gave for this search")
    return list(last)


def read_key(text: str) -> tuple[str, str]:
    """Read the type and id at which the included resources continue."""
    plain = (SortKey("type", False, False), SortKey("id", False, False))
    type_, id_ = _read_cursor(text, plain, "_included")
    return str(type_), str(id_)


def _fits(value: object, numeric: bool) -> bool:
    if numeric:
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**62
        return whole or isinstance(value, float)
    return isinstance(value, str) and "\x00" not in value
