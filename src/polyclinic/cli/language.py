"""The language of the person at the terminal: our own sentences and names in it."""

from __future__ import annotations

import os
from collections.abc import Mapping


def own_language() -> str:
    """The person's language from the system's settings: ``ko`` or ``en``."""
    told = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "ko" if told.lower().startswith("ko") else "en"


def own_names() -> dict[str, str]:
    """Fixed names and explanations in the person's language; empty for English."""
    from polyclinic.web.fixed_words import korean_words

    return korean_words() if own_language() == "ko" else {}


def own_words(text: str) -> str:
    """Our own sentences in the person's language."""
    if own_language() != "ko":
        return text
    from polyclinic.web.fixed_words import in_korean

    return in_korean(text)


def own_role(role: str) -> str:
    """The name of a role, or of a seat of it, in the person's language."""
    return role_name(role, own_names())


def role_name(role: str, names: Mapping[str, str]) -> str:
    """The name of a role, or of a seat of it, by this table."""
    kind, dash, seat = role.partition("-")
    return names.get(role) or f"{names.get(kind, kind)}{dash}{seat}"
