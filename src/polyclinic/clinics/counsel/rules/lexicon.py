"""The lexical screen: a fast search for words of risk, in addition to the model and independent of it.

It reads sentence by sentence. A hit counts unless something makes it harmless: a denial directly before it, a
quotation, an idiom, or another person as its subject. Some patterns are `plain`: they stand for whole statements of
danger, so the trained guard may not overrule them. The words are in ``data/lexicon/*.toml``; only this file knows
how they are used. Every script that occurs in a text is read with its own lexicon, whatever language the session has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

from polyclinic.core.files import package_data
from polyclinic.text.normal import HANGUL
from polyclinic.text.phrases import last_place
from polyclinic.text.sentences import between_marks

_Label = Literal["active", "emergency", "harm_others", "abuse", "implicit", "passive", "acceptance"]
LABELS: tuple[_Label, ...] = get_args(_Label)
_GRAVITY = {label: place for place, label in enumerate(LABELS)}
_RISKS = LABELS[:-1]
_PACKAGE = "polyclinic.clinics.counsel"
_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "「": '"', "」": '"', "\u200b": None, "\u00ad": None}
)
_QUOTED = re.compile(r'"[^"\n]{1,200}"')
_SHORT = 60
"""Up to this length a message is also read as one sentence: "Sorry. Bye." says more than its parts."""
_LATIN = re.compile(r"[a-z]{2}")


@dataclass(frozen=True)
class Screening:
    """What the screen found: the gravest label and the words that show it. No words means that nothing was found.
    `plain` says that danger or a wish to die was stated plainly.
    """

    label: _Label
    words: str = ""
    plain: bool = False


NOTHING_FOUND = Screening("acceptance")


@dataclass(frozen=True)
class _Pattern:
    label: _Label
    regex: re.Pattern[str]
    first: bool
    needs_self: bool
    plain: bool


class Lexicon:
    """One language's patterns of risk and of what makes them harmless."""

    def __init__(self, source: dict[str, Any]) -> None:
        words: dict[str, str] = source["words"]
        self._patterns = [
            _Pattern(
                label,
                re.compile(_fill(row["pattern"], words)),
                row.get("first", False),
                row.get("needs_self", False),
                row.get("plain", False),
            )
            for label in _RISKS
            for row in source[label]
        ]
        harmless = source["harmless"]
        self._before = [re.compile(text) for text in harmless["denial"]]
        self._before_unless = re.compile(harmless["denial_unless"] or r"(?!)")
        self._after = [re.compile(text) for text in harmless["after"]]
        self._idioms = [re.compile(text) for text in harmless["idiom"]]
        self._context = [re.compile(text) for text in harmless["context"]]
        self._other = re.compile(harmless["other"])
        self._other_self = re.compile(harmless["other_self"])
        self._self = re.compile(harmless["self"])
        self._self_any = re.compile(harmless["self_any"])
        self._report = re.compile(harmless["report"] or r"(?!)")
        self._other_alone: bool = harmless.get("other_alone", True)

    def screen(self, text: str) -> Screening:
        """The gravest risk in the text and its words."""
        found = NOTHING_FOUND
        bare = _without_quotations(text)
        parts = between_marks(bare)
        for sentence in [*parts, bare] if len(parts) > 1 and len(bare) <= _SHORT else parts:
            for pattern in self._patterns:
                graver = _GRAVITY[pattern.label] < _GRAVITY[found.label]
                if not graver and not (pattern.plain and not found.plain):
                    continue
                hit = next((m for m in pattern.regex.finditer(sentence) if self._counts(sentence, m, pattern)), None)
                if hit is None:
                    continue
                if graver:
                    found = Screening(pattern.label, hit.group().strip(), found.plain)
                if pattern.plain:
                    found = replace(found, plain=True)
        return found

    def _counts(self, sentence: str, hit: re.Match[str], pattern: _Pattern) -> bool:
        before, after = sentence[: hit.start()], sentence[hit.end() :]
        if any(_overlaps(regex, sentence, hit) for regex in self._idioms):
            return False
        weak = not pattern.first and (pattern.needs_self or pattern.label != "active")
        if weak and any(regex.search(sentence) for regex in self._context):
            return False
        if any(regex.search(after) for regex in self._after):
            return False
        if any(regex.search(before) for regex in self._before) and not self._before_unless.search(before):
            return False
        return not self._about_another(sentence, hit, pattern)

    def _about_another(self, sentence: str, hit: re.Match[str], pattern: _Pattern) -> bool:
        before = sentence[: hit.start()]
        report = self._report.search(before)
        if report and self._other.search(before[: report.start()]) and not self._self.search(before[: report.start()]):
            return True
        if pattern.first:
            return False
        other = last_place(self._other, before)
        speaks_of_self = self._self_any.search(sentence) is not None
        if not self._other_alone:
            return other >= 0 and self._other_self.search(sentence[hit.start() :]) is not None
        if self._other_self.search(sentence) and "myself" not in hit.group():
            return True
        if other > last_place(self._self, before):
            return True
        return pattern.needs_self and not speaks_of_self


def screen(text: str) -> Screening:
    """The gravest risk that the lexicons of the scripts in this text find; acceptance when they find none."""
    clean = " ".join(text.translate(_STRAIGHT).lower().split(" "))
    found = NOTHING_FOUND
    for language, script in (("en", _LATIN), ("ko", HANGUL)):
        if script.search(clean):
            seen = lexicon(language).screen(clean)
            plain = found.plain or seen.plain
            found = replace(min(found, seen, key=lambda one: _GRAVITY[one.label]), plain=plain)
    return found


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language."""
    return Lexicon(package_data(_PACKAGE, f"data/lexicon/{language}.toml"))


def _fill(pattern: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        pattern = pattern.replace("{" + name + "}", value)
    return pattern


def _overlaps(regex: re.Pattern[str], sentence: str, hit: re.Match[str]) -> bool:
    return any(found.start() < hit.end() and hit.start() < found.end() for found in regex.finditer(sentence))


def _without_quotations(text: str) -> str:
    """The text without quotations, which are somebody else's words; unchanged if hardly anything else is left."""
    bare = _QUOTED.sub(" ", text)
    return bare if len(re.sub(r"\W", "", bare)) >= 4 else text
