"""The words of a question and of a sentence as they are compared: stems, and one word for each meaning.

Korean words are glued, so a long stem is also compared by its pairs of syllables.
"""

from __future__ import annotations

from functools import cache, lru_cache

from polyclinic.clinics.counsel.rules.asking import subject_words
from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.korean_stems import korean_stem
from polyclinic.text.normal import HANGUL
from polyclinic.text.words import search_stem, words

_LEAST_PAIRS = 0.5


@cache
def _light() -> frozenset[str]:
    """Stems that hardly say what a sentence is about."""
    return frozenset(_form(word) for word in data("lay_words")["light"].split())


@cache
def _same() -> dict[str, str]:
    """For each word of a row of words with the same meaning, and for its stem: the first word of that row."""
    rows = [row.split() for row in data("lay_words")["same"]]
    return {
        form: row[0] for row in rows for word in row for form in (word, _form(word)) if form == word or len(form) > 1
    }


def is_light(stem: str) -> bool:
    """Whether a stem hardly says what a sentence is about."""
    return stem in _light()


def stem_and_meaning(word: str) -> tuple[str, str]:
    """The stem of a word, and the first word of the row of words that mean the same."""
    stem = _form(word)
    return stem, _meaning(stem)


def _form(word: str) -> str:
    return korean_stem(word) if HANGUL.match(word) else search_stem(word)


def _meaning(stem: str) -> str:
    """The first word of the row that a stem is in. Of a long Korean stem, the beginning counts."""
    starts = (stem, stem[:3], stem[:2], _form(stem[:2])) if HANGUL.match(stem) else (stem,)
    return next((_same()[start] for start in starts if start in _same()), stem)


def _pairs(stem: str) -> list[str]:
    long = len(stem) > 2 and HANGUL.match(stem)
    return [stem[at : at + 2] for at in range(len(stem) - 1)] if long else []


@lru_cache(maxsize=256)
def subjects(question: str) -> tuple[str, ...]:
    """The stems that say what a question is about, each once."""
    stems = (_form(word) for word in words(subject_words(question)))
    return tuple(dict.fromkeys(map(_meaning, (stem for stem in stems if not is_light(stem)))))


def content(text: str) -> frozenset[str]:
    """The stems of a text, and the pairs of syllables of long Korean ones."""
    found = {_form(word) for word in words(text)}
    return frozenset(found | set(map(_meaning, found)) | {pair for stem in found for pair in _pairs(stem)})


def held(stem: str, found: frozenset[str]) -> float:
    """How much of a question's word a text has: all of it, or the share of its pairs of syllables from a half on."""
    if stem in found:
        return 1.0
    pairs = _pairs(stem)
    share = sum(pair in found for pair in pairs) / len(pairs) if pairs else 0.0
    return share if share >= _LEAST_PAIRS else 0.0
