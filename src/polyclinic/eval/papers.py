"""Headings that name a table or figure of a paper: only where the run has what that table compares."""

from __future__ import annotations

from collections.abc import Collection


def as_in_paper(caption: str, place: str, compares: Collection[str], variants: Collection[str]) -> str:
    """A caption, with its place in the paper if the run has all variants that are compared there."""
    return f"{caption} ({place})" if set(compares) <= set(variants) else caption
