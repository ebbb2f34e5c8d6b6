"""What a question is about: the ten types of the paper, by its words. They are only used for two figures."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from polyclinic.clinics.patient.rules.vocabulary import found, names_a_test


class QuestionType(StrEnum):
    """The ten types of questions."""

    BASIC = "basic information"
    COMPLAINT = "chief complaint"
    SYMPTOM = "detailed symptom"
    LIFESTYLE = "lifestyle"
    PSYCHOLOGICAL = "psychological condition"
    SOCIAL = "social environment"
    EXAMINATION = "physical examination"
    TREATMENT = "treatment and medication response"
    PREVENTIVE = "preventive health"
    OTHER = "other"


_TYPES: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (QuestionType.PREVENTIVE, re.compile(r"\b(vaccin|immuni[sz]|screening|check-?up|prevent)", re.IGNORECASE)),
    (
        QuestionType.PSYCHOLOGICAL,
        re.compile(
            r"\b(mood|pleasure|hopeless|sad|anxious|anxiety|stress|worr(?:y|ied)|harming yourself|life is not worth|"
            r"how do you sleep|mental|concentrat|afraid|feel about|emotion)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.LIFESTYLE,
        re.compile(
            r"\b(smok\w*|alcohol|diet|exercise|eat and drink|usual day|sport|coffee|drugs|habits?)\b", re.IGNORECASE
        ),
    ),
    (
        QuestionType.SOCIAL,
        re.compile(
            r"\b(work|job|occupation|live with|lives with|living situation|at home|support"
            r"|changed in your life|travel)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.EXAMINATION,
        re.compile(
            r"\b(examination|examine|scan|x-ray|ultrasound|blood count|measured|tests? show|results? of)\b",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.TREATMENT,
        re.compile(
            r"\b(tablets?|medicines?|medication|remedies|treatments?|treated|painkillers?|antibiotics|help(?:ed|s)?|"
            r"side effects?|blood thinners?|injections?|dose|therapy|chemotherapy|radiotherapy)\b",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.BASIC,
        re.compile(
            r"\b(how old|your age|your name|allerg|family|relatives?|previous(?:ly)? ill|been ill before|operation|"
            r"operated|other illness|past illness|been pregnant|anaesthetic|serious illness)",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.COMPLAINT,
        re.compile(
            r"\b(what brings you|main (?:problem|complaint)|why (?:did you|have you) come|how can I help|"
            r"bothers you most)\b",
            re.IGNORECASE,
        ),
    ),
)


@lru_cache(maxsize=8_192)
def type_of(question: str) -> QuestionType:
    """The type of a question, by its words."""
    if names_a_test(question):
        return QuestionType.EXAMINATION
    for kind, pattern in _TYPES:
        if pattern.search(question):
            return kind
    if found(question, "symptoms") or found(question, "body_parts"):
        return QuestionType.SYMPTOM
    return QuestionType.OTHER
