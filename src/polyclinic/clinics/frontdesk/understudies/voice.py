"""What the understudies say: two voices, as data. Rules, judges and readers do not know these sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from polyclinic.clinics.frontdesk.prompts.views import Voice
from polyclinic.core.files import package_data

_Voices = Mapping[str, Mapping[str, Mapping[str, str]]]


@lru_cache(maxsize=1)
def _voices() -> _Voices:
    voices: _Voices = package_data("polyclinic.clinics.frontdesk", "data/voices.toml")
    return voices


def line(voice: Voice, part: str, key: str, **words: str) -> str:
    """One sentence of a role (``patient``, ``manner``, ``staff``), with these words filled in."""
    sentence = _voices()[voice.name][part][key]
    return sentence.format(**words) if words else sentence
