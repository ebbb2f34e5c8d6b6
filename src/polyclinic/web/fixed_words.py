"""Korean for what is fixed in English: names of parts and figures, explanations, buttons, briefs, forms, reasons.

A clinic brings its own table in ``data/korean.toml``: the English text is the key, the Korean text is the value.
``{1}``, ``{2}`` … stand for what varies within a text. A text without an entry stays English, so a new clinic needs no
table. What people and models say is never translated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from polyclinic.core.files import bad_file, package_data, read_data
from polyclinic.runner.registry import clinic_modules
from polyclinic.text.sentences import sentences
from polyclinic.text.worded import BLANK, Worded

TABLE = Path("data", "korean.toml")
_NAMED = re.compile(r"(.+) \(([^()]+)\)", re.DOTALL)
"""A known text with its short name."""
_LINE = re.compile(r"^(- |\d+\. )?(.+)$", re.MULTILINE)
_NAME_CHARS = 40
TO_TYPE = (
    *("one of ", "one of: ", "of these: ", "there are: ", "or write ", ": write ", "/use leaflet "),
    *(
        "Stage: ",
        "Stages: ",
        "Signals: ",
        "Subjects: ",
        "Departments: ",
        "cannot wait: ",
        "see this patient? ",
        "rests on: ",
        "“",
        "'",
    ),
)
"""What stands before words that somebody said or that a person in a terminal may have to type. They stay."""


def _without_words(form: str) -> str:
    """A form that only puts its parts together, such as ``{1}: {2}``: the same in every language."""
    return "" if re.search("[A-Za-z]", form) else form


class Korean:
    """The Korean of texts, by these tables, as `frontend/src/lib/fixed.svelte.ts` does it for pages.

    With `to_type`, words after one of these heads stay as they are.
    """

    def __init__(self, table: Mapping[str, str], to_type: tuple[str, ...] = ()) -> None:
        self._table, self._to_type = table, to_type
        self._patterns = [
            (BLANK.split(text)[::2], re.compile(re.sub(r"\\{\d\\}", "(.+?)", re.escape(text)), re.DOTALL), korean)
            for text, korean in table.items()
            if BLANK.search(text)
        ]

    def fixed(self, text: str) -> str:
        """A fixed text, or one that ends with a fixed text after a colon, or begins with a known name."""
        if found := self._ending(text):
            return found
        if "\n" in text:
            return "\n".join(map(self.fixed, text.split("\n")))
        for colon in re.finditer(": ", text):
            head = text[: colon.end()]
            if head.endswith(self._to_type):
                break
            if end := self._ending(text[colon.end() :]):
                return f"{self._whole(head[:-2]) or self._line(head[:-2])}: {end}"
        name, colon_, rest = text.partition(": ")
        return f"{self._table.get(name, name)}{colon_}{rest}" if len(name) <= _NAME_CHARS else text

    def told(self, text: str) -> str:
        """A sentence from its own parts; a longer text line by line and sentence by sentence."""
        if isinstance(text, Worded) and (korean := self._table.get(text.form) or _without_words(text.form)):
            return BLANK.sub(lambda blank: self._part(text.parts[int(blank[1]) - 1]), korean) if text.parts else korean
        return _LINE.sub(lambda line: f"{line[1] or ''}{self._line(line[2])}", text)

    def _part(self, part: object) -> str:
        if isinstance(part, tuple):
            return ", ".join(map(str, part))
        return self.told(part) if isinstance(part, Worded) else str(part)

    def _line(self, words: str) -> str:
        known = self.fixed(words)
        return " ".join(map(self.fixed, sentences(words))) if known == words else known

    def _whole(self, text: str) -> str:
        low = text[:1].lower() + text[1:]
        for name in (text, low, f"{text}?", low.replace(" ", "_")):
            if name in self._table:
                return self._table[name]
        for pieces, pattern, korean in self._patterns:
            if all(piece in text for piece in pieces) and (found := pattern.fullmatch(text)):
                return BLANK.sub(lambda blank: self._filled(found, int(blank[1])), korean)
        return ""

    def _filled(self, found: re.Match[str], number: int) -> str:
        stays = found.string[: found.start(number)].endswith(self._to_type)
        return found[number] if stays else self.fixed(found[number])

    def _ending(self, text: str) -> str:
        if found := self._whole(text):
            return found
        if text.endswith("."):
            inner = self._ending(text[:-1])
            return inner and f"{inner}."
        named = _NAMED.fullmatch(text)
        if named and (known := self._whole(named[1])):
            return f"{known}({self._whole(named[2]) or named[2]})"
        for comma in ("; ", ", "):
            items = [self._whole(item) or ("" if re.search("[A-Za-z]", item) else item) for item in text.split(comma)]
            if len(items) > 1 and all(items) and comma.join(items) != text:
                return comma.join(items)
        return ""


@lru_cache(maxsize=1)
def korean_words() -> dict[str, str]:
    """The tables of the engine and of all clinics in one, so that of two forms that fit, the one with more words of its
    own comes first. No clinic is imported for it.
    """
    found = dict(package_data("polyclinic.web", "korean.toml"))
    for name in clinic_modules():
        found |= korean_of(name)
    return dict(sorted(found.items(), key=lambda entry: -len(BLANK.sub("", entry[0]))))


@lru_cache(maxsize=1)
def _for_terminals() -> Korean:
    return Korean(korean_words(), TO_TYPE)


def in_korean(text: str) -> str:
    """What a Korean terminal shows for a text that is fixed in English, line by line; what has no entry stays."""
    return _for_terminals().told(text)


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
