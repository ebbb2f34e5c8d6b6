"""Words and sentences: the small language tools that rules and understudies share."""

from __future__ import annotations

import re
from functools import lru_cache

_SENTENCE = re.compile(r"(?<=[.!?。？！])\s+|\n+")
_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "down",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "let",
        "like",
        "may",
        "me",
        "might",
        "more",
        "most",
        "must",
        "my",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "on",
        "one",
        "or",
        "our",
        "out",
        "over",
        "own",
        "say",
        "see",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "up",
        "us",
        "was",
        "we",
        "well",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "about",
        "after",
        "again",
        "also",
        "all",
        "because",
        "before",
        "being",
        "between",
        "both",
        "during",
        "each",
        "few",
        "further",
        "having",
        "just",
        "once",
        "only",
        "other",
        "same",
        "through",
        "under",
        "until",
        "very",
    ]
)


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, cut to a simple stem."""
    return frozenset(
        _stem(word)
        for word in _WORD.findall(text.casefold())
        if word not in _STOP and (len(word) > 1 or word.isdigit())
    )


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, empty ones left out."""
    return tuple(part.strip() for part in _SENTENCE.split(text) if part.strip())


def is_question(sentence: str) -> bool:
    """Whether a sentence asks."""
    return sentence.rstrip("\"')”").endswith(("?", "？"))


def overlap(text: str, target: str) -> float:
    """The share of the target's content words that the text has."""
    wanted = content_words(target)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0
