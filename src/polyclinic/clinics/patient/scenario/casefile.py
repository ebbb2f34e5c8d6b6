"""Reading case files: the YAML an educator writes, into records with a level on every fact.

A file holds one `disease` and its `records`. The place of a line decides its level: under `volunteered`, under `asked`
(by topic), under `tests` (a result of that named test), under `never`, `treatment` or `diagnosis` (never known to the
patient).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from polyclinic.clinics.patient.scenario.record import Disease, Fact, Investigation, Level, Record, Topic, told_age
from polyclinic.core.files import bad_file, checked, first_fault
from polyclinic.core.files import parse_yaml as read_yaml

RECORD_KEYS = frozenset(
    [
        "id",
        "age",
        "age_months",
        "sex",
        "informant",
        "volunteered",
        "asked",
        "tests",
        "diagnosis",
        "treatment",
        "never",
        "source",
        "disease",
        "unlike",
    ]
)


def parse_yaml(text: str, origin: str) -> dict[str, Any]:
    """The file as plain data; every scalar stays text, so that 'no' does not become False."""
    data = read_yaml(text, origin, as_text=True)
    if not isinstance(data, dict):
        raise bad_file(origin, "a case file must be a mapping with 'disease' and 'records'")
    return data


def read_case_file(text: str, origin: str) -> list[Record]:
    """All records of one file; raises `DataError` naming the file, the record and the place."""
    data = parse_yaml(text, origin)
    records = data.get("records")
    if not isinstance(records, list) or not records:
        raise bad_file(origin, "'records' must be a list with at least one record")
    if "disease" not in data:
        raise bad_file(origin, "'disease' is missing", fix="give its name, synonyms, system and discipline")
    disease = checked(Disease, data["disease"], origin, field="disease")
    return [build_record(raw, disease, origin) for raw in records]


def build_record(raw: Mapping[str, Any], disease: Disease, origin: str) -> Record:
    """One record of a case file."""
    name = raw.get("id", "?") if isinstance(raw, Mapping) else "?"
    where = f"{origin}: record '{name}'"
    if not isinstance(raw, Mapping):
        raise bad_file(where, f"a record must be a mapping, not {type(raw).__name__}")
    unknown = sorted(set(raw) - RECORD_KEYS)
    if unknown:
        raise bad_file(where, f"unknown key '{unknown[0]}'", fix=f"use one of: {', '.join(sorted(RECORD_KEYS))}")
    try:
        tests = [Investigation.model_validate(test) for test in raw.get("tests", [])]
        fields = {key: raw[key] for key in ("id", "sex", "informant", "diagnosis", "source", "unlike") if key in raw}
        numbers = {key: int(raw[key]) for key in ("age", "age_months") if key in raw}
        facts = tuple(_facts(raw, tests, numbers, where))
        return Record(disease=disease, facts=facts, investigations=tuple(tests), **fields, **numbers)
    except ValidationError as error:
        raise first_fault(error, where) from None
    except (TypeError, ValueError) as error:
        raise bad_file(where, str(error)) from None


def _facts(
    raw: Mapping[str, Any], tests: Sequence[Investigation], numbers: Mapping[str, int], where: str
) -> Iterator[Fact]:
    """Every fact of a record with its level; facts are numbered within the record."""
    count = 0

    def fact(topic: Topic, level: Level, entry: Any, test: str = "", item: str = "") -> Fact:
        nonlocal count
        count += 1
        text, red_flag = _entry(entry, where)
        return Fact(
            id=f"{raw.get('id', '?')}.{count}",
            topic=topic,
            level=level,
            text=text,
            test=test,
            item=item,
            red_flag=red_flag,
        )

    yield from (fact(Topic.COMPLAINT, Level.VOLUNTEERED, line) for line in raw.get("volunteered", []))
    asked = raw.get("asked", {})
    if not isinstance(asked, Mapping):
        raise bad_file(where, "'asked' must be a mapping from topic to lines")
    for topic, lines in asked.items():
        if topic not in {member.value for member in Topic}:
            raise bad_file(where, f"asked: there is no topic '{topic}'")
        yield from (fact(Topic(topic), Level.ASKED, line) for line in lines)
    if "age" in numbers:
        informant, sex = str(raw.get("informant", "self")), str(raw.get("sex"))
        yield fact(Topic.BACKGROUND, Level.ASKED, told_age(numbers["age"], numbers.get("age_months"), informant, sex))
    for test in tests:
        for item, value in test.items.items():
            yield fact(Topic.RESULT, Level.TEST, f"{item}: {value}", test.name, item)
        if test.impression:
            yield fact(Topic.IMPRESSION, Level.NEVER, test.impression, test.name)
    for topic, key in ((Topic.TREATMENT, "treatment"), (Topic.HIDDEN, "never")):
        yield from (fact(topic, Level.NEVER, line) for line in raw.get(key, []))
    if raw.get("diagnosis"):
        yield fact(Topic.DIAGNOSIS, Level.NEVER, raw["diagnosis"])


def _entry(entry: Any, where: str) -> tuple[str, bool]:
    if isinstance(entry, str):
        return entry.strip(), False
    if isinstance(entry, Mapping) and set(entry) <= {"text", "red_flag"} and "text" in entry:
        return str(entry["text"]).strip(), str(entry.get("red_flag", "")).lower() == "true"
    raise bad_file(where, f"a fact must be a line of text, or a mapping with 'text' and 'red_flag', not {entry!r}")
