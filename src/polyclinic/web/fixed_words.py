"""Korean for what is fixed in English: names of parts and figures, explanations, buttons, briefs, forms, reasons.

A clinic brings its own table in ``data/korean.toml``: the English text is the key, the Korean text is the value.
``{1}``, ``{2}`` … stand for what varies within a text. A text without an entry stays English, so a new clinic needs no
table. What people and models say is never translated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from polyclinic.core.files import bad_file, package_data, read_data
from polyclinic.runner.registry import clinic_modules

TABLE = Path("data", "korean.toml")
_BLANK = re.compile(r"\\{\d\\}")
"""A place for what varies, in a text whose special characters are escaped."""


@lru_cache(maxsize=1)
def korean_words() -> dict[str, str]:
    """The tables of the engine and of all clinics in one. No clinic is imported for it."""
    found = dict(package_data("polyclinic.web", "korean.toml"))
    for name in clinic_modules():
        found |= korean_of(name)
    return found


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """The texts in which something varies, and their Korean."""
    varying = [(text, korean) for text, korean in korean_words().items() if "{1}" in text]
    return [(re.compile(_BLANK.sub("(.+?)", re.escape(text)), re.DOTALL), korean) for text, korean in varying]


def in_korean(text: str, names: Collection[str] = ()) -> str:
    """The Korean of a whole text; the text itself if there is no entry.

    Of what varies, only sentences and these names are translated: a person may have to type the rest as it stands.
    """
    if text in korean_words():
        return korean_words()[text]
    for pattern, korean in _patterns():
        if found := pattern.fullmatch(text):
            parts = [in_korean(part) if part in names or part.endswith((".", "?")) else part for part in found.groups()]
            return _filled_in(korean, parts)
    return text


def _filled_in(korean: str, parts: Sequence[str]) -> str:
    return re.sub(r"\{(\d)\}", lambda blank: parts[int(blank[1]) - 1], korean)


def korean_of(clinic: str) -> dict[str, str]:
    """The table of one clinic; empty if it has none."""
    spec = find_spec(clinic_modules()[clinic])
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(place) / TABLE
        if file.is_file():
            table = read_data(file)
            if not all(isinstance(text, str) for text in table.values()):
                raise bad_file(file, 'every line must be "English" = "Korean"')
            return dict(table)
    return {}
