"""Finding a phrase in a text as whole words."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words, whatever their case."""
    folded, wanted = text.casefold(), phrase.casefold()
    return wanted in folded and _pattern(wanted).search(folded) is not None
