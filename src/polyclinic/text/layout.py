"""Text for people in paragraphs and lists: empty parts are left out."""

from __future__ import annotations

from collections.abc import Iterable


def blocks(*parts: str) -> str:
    """Paragraphs with an empty line between them."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def bullets(items: Iterable[str]) -> str:
    """A list with one item per line, each after a dash."""
    return "\n".join(f"- {item}" for item in items)


def listed(head: str, items: Iterable[str]) -> str:
    """A heading and its items, one per line; numbered items stay as they are. Empty without items."""
    lines = [item if item[:1].isdigit() else f"- {item}" for item in items]
    return "\n".join([head, *lines]) if lines else ""


def number_of(count: int, thing: str) -> str:
    """A count with its noun: "1 episode", "2,400 episodes"."""
    return f"{count:,} {thing}{'s'[: count != 1]}"
