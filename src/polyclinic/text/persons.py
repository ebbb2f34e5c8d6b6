"""The English words for "I" and "you", and a line in which it does not matter who speaks to whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence

I_WORDS = frozenset(("i", "me", "my", "mine", "myself"))
I_SHORT = frozenset(("i'm", "i've", "i'd", "i'll"))
WE_WORDS = frozenset(("we", "us", "our"))
YOU_WORDS = frozenset(("you", "your", "yours"))
YOU_SHORT = frozenset(("you're", "you've", "you'll"))
YOURSELF = frozenset(("yourself",))


def without_persons(words: Sequence[str], persons: Collection[str]) -> list[str]:
    """The words, with the same placeholder for all words of `persons`."""
    return ["*" if word in persons else word for word in words]
