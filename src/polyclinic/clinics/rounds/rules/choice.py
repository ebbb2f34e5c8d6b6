"""Which option a person chooses in free words. What the words reject or ask is left out; in doubt, no option is chosen.

A letter is exact. Words count for the option that they name, and the reader decides about words that name none.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from polyclinic.clinics.rounds.readings import CHOICE
from polyclinic.clinics.rounds.scenario.shipped import PACKAGE
from polyclinic.core.files import package_data
from polyclinic.core.reading import Question
from polyclinic.reading.words import content, stem, words
from polyclinic.text.conclusions import StatedClause, leaves_open, read_clauses
from polyclinic.text.normal import normalise
from polyclinic.text.words import STOP_WORDS

if TYPE_CHECKING:
    from polyclinic.reading.reader import BuiltInReader

SURELY, AHEAD = 0.6, 0.1
"""How sure the reader must be of an option, and how far ahead of the next one."""
_STRONG, _WEAK, _HARDLY = 0.5, 0.34, 0.25
"""More than half of its words name an option clearly, a third may name it, a quarter hardly does."""
_SHORT = 5
"""The words of a short sentence."""
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_FOR_THE_WRONG = re.compile(r"Question: [^?]*\b(?:avoid|withh|contraindicat|not be (?:given|done))", re.IGNORECASE)
"""A question that asks what must not be done is answered with a rejection."""
_LETTER = re.compile(r"(?<![\w'/-])\(?([A-Ja-j])(?:\)|(?![\w'/-]))")
_CHOOSES = re.compile(
    r"(?:\b(?:option|answer|letter|choice|choose|pick|picking|vote|for|with|is|it's|be|say|an)|:|^)\s*$", re.IGNORECASE
)
_OTHER_LETTER = re.compile(
    r"\b(?:vitamin|vit|hepatitis|hep|group|type|influenza|flu|protein|factor|class|stage|grade)\s*$", re.IGNORECASE
)
_FOLLOWS = STOP_WORDS | {"please", "final", "plus", "imo", "without", "seems", "vs", "first", "goes", "here", "would"}


class _Stated(NamedTuple):
    """What the clauses of a choice do. `end` is its conclusion; `asks`: one of the clauses asks."""

    clauses: Sequence[StatedClause]
    rejected: list[StatedClause]
    kept: list[StatedClause]
    end: list[StatedClause]
    asks: bool

    @property
    def stays_open(self) -> bool:
        """Whether a question is asked and nothing concluded after it."""
        return self.asks and not (self.end and self.clauses[-1] == self.kept[-1])

    @property
    def narrowed(self) -> _Stated:
        """Only the conclusion counts after a question, and where a "so" follows what is rejected."""
        if self.end and (self.asks or (self.rejected and self.end[0].concludes)):
            return self._replace(rejected=[each for each in self.clauses if each not in self.end], kept=self.end)
        return self


def standing_clauses(choice: str) -> list[str]:
    """The clauses of a choice that stand, without the reasons."""
    return [clause.words for clause in read_clauses(choice) if clause.stance == "stands" and not clause.reason]


def chosen_letter(choice: str, options: Mapping[str, str], asked: Sequence[Question]) -> str:
    """The option that a person chooses: by its letter, in its words, or by meaning; empty if that is not clear.

    `asked` holds the reader's question for each option, in order.
    """
    exact = _exactly(choice, options)
    if exact:
        return exact
    stated = _stated(choice, asked)
    if leaves_open(choice) or stated.stays_open:
        return ""
    letters = _letters(stated, options)
    if letters:
        return letters.pop() if len(letters) == 1 else ""
    return "" if _words("passes").search(choice) else _in_words(choice, stated.narrowed, options, asked)


def _exactly(choice: str, options: Mapping[str, str]) -> str:
    """The option whose letter or text is the whole choice."""
    whole = choice.strip().strip("().:!").upper()
    if whole in options:
        return whole
    said = normalise(choice).strip(" .!")
    return next((letter for letter, text in options.items() if normalise(text) == said), "")


def _stated(choice: str, asked: Sequence[Question]) -> _Stated:
    clauses = read_clauses(choice)
    for_the_wrong = bool(asked) and _FOR_THE_WRONG.search(asked[0].context) is not None
    against = [each for each in clauses if each.stance in ("denies", "doubts") or _words("bad").search(each.words)]
    rejected = [] if for_the_wrong else against
    kept = [each for each in clauses if each.stance != "asks" and not each.reason and each not in rejected]
    return _Stated(clauses, rejected, kept, _conclusion(kept), any(each.stance == "asks" for each in clauses))


def _letters(stated: _Stated, options: Mapping[str, str]) -> set[str]:
    """The letters of the conclusion, or else of all that is kept. After a question only the conclusion counts."""
    for part in [stated.end] if stated.asks else [stated.end, stated.kept]:
        letters = {letter for each in part for letter in _lettered(each.words) if letter in options}
        if letters:
            return letters
    return set()


def _in_words(choice: str, stated: _Stated, options: Mapping[str, str], asked: Sequence[Question]) -> str:
    """The option that the conclusion names or means, or else all that is kept; none that was rejected."""
    end = _joined(stated.end)
    out = {letter for each in stated.rejected for letter, much in _named(each.words, options).items() if much > _HARDLY}
    out -= {letter for letter, much in _named(end, options).items() if much > _STRONG}
    said = choice if len(stated.kept) == len(stated.clauses) else _joined(stated.kept)
    return _settled(end, options, asked, out) or _settled(said, options, asked, out)


@cache
def _words(kind: str) -> re.Pattern[str]:
    """A pattern for a list of phrases in ``data/choosing.toml``."""
    phrases = package_data(PACKAGE, "data/choosing.toml")[kind]
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


def _joined(clauses: Iterable[StatedClause]) -> str:
    return ", ".join(clause.words for clause in clauses)


def _conclusion(clauses: list[StatedClause]) -> list[StatedClause]:
    """The clauses from the last "so" on, or else a short last sentence ("Calcium.")."""
    ends = [place for place, each in enumerate(clauses) if each.concludes]
    if ends:
        return clauses[ends[-1] :]
    last = clauses[-1:]
    return last if last and last[0].opens and len(last[0].words.split()) <= _SHORT else []


def _settled(said: str, options: Mapping[str, str], asked: Sequence[Question], out: Container[str]) -> str:
    """The one option that words name or mean. Both sides of an "or" must mean the same."""
    if _words("several").search(said):
        return ""
    best, ahead, letter = _meant(said, options, asked, out)
    sides = {_meant(side, options, asked, ())[2] for side in _OR.split(said) if content(side)}
    if len(sides) > 1 and _OR.search(said):
        return ""
    named = [(share, one) for one, share in _named(said, options).items() if share > _WEAK and one not in out]
    if len(named) == 1 and named[0][0] > _STRONG:
        return named[0][1]
    if len(named) > 1 or (named and letter != named[0][1]):
        return ""
    return letter if best >= SURELY and ahead >= AHEAD else ""


def _named(said: str, options: Mapping[str, str]) -> dict[str, float]:
    """The options that words name, by the letter or by words that no other option has, and how much of each."""
    found = {letter: 1.0 for letter in _lettered(said) if letter in options}
    for form in (content, _plain_words):
        mine, theirs = form(said), {letter: form(text) for letter, text in options.items()}
        for letter, own in theirs.items():
            others = {word for other, text in theirs.items() if other != letter for word in text}
            if mine & (own - others):
                found[letter] = max(found.get(letter, 0.0), len(mine & own) / len(own))
    return found


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS and len(word) > 2)


def _lettered(said: str) -> list[str]:
    """The letters that stand for options: "B", "(b)", "option b". "A" before a noun is an article."""
    found = list[str]()
    for match in _LETTER.finditer(said):
        before, letter, after = said[: match.start()], match.group(1), said[match.end() :].strip()
        follows = not after[:1].isalpha() or words(after)[0] in _FOLLOWS
        chosen = _CHOOSES.search(before) and follows
        if ")" in match.group() or chosen or (letter.isupper() and (follows or letter not in "AI")):
            found += [] if _OTHER_LETTER.search(before) else [letter.upper()]
    return found


def _meant(
    said: str, options: Mapping[str, str], asked: Sequence[Question], out: Container[str]
) -> tuple[float, float, str]:
    """How sure the reader is of the likeliest option, how far it is ahead of the next, and its letter."""
    if not content(said):
        return 0.0, 0.0, ""
    sure = [(_reader().probability(said, each), letter) for letter, each in zip(options, asked, strict=True)]
    found = sorted([(0.0, ""), (0.0, ""), *(each for each in sure if each[1] not in out)])
    return found[-1][0], found[-1][0] - found[-2][0], found[-1][1]


@lru_cache(maxsize=1)
def _reader() -> BuiltInReader:
    from polyclinic.reading.reader import BuiltInReader

    return BuiltInReader({CHOICE.name: CHOICE})
