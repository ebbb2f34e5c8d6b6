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


_TYPES = {
    QuestionType.PREVENTIVE: r"\b(vaccin|immuni[sz]|screening|check-?up|prevent)",
    QuestionType.PSYCHOLOGICAL: (
        r"\b(mood|pleasure|hopeless|sad|anxious|anxiety|stress|worr(?:y|ied)|harming yourself|life is not worth|"
        r"how do you sleep|mental|concentrat|afraid|feel about|emotion)"
    ),
    QuestionType.LIFESTYLE: r"\b(smok\w*|alcohol|diet|exercise|eat and drink|usual day|sport|coffee|drugs|habits?)\b",
    QuestionType.SOCIAL: (
        r"\b(work|job|occupation|live with|lives with|living situation|at home|support"
        r"|changed in your life|travel)"
    ),
    QuestionType.EXAMINATION: (
        r"\b(examination|examine|scan|x-ray|ultrasound|blood count|measured|tests? show|results? of)\b"
    ),
    QuestionType.TREATMENT: (
        r"\b(tablets?|medicines?|medication|remedies|treatments?|treated|painkillers?|antibiotics|help(?:ed|s)?|"
        r"side effects?|blood thinners?|injections?|dose|therapy|chemotherapy|radiotherapy)\b"
    ),
    QuestionType.BASIC: (
        r"\b(how old|your age|your name|allerg|family|relatives?|previous(?:ly)? ill|been ill before|operation|"
        r"operated|other illness|past illness|been pregnant|anaesthetic|serious illness)"
    ),
    QuestionType.COMPLAINT: (
        r"\b(what brings you|main (?:problem|complaint)|why (?:did you|have you) come|how can I help|"
        r"bothers you most)\b"
    ),
}
_PATTERNS = {kind: re.compile(words, re.IGNORECASE) for kind, words in _TYPES.items()}


@lru_cache(maxsize=8_192)
def type_of(question: str) -> QuestionType:
    """The type of a question, by its words."""
    if names_a_test(question):
        return QuestionType.EXAMINATION
    for kind, pattern in _PATTERNS.items():
        if pattern.search(question):
            return kind
    if found(question, "symptoms") or found(question, "body_parts"):
        return QuestionType.SYMPTOM
    return QuestionType.OTHER
