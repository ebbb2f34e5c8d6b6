"""The words for "I" and "you": who a line is about, and a line in which it does not matter who speaks to whom."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from polyclinic.text.normal import normalise

I_WORDS = frozenset(("i", "me", "my", "mine", "myself"))
I_SHORT = frozenset(("i'm", "i've", "i'd", "i'll"))
WE_WORDS = frozenset(("we", "us", "our"))
YOU_WORDS = frozenset(("you", "your", "yours"))
YOU_SHORT = frozenset(("you're", "you've", "you'll"))
YOURSELF = frozenset(("yourself",))
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours)\b")
_SELF_KO = re.compile(r"(?:^|\s)(?:저|제|나|내|우리|저희)(?:는|가|의|를|도|한테|에게|희|\s|$)")


def without_persons(words: Sequence[str], persons: Collection[str]) -> list[str]:
    """The words, with the same placeholder for all words of `persons`."""
    return ["*" if word in persons else word for word in words]


def speaks_of_self(text: str) -> bool:
    """Whether the speaker names themselves in the first person, in English or Korean."""
    return bool(_SELF.search(normalise(text)) or _SELF_KO.search(text))
