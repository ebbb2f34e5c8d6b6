"""How rules and understudies compare what two texts are about."""

from __future__ import annotations

from polyclinic.text.words import STOP_WORDS, ContentWords

_TEACHING = """
again between during further having here into let may might must nor once one say see should until where whom why
"""
content_words = ContentWords(STOP_WORDS | set(_TEACHING.split()), least=4, digits=True)


def overlap(text: str, target: str) -> float:
    """The share of the target's content words that the text has."""
    return content_words.overlap(target, text)
