"""Finding names in running text: whole words, any spacing or hyphen, acronyms only as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=8_192)
def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a name as whole words. Short all-capital names are case-sensitive: 'PE' is not the word 'pe'."""
    words = [re.escape(word) for word in re.split(r"[\s\-]+", name.strip()) if word]
    acronym = name.isupper() and len(name) <= 5
    body = r"[\s\-]+".join(words)
    return re.compile(rf"(?<!\w){body}(?:'?s)?(?!\w)", 0 if acronym else re.IGNORECASE)


def mentions(text: str, names: Iterable[str]) -> list[str]:
    """The names that occur in the text, in the order given."""
    return [name for name in names if name and name_pattern(name).search(text)]
