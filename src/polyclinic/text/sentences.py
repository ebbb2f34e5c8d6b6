"""Find where sentences end, and whether a sentence is a question. English and Korean use the same marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

_MARKS = ".!?。！？"
SENTENCE_START = r"(?:^|[.!?\n]\s*)"
"""For patterns that may only match at the start of a sentence."""
SPOKEN_END = r"(?<!\bdr\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bmrs\.)(?<!\bprof\.)(?<=[.!?;])\s+|\n+|\s-+\s"
"""For patterns that split a lower-case text where a sentence or clause ends.

The dot of a title ("dr.") does not count.
"""
_CLAUSE = re.compile(r",\s+(?=(?:but|and|so|though|although|because|yet)\b)")
_QUESTION = re.compile(r"\w[^?？]*[?？]")
_BETWEEN = re.compile(rf"[^{_MARKS};\n]+")
_DOCUMENT = re.compile(rf"(?<=[{_MARKS}…])[\"'”’)\]]*\s+|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|vs|No|Fig|approx|resp|e\.g|i\.e|cf|al|mg|ca)|\b[A-Z]|\b\d+)\.$", re.IGNORECASE
)


@lru_cache(maxsize=16)
def _pattern(semicolons: bool, lines: bool, capitals: bool) -> re.Pattern[str]:
    marks = f"{_MARKS};" if semicolons else _MARKS
    end = rf"(?<=[{marks}]\s)\s*" + (r"(?=[A-Z0-9가-힣])" if capitals else "")
    # Each match begins with a space: `re` finds spaces faster than it looks back from every letter.
    return re.compile(rf"\s(?:{end}|(?<=\n)\n*)" if lines else rf"\s{end}")


@lru_cache(maxsize=2048)
def sentences(text: str, *, semicolons: bool = False, lines: bool = True, capitals: bool = False) -> tuple[str, ...]:
    """The sentences of a short text with their closing marks; empty ones are left out.

    `semicolons`: a semicolon also ends a sentence. `lines`: a line break does too. `capitals`: the next sentence must
    begin with a capital letter, a digit or Hangul, so that "approx. two" is not split.
    """
    pieces = _pattern(semicolons, lines, capitals).split(text)
    return tuple(piece.strip() for piece in pieces if piece.strip())


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[str, ...]:
    """The parts of a text that can be judged separately: sentences, and clauses after a comma and a word like "but"."""
    pieces = [piece for part in sentences(text, semicolons=True) for piece in _CLAUSE.split(part)]
    return tuple(piece.strip() for piece in pieces if piece.strip()) or (text,)


def between_marks(text: str) -> list[str]:
    """The pieces between closing marks, semicolons and line breaks, even if no space follows the mark.

    It also cuts numbers and abbreviations. Use it for a search that must not be misled by "fine.but I".
    """
    return _BETWEEN.findall(text)


def sentence_spans(text: str, offset: int = 0) -> list[tuple[int, int]]:
    """The (start, end) of each sentence of a document with the space that follows it, so that no character is lost.

    Knows common abbreviations and decimals.
    """
    ends = [
        match.end()
        for match in _DOCUMENT.finditer(text)
        if "\n" in match.group() or not _ABBREVIATION.search(text[max(0, match.start() - 12) : match.start()])
    ]
    return spans(text, ends, offset)


def spans(text: str, cuts: Iterable[int], offset: int = 0) -> list[tuple[int, int]]:
    """The (start, end) of each piece between the cuts. Empty pieces are left out."""
    edges = [0, *cuts, len(text)]
    return [(offset + a, offset + b) for a, b in pairwise(edges) if a < b]


def count_questions(text: str) -> int:
    """How many questions a text asks. Only marks with words before them count, so that "Really???" is one question."""
    return len(_QUESTION.findall(text))


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question. A closing quotation mark or bracket may follow the question mark."""
    return sentence.rstrip(" \n\t\"')”’").endswith(("?", "？"))
