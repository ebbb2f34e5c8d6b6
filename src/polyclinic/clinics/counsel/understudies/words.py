"""The set words of the offline players, and how they recognise a topic."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_data


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    found: dict[str, Any] = package_data(PACKAGE, "data/understudy.toml")
    return found


def words(who: str, lang: str, name: str) -> str:
    """One set phrase."""
    return str(_data()[who][lang][name])


def topic_of(text: str) -> str:
    """The stage (or ``gentle``) that an utterance's last question belongs to; empty when none is recognised."""
    lowered = text.lower()
    found = [
        (lowered.rfind(sign), topic) for topic, signs in _data()["topic"].items() for sign in signs if sign in lowered
    ]
    return max(found)[1] if found else ""
