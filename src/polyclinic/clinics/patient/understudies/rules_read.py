"""How an offline player reads a rule of its role: whether the rule says to hold something back."""

from __future__ import annotations

import re

_DECLINE = re.compile(
    r"\b(?:decline|do not (?:give|bring up)|never say|never name|discreet|one question at most|take up one|careful)\b",
    re.IGNORECASE,
)


def tells_to_decline(line: str) -> bool:
    """Whether a rule says to decline or to hold something back."""
    return bool(_DECLINE.search(line))
