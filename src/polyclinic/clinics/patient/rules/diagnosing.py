"""Whether a conclusion is the record's diagnosis: names are found by an exact table, everything else is decided by the
reader."""

from __future__ import annotations

import re

from polyclinic.clinics.patient.readings import DIAGNOSIS
from polyclinic.clinics.patient.rules.naming import (
    kind_in,
    meant_in,
    named_in,
    names_another,
    only_names,
    without_others,
)
from polyclinic.clinics.patient.rules.plain_form import plain_form
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.core.reading import Reads
from polyclinic.text.conclusions import leaves_open, read_clauses
from polyclinic.text.phrases import mentioned

_OF_BOTH = re.compile(r"\b(?:of|in|on|from) (?:the |an? )?\w+ or \w+", re.IGNORECASE)
_DENIED = re.compile(r"[가-힣] ?(?:[은는이가] )?(?:아니|아님|아닌|없|배제|제외|말고)")
_OR = re.compile(r"\b(?:or|versus|vs|either|maybe|perhaps)\b", re.IGNORECASE)

_BEFORE_OR_FAMILY = re.compile(
    r"\b(?:in (?:19|20)\d\d|years? ago|in the past|history of|runs in"
    r"|(?:family|father|mother|brother|sister|wife|husband|dad|mum|mom|son|daughter|uncle|aunt)(?:'s)?)(?![\w'])",
    re.IGNORECASE,
)
"""An illness of years ago or of the family is not what the patient has today."""


async def is_right(reads: Reads, diagnosis: str, record: Record) -> bool:
    """Whether a diagnosis is right. A name of the disease in a clause that stands is: "heart attack, not reflux" is
    right, "no heart attack: anxiety" and "heart attack or reflux" are not.

    Where nothing names the disease, the reader decides, from the clauses that deny nothing and name no other illness.
    A broader name ("bowel obstruction") is a leak if a patient says it, but it is no diagnosis. Nor is another illness
    whose name holds the disease's name ("haemorrhagic stroke"), or one that only resembles it ("mimicking MI").
    """
    diagnosis = _plain(diagnosis, record)
    clauses, names = _clauses(diagnosis, record), _names(record)
    stands = [words for words, stance in clauses if stance == "stands" and not _joins(words)]
    if not stands or leaves_open(diagnosis) or is_broader(diagnosis, record):
        return False
    others = [words for words, _ in clauses if words not in stands]
    settled, left = named_in(stands, names), named_in(others, names)
    if left and not settled:
        return False
    if settled and left <= settled:
        return True
    if _names_unlike(diagnosis, record):
        return False
    if not left and meant_in(stands, names):
        return True
    if kind_in(others, record.disease.name) and not kind_in(stands, record.disease.name):
        return False
    rest = ", ".join(words for words in stands if not names_another(words, names))
    if not rest:
        return False
    (found,) = await reads(rest, [DIAGNOSIS.ask(diagnosis=record.diagnosis)])
    return found.yes


def is_broader(diagnosis: str, record: Record) -> bool:
    """Whether a diagnosis only has a broader name than the record's: "hyperthyroidism" for Graves disease."""
    stands = [words for words, stance in _clauses(_plain(diagnosis, record), record) if stance == "stands"]
    return only_names(stands, record.disease.broader) and not any(mentioned(words, _names(record)) for words in stands)


def is_named(diagnosis: str, record: Record) -> bool:
    """Whether the right diagnosis is among those that are named and not denied."""
    kept = [words for words, stance in _clauses(_plain(diagnosis, record), record) if stance != "denies"]
    return bool(named_in(kept, _names(record)))


def _plain(diagnosis: str, record: Record) -> str:
    """The conclusion as names are found in it."""
    return plain_form(diagnosis, (*_names(record), *_unlike(record), *record.disease.broader), record.diagnosis)


def _clauses(diagnosis: str, record: Record) -> list[tuple[str, str]]:
    """The clauses of a conclusion and their stances, without the names of other illnesses that hold the disease's name.
    A clause that named only such an illness is left out.
    """
    names, found = _names(record), list[tuple[str, str]]()
    for words, stance in _read(diagnosis):
        own = without_others(words, _unlike(record))
        if own == words or named_in([own], names) or meant_in([own], names):
            found.append((own, stance))
    return found


def _names_unlike(diagnosis: str, record: Record) -> bool:
    """Whether a clause that stands names another illness that holds the disease's name."""
    return any(
        stance == "stands" and without_others(words, _unlike(record)) != words for words, stance in _read(diagnosis)
    )


def _read(diagnosis: str) -> list[tuple[str, str]]:
    """The clauses of a conclusion, each with its stance. In Korean, the denial follows the name in the same clause."""
    read = read_clauses(diagnosis, _BEFORE_OR_FAMILY)
    return [(clause.words, "denies" if _DENIED.search(clause.words) else clause.stance) for clause in read]


def _unlike(record: Record) -> tuple[str, ...]:
    return (*record.disease.unlike, *record.unlike)


def _joins(words: str) -> bool:
    """Whether a clause joins two things with "or": "MI or dissection", but not "ulcer of the stomach or duodenum"."""
    return _OR.search(_OF_BOTH.sub("", words)) is not None


def _names(record: Record) -> tuple[str, ...]:
    return (*record.disease.diagnoses, record.diagnosis)
