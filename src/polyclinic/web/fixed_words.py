"""Korean for what is fixed in English: names of parts and figures, explanations, buttons, briefs, forms, reasons.

A clinic brings its own table in ``data/korean.toml``: the English text is the key, the Korean text is the value.
``{1}``, ``{2}`` … stand for what varies within a text. A text without an entry stays English, so a new clinic needs no
table. What people and models say is never translated.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from polyclinic.core.files import bad_file, package_data, read_data
from polyclinic.runner.registry import clinic_modules

TABLE = Path("data", "korean.toml")


@lru_cache(maxsize=1)
def korean_words() -> dict[str, str]:
    """The tables of the engine and of all clinics in one. No clinic is imported for it."""
    found = dict(package_data("polyclinic.web", "korean.toml"))
    for name in clinic_modules():
        found |= korean_of(name)
    return found


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
