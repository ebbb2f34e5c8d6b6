"""The records that ship with the clinic, and how they are split into those to learn from and those never seen."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from polyclinic.clinics.patient.scenario.casefile import parse_yaml, read_case_file
from polyclinic.clinics.patient.scenario.record import Disease, Record
from polyclinic.core.files import package_file, package_text
from polyclinic.errors import UnknownName

PACKAGE = "polyclinic.clinics.patient"
HELD_OUT_DISEASES = ("Parkinson disease", "acute angle-closure glaucoma")


def data_text(*path: str) -> str:
    """A data file of this clinic."""
    return package_text(PACKAGE, "/".join(("data", *path)))


def data(*path: str) -> dict[str, Any]:
    """What a YAML file of this clinic holds; every scalar is text."""
    return parse_yaml(data_text(*path), path[-1])


@lru_cache(maxsize=1)
def shipped_records() -> tuple[Record, ...]:
    """All shipped records, by disease file and then in the file's order."""
    folder = package_file(PACKAGE, "data/records")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return tuple(record for name in names for record in read_case_file(data_text("records", name), name))


@lru_cache(maxsize=1)
def diseases() -> tuple[Disease, ...]:
    """The diseases of the shipped records."""
    return tuple({record.disease.name: record.disease for record in shipped_records()}.values())


def record(id: str) -> Record:
    """A shipped record by its id."""
    for found in shipped_records():
        if found.id == id:
            return found
    raise UnknownName("record", id, (record.id for record in shipped_records()))


def held_out(record: Record) -> bool:
    """Whether a record is reserved for testing: the last record of each disease, and all records of two diseases."""
    return record.id.endswith("-03") or record.disease.name in HELD_OUT_DISEASES


def training_records() -> tuple[Record, ...]:
    """Records that evolution may use; the diseases alternate."""
    kept = [record for record in shipped_records() if not held_out(record)]
    return tuple(sorted(kept, key=lambda record: record.id.rpartition("-")[2]))


def unseen_records() -> tuple[Record, ...]:
    """Records that evolution never sees."""
    return tuple(record for record in shipped_records() if held_out(record))
