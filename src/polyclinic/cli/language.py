"""The language of the person at the terminal: our own sentences and names in it."""

from __future__ import annotations

import os


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
