"""Whether a person passes instead of answering: "pass", "skip", "패스"."""

from __future__ import annotations

_PASSES = frozenset({"pass", "skip", "?", "패스", "스킵", "건너뛰기", "건너뛸게요", "넘어갈게요"})


def passes(text: str) -> bool:
    """Whether a text says nothing but that its writer does not answer."""
    return text.strip().strip(".!").casefold() in _PASSES
