"""Whom a person's question is meant for: the patient or the expert.

A mark ("expert: …") decides. Without one, only plain forms count: a question about what somebody feels or did, or about
what happened or changed, goes to the patient; a question about what a word means or how something works goes to the
expert. What is meant for the tutor, or is about a test's result, is for neither. In doubt the person is asked.
"""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.text.questions import QUESTION_WORD, asks_something, without_lead
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
_PERSON = r"(?:you|it|he|she|they|this|that|your|his|her|their)\b"
_GENERAL = re.compile(
    r"(?:(?:(?:can|could|would)\s+you\s+(?:please\s+)?)?(?:explain|define)\b"
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
_BODY = (
    r"(?:skin|eyes?|legs?|arms?|hands?|foot|feet|fingers?|toes?|face|lips?|mouth|tongue|throat|neck|chest|belly|stomach"
    r"|back|head|hair|nails?|ears?|nose|knees?|hips?|joints?|lump|spots?|wound|urine|stools?|colou?r|breath(?:ing)?|sleep"
    r"|appetite|weight|periods?|baby|child|voice|hearing|vision|sight|walking|mood)"
)
_WHAT_HAPPENED = re.compile(
    rf"(?:(?:since\s+)?{QUESTION_WORD}\b(?:\s+\w+){{0,3}}?\s+)?"
    r"(?:did|was|were|has|had|have|happened|changed|made|helped|began|started)\b"
    rf"|(?:is|are|does|do|can|how|where|(?:since\s+)?when)\b(?:\s+\w+){{0,2}}?\s+(?:the|those)\s+{_BODY}\b",
    re.IGNORECASE,
)
_TEST = r"(?:ecg|ekg|ct|mri|x-?rays?|scans?|ultrasound|echo\w*|troponin|bloods?\s+tests?|labs?|results?|biopsy|culture)"
_FOR_NEITHER = re.compile(
    rf"\b(?:did|does|do|was|were|is|are|has|have)\s+the\s+(?:\w+\s+)?{_TEST}\b|\b(?:tutor|professor|teacher|hint)\b"
    r"|\bright\s+track\b|\bis\s+(?:that|this|it)\s+(?:right|correct)\b"
    r"|\b(?:discovered|invented|first\s+described|introduced|named\s+after)\b",
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
        raise ValueError(f"that is not a question; what you think belongs in your next report: {HOW_TO_ASK}")
    return found


def _meant_for(sentence: str) -> _Asked | None:
    named = _SAYS_WHOM.search(sentence)
    if named:
        return "patient" if named["patient"] else "expert"
    if _FOR_NEITHER.search(sentence):
        return None
    bare = without_lead(sentence)
    if _GENERAL.match(bare):
        return "expert"
    of_the_patient = _OF_THE_PATIENT.search(sentence) or _WHAT_HAPPENED.match(bare)
    return "patient" if of_the_patient and asks_something(sentence) else None
