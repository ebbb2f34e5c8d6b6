"""A transcribed report as sections and lines. The collection MTSamples has no line breaks: a comma stands for each.

A part of the body ("HEENT:", "LUNGS:") belongs to the examination or the review of systems before it.
"""

from __future__ import annotations

import re

from polyclinic.clinics.patient.scenario.narrative import sentences

_HEADING = re.compile(r"(?:^|(?<=[,.\s]))([A-Z][A-Z /&-]{1,40}):")
_LOST_BREAK = re.compile(r"(?<=[.;)])[ \t]*,(?=\S)|(?<=:)\s*,|,(?=\d{1,2}[.)]\s)")
_NUMBERED = re.compile(r"(^|[.;]\s+)\d{1,2}[.)]\s+(?=[A-Z])", re.MULTILINE)
_SYSTEMS = ("REVIEW OF SYSTEMS", "ROS")
_EXAMINATIONS = ("PHYSICAL EXAMINATION", "PHYSICAL EXAM", "EXAMINATION", "OBJECTIVE")
_PARTS = frozenset(
    [
        "ABDOMEN",
        "BACK",
        "BREASTS",
        "CARDIAC",
        "CARDIOVASCULAR",
        "CHEST",
        "CONSTITUTIONAL",
        "EARS",
        "ENDOCRINE",
        "EXTREMITIES",
        "EYES",
        "GASTROINTESTINAL",
        "GENERAL",
        "GENERAL APPEARANCE",
        "GENITALIA",
        "GENITOURINARY",
        "HEAD",
        "HEART",
        "HEENT",
        "HEMATOLOGIC",
        "INTEGUMENTARY",
        "LUNGS",
        "LYMPHATIC",
        "LYMPHATICS",
        "MENTAL STATUS",
        "MOUTH",
        "MUSCULOSKELETAL",
        "NECK",
        "NEURO",
        "NEUROLOGIC",
        "NEUROLOGICAL",
        "NOSE",
        "PELVIC",
        "PSYCHIATRIC",
        "PULMONARY",
        "RECTAL",
        "RESPIRATORY",
        "SKIN",
        "THROAT",
    ]
)


def split_report(transcription: str) -> dict[str, str]:
    """A report's sections by heading, with line breaks. Text before the first heading is left out."""
    pieces = _HEADING.split(_LOST_BREAK.sub("\n", transcription))
    sections: dict[str, str] = {}
    whole = ""
    for heading, body in zip(pieces[1::2], pieces[2::2], strict=True):
        name = " ".join(heading.replace("-", " ").split())
        if whole and name in _PARTS:
            line = f"{_part(name)}: {body.strip(' ,')}" if whole in _EXAMINATIONS else body
            sections[whole] = f"{sections[whole]}\n{line}".strip(" ,\n")
            continue
        if name in (*_SYSTEMS, *_EXAMINATIONS):
            whole = name
        elif name != "VITAL SIGNS":  # They often stand between an examination's heading and its parts.
            whole = ""
        sections[name] = f"{sections.get(name, '')} {body}".strip(" ,\n")
    return sections


def report_lines(section: str) -> list[list[str]]:
    """The sentences of each line of a section, without the numbers of a list."""
    rows = _NUMBERED.sub(r"\1\n", section).split("\n")
    return [found for row in rows if (found := sentences(row))]


def _part(name: str) -> str:
    return name if name == "HEENT" else name.capitalize()
