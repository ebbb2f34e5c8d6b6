"""Finding a phrase in a text as whole words."""

from __future__ import annotations

import re


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words, whatever their case."""
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None
