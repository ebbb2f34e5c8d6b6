"""Whether words are about the shift at all: its medicines, findings, tests, resources and steps, or an act of care.

Feedback asks this before it blames a person's words, and the offline judge before it gives marks. No metric of norms
rests on it. How often it is right stands in `benchmarks/results/duty.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from polyclinic.clinics.duty.rules.triggers import mentions
from polyclinic.clinics.duty.scenario.schema import AnyDuty, Discharge, MedicationReview, Triage
from polyclinic.text.words import ContentWords

_content = ContentWords()
SHARED = 2
"""So many content words of one finding or step are enough to be about it."""
_CARE = re.compile(
    r"\b(?:medic(?:in|at)|tablet|pills?\b|dos(?:e|age|ing)|drug|antibiotic|painkiller|diagnos|symptom|treatment|"
    r"doubl|halv|increas|decreas|reduc|rais(?:e|ing)|lower|stop|skip|paus|switch|prescri|inject|"
    r"start(?:ing)? (?:the|a)\b|tak(?:e|ing)\b(?! (?:care|over|a seat|your time))|"
    r"safe\b|harm|dangerous|risk|normal|(?:is|are|be|perfectly) fine|cured?\b|certain|no doubt|definitely|guarantee|"
    r"(?:am|are|is|be|quite|for) sure|cannot be|nothing serious|urgen|hurry|level \d|triage|can wait|waiting room|"
    r"(?:let|have|make) (?:him|her|them|the patient) (?:wait|sit)\b|(?:go|carry|keep) (?:on|going) (?:as|like|with)\b|"
    r"discharg|admit|send|leave\b|home\b|beds?\b|is free|is ready|available|scan|x-?ray|ct\b|mri\b|"
    r"blood|(?:a|the|no|your|his|her|more) tests?\b|results?\b|theatre|operat|surg|overrul|orders?\b|ordered|"
    r"instructions?\b|decided|decision|plan\b|complete|finished|settled|sorted|all set|"
    r"nothing (?:is )?(?:left|missing|open))|"
    r"약(?!속|간)|용량|복용|투약|드세요|드시|두 배|절반|늘리|줄이|끊|중단|안전|위험|정상|확실|진단|증상|치료|지시|결정|"
    r"검사|결과|수치|혈액|촬영|병상|침대|입원|퇴원|귀가|집에 가|응급|긴급|급하지|단계|수술|기다려도",
    re.IGNORECASE,
)
"""Words for an act of care, a judgement of risk, a test, a place or a level, in English and in Korean."""


def about_the_shift(scenario: AnyDuty, text: str) -> bool:
    """Whether the text names something of this shift or an act of care, or shares words with a finding or a step."""
    if speaks_of_care(text) or mentions(text, _names(scenario)):
        return True
    return shared_words(text, (*(finding.text for finding in scenario.findings), *scenario.protocol)) >= SHARED


def speaks_of_care(text: str) -> bool:
    """Whether the text names an act of care, a judgement of risk, a test, a place or a level, of whatever shift."""
    return _CARE.search(text) is not None


def shared_words(text: str, told: Iterable[str]) -> int:
    """The most content words that the text shares with one of the others."""
    said = _content(text)
    return max((len(said & _content(each)) for each in told), default=0)


def steps_told(scenario: AnyDuty, texts: Iterable[str]) -> int:
    """How many steps of the shift's plan these texts tell, by the words that they share with each step."""
    said = list(texts)
    return sum(any(shared_words(text, [step]) >= SHARED for text in said) for step in scenario.protocol)


def _names(scenario: AnyDuty) -> Iterator[str]:
    """What the shift has names for: each medicine, and the words of each resource, open fact, risk, flag and gap."""
    yield from (medication.name for medication in scenario.current_meds)
    yield from (change.drug for change in scenario.supported_changes)
    match scenario:
        case MedicationReview():
            yield from (word for cue in scenario.risk_cues for word in cue.words)
        case Triage():
            yield from (word for flag in scenario.red_flags for word in flag.words)
        case Discharge():
            yield from (word for gap in scenario.gaps for word in gap.words)
    yield from (word for resource in scenario.resources for word in resource.words)
    yield from (word for unknown in scenario.unknowns for word in unknown.words)
