"""Words that no patient would use."""

from __future__ import annotations

import re

_JARGON = re.compile(
    r"\b(tachycardia|bradycardia|dyspnoea|syncope|oedema|hypotension|hypertension|haematuria|haematemesis|melaena|"
    r"thrombocytopenia|leukocytosis|aphasia|hemianopia|myocardial|infarction|arrhythmia|palpation|auscultation|"
    r"dysphagia|hemiparesis|pyrexia|diplopia|tinnitus|paraesthesia|bilirubin|troponin|creatinine)\b",
    re.IGNORECASE,
)


def jargon(text: str) -> str:
    """The first technical word in what a patient says; empty when there is none."""
    found = _JARGON.search(text)
    return found.group(0) if found else ""
