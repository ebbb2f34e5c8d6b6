"""A conclusion in its plain form, so that names are found in it: inverted names ("stroke, haemorrhagic") the usual way
round, acronyms of the record's diagnosis written out, and nothing that the illness only resembles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from polyclinic.clinics.patient.rules.naming import same_words
from polyclinic.text.normal import straight
from polyclinic.text.words import words

_MOST_WORDS = 4
_ACRONYM = re.compile(r"\b[A-Z][A-Za-z]*[A-Z]\b")
_LEAST, _MOST = 3, 6
_SMALL = frozenset({"a", "an", "and", "the", "with", "in", "from", "after", "due", "to"})
_LIKE = re.compile(r"\b[\w-]+-like\b", re.IGNORECASE)


def plain_form(text: str, names: Iterable[str], diagnosis: str) -> str:
    """The text in its plain form. `names` are all names that an inverted one may stand for."""
    return _spelled_out(_turned(_LIKE.sub(" ", straight(text)), tuple(names)), diagnosis)


def _turned(text: str, names: tuple[str, ...]) -> str:
    """Each "NOUN, KIND" that is one of the names when it is turned round, as "KIND NOUN"."""
    parts = [part.strip() for part in text.split(",")]
    at = 0
    while at + 1 < len(parts):
        noun, kind = parts[at].rstrip(" ."), parts[at + 1].rstrip(" .")
        if len(f"{noun} {kind}".split()) <= _MOST_WORDS and _is_one_of(f"{kind} {noun}", names):
            parts[at : at + 2] = [f"{kind} {noun}"]
        else:
            at += 1
    return ", ".join(parts)


@lru_cache(maxsize=4_096)
def _is_one_of(turned: str, names: tuple[str, ...]) -> bool:
    return any(same_words(turned, name) for name in names)


def _spelled_out(text: str, diagnosis: str) -> str:
    """The text with the words of the record's diagnosis for their first letters: "SBP" where it has a spontaneous
    bacterial peritonitis. A small word has no letter of its own, or a small one ("HFpEF")."""
    return _ACRONYM.sub(lambda found: _words_for(found[0], diagnosis) or found[0], text)


@lru_cache(maxsize=4_096)
def _words_for(letters: str, diagnosis: str) -> str:
    if not _LEAST <= len(letters) <= _MOST:
        return ""
    written = words(diagnosis)
    for start in range(len(written)):
        for end in range(start + _LEAST, len(written) + 1):
            run = written[start:end]
            if run[0] in _SMALL or run[-1] in _SMALL:
                continue
            if letters.lower() == "".join(word[0] for word in run if word not in _SMALL):
                return " ".join(run)
    return ""
