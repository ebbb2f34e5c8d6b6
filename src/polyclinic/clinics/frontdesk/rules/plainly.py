"""What a sentence says plainly at the front desk: the patterns of `data/plainly.toml`, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from polyclinic.core.files import package_data


@lru_cache(maxsize=1)
def patterns() -> Mapping[str, re.Pattern[str]]:
    """Each list of patterns as one pattern.

    It matches at the beginning of a word; patterns for the text after a name match anywhere.
    """
    tables: Mapping[str, Sequence[str]] = package_data("polyclinic.clinics.frontdesk", "data/plainly.toml")
    return {
        name: re.compile(rf"{'' if name.endswith('_after') else chr(92) + 'b'}(?:{'|'.join(words)})", re.IGNORECASE)
        for name, words in tables.items()
    }


def says(name: str, text: str) -> bool:
    """Whether a text says this plainly."""
    return patterns()[name].search(text) is not None


def without(name: str, text: str) -> str:
    """The text without the places where these patterns match."""
    return patterns()[name].sub(" ", text)
