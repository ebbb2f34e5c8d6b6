"""The set words of the offline players in their two voices, and how the offline patient recognises a topic."""

from __future__ import annotations

from functools import cache
from typing import Any

from polyclinic.clinics.counsel.scenario import InventedPerson, Lang, PersonaLines, data
from polyclinic.errors import UnknownName

VOICES = ("first", "second")


def check_voice(name: str) -> None:
    """Refuse a voice that does not exist."""
    if name not in VOICES:
        raise UnknownName("voice", name, VOICES)


@cache
def _voice(name: str) -> dict[str, Any]:
    check_voice(name)
    return data(f"voices/{name}")


def words(voice: str, who: str, lang: Lang, name: str) -> str:
    """One set phrase."""
    return str(_voice(voice)[who][lang][name])


def lines_of(voice: str, persona: InventedPerson, lang: Lang) -> PersonaLines:
    """What this person says where persons differ: the voice's own lines, or the lines written with the person."""
    own = _voice(voice).get("lines", {}).get(lang, {}).get(persona.id)
    return PersonaLines.model_validate(own) if own else persona.lines[lang]


def topic_of(text: str) -> str:
    """The stage (or ``gentle``) that an utterance's last question belongs to; empty when none is recognised."""
    lowered = text.lower()
    found = [
        (lowered.rfind(sign), topic)
        for topic, signs in data("voices/topics").items()
        for sign in signs
        if sign in lowered
    ]
    return max(found)[1] if found else ""
