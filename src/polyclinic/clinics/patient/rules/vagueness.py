"""How a record becomes a complaint: details of tests are removed, times become vague, and some sentences are dropped.

People arrive without their results and without a calendar. The vagueness agent uses a model to remove details and blur
times. These rules check it, and the offline agent uses them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from polyclinic.clinics.patient.scenario.record import Level, Record

DROPOUT = 0.3
_NUMBER = r"(?:\d+(?:\.\d+)?|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|ninety|twenty)"
_UNIT = r"(?:second|minute|hour|day|night|week|month|year|quarter of an hour)s?"
_TIMES = {
    re.compile(rf"(?i)\bfor (?:about |the last |over )?{_NUMBER} (?:and a half )?{_UNIT}\b"): "for some time",
    re.compile(rf"(?i)\bsince {_NUMBER} {_UNIT}\b"): "for some time",
    re.compile(rf"(?i)\b(?:about )?{_NUMBER} {_UNIT} ago\b"): "a while ago",
    re.compile(r"(?i)\bsince (?:this morning|last night|yesterday(?: evening)?|midnight)\b"): "recently",
    re.compile(r"(?i)\b(?:\d+|three|four|five|six|seven|eight|nine|ten) (?:kilos|kilograms|kg)\b"): "some weight",
    re.compile(r"\b\d+(?:\.\d+)? ?(?:degrees|C)\b"): "high",
}


def make_vague(text: str) -> str:
    """The text with durations, dates and amounts blurred."""
    for pattern, words in _TIMES.items():
        text = pattern.sub(words, text)
    return text[:1].upper() + text[1:]


def arrival_lines(record: Record) -> list[str]:
    """What the patient could say on arrival: what is volunteered first, then symptoms; never a result."""
    symptoms = [fact.text for fact in record.at(Level.ASKED) if fact.topic.value == "symptom" and not fact.red_flag]
    return [*(fact.text for fact in record.at(Level.VOLUNTEERED)), *symptoms[:3]]


def drop_sentences(sentences: Sequence[str], random: random.Random) -> list[str]:
    """Drop some sentences at random. The first always stays, so that there is a complaint."""
    return [sentence for at, sentence in enumerate(sentences) if at == 0 or random.random() >= DROPOUT]
