"""Whom a person's question is meant for: the patient or the expert.

A mark ("expert: …") decides. Without one, only plain forms count: a question about what somebody feels or did goes to
the patient, a question about what a word means or how something works goes to the expert. In doubt the person is asked.
"""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.text.sentences import is_question, sentences

_Asked = Literal["patient", "expert"]
_PEOPLE = r"patient|mother|father|mum|dad|parents?|wife|husband|partner|daughter|son|sister|brother|family|him|her|them"
_EXPERTS = r"expert|specialist|textbook"
_MARK = re.compile(
    rf"\s*(?:(?:to|for|ask)\s+)?(?:the\s+)?(?:(?P<patient>{_PEOPLE})|(?P<expert>{_EXPERTS}))\s*:\s*", re.IGNORECASE
)
_SAYS_WHOM = re.compile(
    rf"\bask\s+(?:(?:the|our|his|her|my)\s+)?(?:(?P<patient>{_PEOPLE})|(?P<expert>{_EXPERTS}))\b", re.IGNORECASE
)
_FIRST = r"^(?:(?:and|so|then|but|also|please|sorry|excuse me|may i ask|can i ask)\b[\s,:]*)*"
_PERSON = r"(?:you|it|he|she|they|this|that|your|his|her|their)\b"
_GENERAL = re.compile(
    rf"{_FIRST}(?:(?:(?:can|could|would)\s+you\s+(?:please\s+)?)?(?:explain|define)\b"
    r"|what(?:'s|\s+is|\s+are)\s+(?:an?\b|meant\b|the\s+(?:difference|meaning|definition|normal)\b)"
    rf"|what\s+do(?:es)?\s+(?!{_PERSON}).*\b(?:mean|measure|show|stand\s+for)\b"
    rf"|(?:how|why)\s+do(?:es)?\s+(?!{_PERSON})|what\s+causes\b|in\s+general\b)",
    re.IGNORECASE,
)
_OF_THE_PATIENT = re.compile(
    r"\b(?:you|your|yours|it|he|she|they|him|his|her|their|this|here|any|anyone|anybody|anything|somebody|someone"
    r"|pain\w*|hurts?|ach(?:e|es|ing)|sore|fever\w*|cough\w*|rash|itch\w*|dizz\w+|sick\w*|vomit\w*|swell\w*|swollen"
    r"|numb\w*|tired\w*|bleed\w*|allerg\w+|medicines?|medications?|tablets?|pills?|smok\w+)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"{_FIRST}(?:when|where|what|which|who|why|how|since\s+when|do|does|did|is|are|was|were|has|have|had|can|could"
    r"|will|would|any|tell\s+(?:me|us))\b",
    re.IGNORECASE,
)
HOW_TO_ASK = "write patient: and your question, or expert: and your question, both with ;; between them, or pass"


def questions_for(text: str) -> dict[_Asked, str]:
    """What a person asks the patient and the expert. Raises `ValueError` with what to write where that is not plain."""
    asked: dict[_Asked, list[str]] = {"patient": [], "expert": []}
    for part in text.split(";;"):
        mark = _MARK.match(part)
        if mark:
            asked["patient" if mark["patient"] else "expert"].append(part[mark.end() :].strip())
            continue
        for whom, words in _by_sentence(part):
            asked[whom].append(words)
    return {whom: " ".join(words) for whom, words in asked.items()}


def _by_sentence(part: str) -> list[tuple[_Asked, str]]:
    """The questions of a part without a mark. A statement before a question belongs to it."""
    found: list[tuple[_Asked, str]] = []
    before = ""
    for sentence in sentences(part):
        words = f"{before} {sentence}".strip()
        whom = _meant_for(sentence)
        if whom:
            found.append((whom, words))
        elif is_question(sentence):
            raise ValueError(f"is “{sentence}” for the patient or for the expert? {HOW_TO_ASK}")
        before = "" if whom else words
    if not found:
        raise ValueError(f"that is no question: {HOW_TO_ASK}")
    return found


def _meant_for(sentence: str) -> _Asked | None:
    named = _SAYS_WHOM.search(sentence)
    if named:
        return "patient" if named["patient"] else "expert"
    if _GENERAL.match(sentence):
        return "expert"
    asks = is_question(sentence) or _ASKS.match(sentence)
    return "patient" if asks and _OF_THE_PATIENT.search(sentence) else None
