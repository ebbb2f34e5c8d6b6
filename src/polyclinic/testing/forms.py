"""Fill in a form of the browser like a person who leaves no field empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_Row = Mapping[str, Any]
"""A field as the API describes it: its name, its kind, and what that kind needs."""


def fill_form(rows: Sequence[_Row]) -> dict[str, Any]:
    """A value for each field, by the field's name."""
    return {row["name"]: _value(row) for row in rows}


def _value(row: _Row) -> Any:
    match row["kind"]:
        case "choice":
            return row["options"][0]["value"]
        case "yes_no":
            return True
        case "number":
            return int(row["least"] or 1)
        case "texts":
            return ["one", "two"]
        case "group":
            return fill_form(row["rows"])
        case "groups":
            return [fill_form(row["rows"])]
    return "09:00" if "HH:MM" in row["label"] else "I would like to know more about that."
