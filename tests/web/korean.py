"""What a Korean page shows for a text that is fixed in English: the rules of `frontend/src/lib/fixed.svelte.ts`."""

from __future__ import annotations

import re
from collections.abc import Mapping

BLANK = re.compile(r"\{(\d)\}")
NAMED = re.compile(r"(.+) \(([^()]+)\)", re.DOTALL)
"""A known text with its short name."""
LINE = re.compile(r"^(- |\d+\. )?(.+)$", re.MULTILINE)


class Korean:
    """The Korean of texts, by these tables."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self._patterns = [
            (BLANK.split(text)[::2], re.compile(re.sub(r"\\{\d\\}", "(.+?)", re.escape(text)), re.DOTALL), korean)
            for text, korean in table.items()
            if BLANK.search(text)
        ]

    def fixed(self, text: str) -> str:
        """A fixed text, or one that ends with a fixed text after a colon, or begins with a known name."""
        if found := self._ending(text):
            return found
        if "\n" in text:
            return "\n".join(map(self.fixed, text.split("\n")))
        for colon in re.finditer(": ", text):
            if end := self._ending(text[colon.end() :]):
                head = text[: colon.start()]
                return f"{self._whole(head) or head}: {end}"
        name, colon_, rest = text.partition(": ")
        return f"{self._table.get(name, name)}{colon_}{rest}" if len(name) <= 40 else text

    def told(self, text: str) -> str:
        """A longer text, line by line and sentence by sentence."""
        return LINE.sub(lambda line: f"{line[1] or ''}{self._line(line[2])}", text)

    def _line(self, words: str) -> str:
        known = self.fixed(words)
        return " ".join(map(self.fixed, re.split(r"(?:(?<=[.?!])|(?<=[.?!]\))) ", words))) if known == words else known

    def _whole(self, text: str) -> str:
        low = text[:1].lower() + text[1:]
        for name in (text, low, f"{text}?", low.replace(" ", "_")):
            if name in self._table:
                return self._table[name]
        for pieces, pattern, korean in self._patterns:
            if all(piece in text for piece in pieces) and (found := pattern.fullmatch(text)):
                return BLANK.sub(lambda blank: self.fixed(found[int(blank[1])]), korean)
        return ""

    def _ending(self, text: str) -> str:
        if found := self._whole(text):
            return found
        if text.endswith("."):
            inner = self._ending(text[:-1])
            return inner and f"{inner}."
        named = NAMED.fullmatch(text)
        if named and (known := self._whole(named[1])):
            return f"{known}({self._whole(named[2]) or named[2]})"
        for comma in ("; ", ", "):
            items = [self._whole(item) or ("" if re.search("[A-Za-z]", item) else item) for item in text.split(comma)]
            if len(items) > 1 and all(items) and comma.join(items) != text:
                return comma.join(items)
        return ""
