"""Finding phrases in a text as whole words, and words that no patient would use."""

from __future__ import annotations

import re
from functools import lru_cache

_JARGON = re.compile(
    r"\b(tachycardia|bradycardia|dyspnoea|syncope|oedema|hypotension|hypertension|haematuria|haematemesis|melaena|"
    r"thrombocytopenia|leukocytosis|aphasia|hemianopia|myocardial|infarction|arrhythmia|palpation|auscultation|"
    r"dysphagia|hemiparesis|pyrexia|diplopia|tinnitus|paraesthesia|bilirubin|troponin|creatinine)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words, whatever their case."""
    folded, wanted = text.casefold(), phrase.casefold()
    return wanted in folded and _pattern(wanted).search(folded) is not None


def jargon(text: str) -> str:
    """The first technical word in what a patient says; empty when there is none."""
    found = _JARGON.search(text)
    return found.group(0) if found else ""
