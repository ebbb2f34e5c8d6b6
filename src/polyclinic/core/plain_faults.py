"""What validation found wrong with a value that a person wrote, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_NUMBER, _WHOLE, _TRUTH = "please write a number", "please write a whole number", "please write true or false"
_DATE, _OBJECT = (
    "please write a date such as 2025-09-30",
    'not an object with named fields, such as {{"name": "value"}}',
)
_PLAIN = {
    "missing": "please fill this in",
    "none_required": "please leave this empty",
    "extra_forbidden": "there is no such field: check its name or remove it",
    "string_type": "please write words",
    "string_too_short": "please write something here",
    "string_too_long": "please write at most {max_length} characters",
    "too_short": "please add at least {min_length}",
    "too_long": "please keep at most {max_length}",
    "literal_error": "please choose one of {expected}",
    "enum": "please choose one of {expected}",
    "union_tag_not_found": "the field {discriminator} is missing: it says of which kind this is",
    "union_tag_invalid": "'{tag}' is not one of these: {expected_tags}",
    "int_parsing": _WHOLE,
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "finite_number": _NUMBER,
    "decimal_parsing": _NUMBER,
    "decimal_type": _NUMBER,
    "bool_parsing": _TRUTH,
    "bool_type": _TRUTH,
    "date_parsing": _DATE,
    "date_type": _DATE,
    "date_from_datetime_parsing": _DATE,
    "list_type": "please write a list",
    "tuple_type": "please write a list",
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "greater_than": "please write a number above {gt}",
    "greater_than_equal": "please write a number of at least {ge}",
    "less_than": "please write a number below {lt}",
    "less_than_equal": "please write a number of at most {le}",
}
"""What a person reads for a fault of each type, with the values that pydantic gives for it."""


def plain_fault(fault: ErrorDetails) -> str:
    """One fault in plain words. A check of our own says by itself what is wrong."""
    said = _PLAIN.get(fault["type"], "").format_map(fault.get("ctx", {}))
    return said or fault["msg"].removeprefix("Value error, ")
