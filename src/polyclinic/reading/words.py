"""Words of a text for the reader: normalised, numbers in one form, and the concepts of a small thesaurus.

The thesaurus groups words for the same thing ("sob", "dyspnoea", "winded"). Its author had seen none of the labelled
readings.
"""

from __future__ import annotations

from functools import cache, lru_cache

from polyclinic.core.files import package_data, package_lines
from polyclinic.text.words import STOP_WORDS, spoken_words, words_and_numbers
from polyclinic.text.words import stem as plain_stem

_LONGEST_PHRASE = 5
_LISTS = package_data("polyclinic.reading", "data/words.toml")
_NUMBERS: dict[str, str] = _LISTS["numbers"]
NEGATIONS = frozenset(_LISTS["negations"].split())
_SHORT_REPLIES = frozenset(_LISTS["short_replies"].split())
STOP = STOP_WORDS - NEGATIONS


@lru_cache(maxsize=4_096)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in order, lower case, numbers as digits."""
    return tuple([_NUMBERS.get(word, word) for word in words_and_numbers(text)])


stem = lru_cache(maxsize=65_536)(plain_stem)


@cache
def _phrases() -> dict[tuple[str, ...], str]:
    """Maps a phrase (as stems) to the name of its group."""
    found: dict[tuple[str, ...], str] = {}
    for number, phrases in enumerate(package_lines("polyclinic.reading", "data/thesaurus.jsonl")):
        for phrase in phrases:
            found.setdefault(tuple([stem(word) for word in words(phrase)]), f"#{number}")
    return found


@cache
def _opposites() -> dict[str, tuple[str, ...]]:
    """Maps a stem to the stems of its opposites."""
    found: dict[str, tuple[str, ...]] = {}
    for sides in package_lines("polyclinic.reading", "data/opposites.jsonl"):
        one, other = ([stem(word) for phrase in side for word in words(phrase)[:1]] for side in sides)
        for mine, theirs in ((one, other), (other, one)):
            for word in mine:
                found[word] = (*found.get(word, ()), *theirs)
    return found


@lru_cache(maxsize=4_096)
def concepts(text: str) -> tuple[str, ...]:
    """A text as a row of stems and concepts: the longest known phrase at each position becomes its group's name."""
    stems = [stem(word) for word in words(text)]
    known = _phrases()
    row: list[str] = []
    place = 0
    while place < len(stems):
        for length in range(min(_LONGEST_PHRASE, len(stems) - place), 0, -1):
            group = known.get(tuple(stems[place : place + length]))
            if group is not None:
                row.append(group)
                place += length
                break
        else:
            row.append(stems[place])
            place += 1
    return tuple(row)


def says_nothing(text: str) -> bool:
    """Whether a text is only a short reply ("yes", "ok, go on"), a number or a mark: it states nothing of its own."""
    return all(word in _SHORT_REPLIES or word.isdigit() for word in spoken_words(text))


@lru_cache(maxsize=4_096)
def content(text: str) -> frozenset[str]:
    """The concepts and stems of a text, without stop words and negations."""
    return frozenset([word for word in concepts(text) if word not in STOP and word not in NEGATIONS])


def opposed(text: frozenset[str], target: frozenset[str]) -> int:
    """How many words of the text are the opposite of a word in the target that the text does not have."""
    against = _opposites()
    missing = target - text
    return sum(1 for word in missing for other in against.get(word, ()) if other in text and other not in target)
