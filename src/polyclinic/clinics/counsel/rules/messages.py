"""Words that no model writes: the set message with local contacts, and what is said when every draft was refused."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.core.files import package_data


@cache
def _data(name: str) -> dict[str, Any]:
    found: dict[str, Any] = package_data(PACKAGE, f"data/{name}.toml")
    return found


def contacts(country: str) -> dict[str, Any]:
    """The crisis contacts of a country, or those that hold almost everywhere."""
    table = _data("contacts")
    found: dict[str, Any] = table.get(country) or table["default"]
    return found


def escalation_message(lang: Lang, country: str, label: GuardLabel = "active") -> str:
    """The set message: automated talk stops, a person was told, whom to call; a medical emergency, danger to others
    and abuse have their own words.
    """
    return _with_contacts(label if label in _data("messages") else "escalated", lang, country)


def handover_message(lang: Lang) -> str:
    """Said when a person takes over without a crisis."""
    return str(_data("messages")["handed_over"][lang])


def fallback(risk: int, lang: Lang) -> str:
    """The safe utterance for a risk type that no revision removed."""
    return str(_data("messages")["fallback"][str(risk)][lang])


def gentle_question(lang: Lang) -> str:
    """How a passive wish to die is asked about."""
    return str(_data("messages")["gentle"][lang])


def stage_words(stage: str, name: Literal["goal", "query"], lang: Lang) -> str:
    """A stage's goal, or what to look up in it."""
    return str(_data("stages")[stage][name][lang])


def _with_contacts(name: str, lang: Lang, country: str) -> str:
    found = contacts(country)
    number = f" ({found['crisis']})" if found["crisis"] else ""
    emergency = found["emergency"]
    return str(_data("messages")[name][lang]).format(
        emergency=emergency[lang] if isinstance(emergency, dict) else emergency,
        crisis_name=found["crisis_name"][lang],
        crisis_number=number,
        note=found["note"][lang],
    )
