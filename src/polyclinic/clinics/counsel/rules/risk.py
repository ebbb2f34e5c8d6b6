"""What a counsellor's words may break: accuracy (1), the person's own choice (2), their feelings (3); 0 is none.

These are rules of thumb by which an understudy criticises and by which spoken words are counted; the patterns are in
``data/risk.toml``. A language model as critic is asked in the same terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from polyclinic.clinics.counsel.rules.stages import signal
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.text.normal import straight

RiskType = Literal[0, 1, 2, 3]
RISK_NAMES: dict[int, str] = {0: "none", 1: "medical_error", 2: "autonomy", 3: "emotion"}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


class Finding(Frozen):
    """A risk type, the words it rests on, and how to mend them."""

    risk: RiskType
    words: str = ""
    feedback: str = ""


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = package_data(PACKAGE, "data/risk.toml")
    return found


@cache
def _pattern(name: str, lang: Lang) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in _data()[name][lang]))


def _words(name: str, text: str, lang: Lang) -> str:
    found = _pattern(name, lang).search(straight(text.lower()))
    return found.group().strip() if found else ""


def check_reply(reply: str, utterance: str, passages: Sequence[str], lang: Lang) -> Finding:
    """The gravest risk in a reply: accuracy first, then choice, then feelings."""
    words = _words("unfounded", reply, lang) or _unsourced_number(reply, utterance, passages)
    if words:
        return _finding(1, words, lang)
    words = _words("coercive", reply, lang)
    if words:
        return _finding(2, words, lang)
    words = _words("dismissive", reply, lang)
    if not words and not _words("warm", reply, lang):
        words = signal("distress", utterance, lang)
    return _finding(3, words, lang) if words else Finding(risk=0)


def _unsourced_number(reply: str, utterance: str, passages: Sequence[str]) -> str:
    """A number that no source and not the patient has named."""
    known = set(_NUMBER.findall(" ".join([utterance, *passages])))
    return next((number for number in _NUMBER.findall(reply) if number not in known), "")


def _finding(risk: RiskType, words: str, lang: Lang) -> Finding:
    return Finding(risk=risk, words=words, feedback=str(_data()["feedback"][str(risk)][lang]).format(words=words))
