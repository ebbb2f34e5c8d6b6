"""What an author of patients writes: a case file with one record, as a form shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from polyclinic.clinics.patient.scenario.casefile import read_case_file
from polyclinic.clinics.patient.scenario.record import Disease, Fact, Informant, Investigation, Level, Record, Topic
from polyclinic.clinics.patient.scenario.shipped import shipped_records
from polyclinic.core.authoring import Writing, only_one
from polyclinic.core.files import yaml_text
from polyclinic.core.form import FormHints
from polyclinic.core.message import Frozen
from polyclinic.people.locales import Sex

AskedTopic = Literal[
    "symptom", "history", "medication", "family", "habits", "social", "mood", "allergy", "prevention", "complaint"
]


class WrittenLine(Frozen):
    """Something the patient says."""

    text: str = Field(min_length=1)
    red_flag: bool = Field(False, description="a doctor must not overlook it")


class AskedLine(WrittenLine):
    """Something the patient says when asked about a topic."""

    topic: AskedTopic


class CaseForm(Frozen):
    """A patient, as an author writes it into the form."""

    id: str = Field(min_length=1)
    age: int = Field(ge=0, le=120)
    age_months: int | None = Field(default=None, ge=0, le=35, description="for a child below three years")
    sex: Sex
    informant: Informant = Field("self", description="who speaks")
    volunteered: tuple[WrittenLine, ...] = Field(min_length=1, description="what the patient says without being asked")
    asked: tuple[AskedLine, ...] = Field(description="what the patient says when asked")
    tests: tuple[Investigation, ...] = Field((), description="tests and examinations, and what they show")
    diagnosis: str = Field(min_length=1, description="never known to the patient")
    treatment: tuple[str, ...] = Field((), description="never known to the patient")
    never: tuple[str, ...] = Field((), description="true, but never known to the patient")
    disease: Disease


def _line(said: WrittenLine) -> str | dict[str, Any]:
    return {"text": said.text, "red_flag": True} if said.red_flag else said.text


def _write(form: CaseForm) -> str:
    asked: dict[str, list[Any]] = {}
    for line in form.asked:
        asked.setdefault(line.topic, []).append(_line(line))
    record = form.model_dump(mode="json", exclude_defaults=True, exclude={"disease", "volunteered", "asked"})
    record |= {"volunteered": [_line(line) for line in form.volunteered], "asked": asked}
    disease = form.disease.model_dump(mode="json", exclude_defaults=True)
    return yaml_text({"disease": disease, "records": [record]})


def _read(text: str, file: str) -> CaseForm:
    return form_of(only_one(read_case_file(text, file), file))


def form_of(record: Record) -> CaseForm:
    """A record as its author wrote it. Lines that are derived from others (the age, results of tests) are left out."""

    def texts(topic: Topic) -> tuple[str, ...]:
        return tuple(fact.text for fact in record.facts if fact.topic is topic and fact.level is Level.NEVER)

    def lines(level: Level) -> Iterable[Fact]:
        return (fact for fact in record.at(level) if fact.topic is not Topic.BACKGROUND)

    return CaseForm.model_validate(
        {
            **record.model_dump(include={"id", "age", "age_months", "sex", "informant", "disease", "diagnosis"}),
            "volunteered": [{"text": fact.text, "red_flag": fact.red_flag} for fact in lines(Level.VOLUNTEERED)],
            "asked": [
                {"text": fact.text, "red_flag": fact.red_flag, "topic": fact.topic.value} for fact in lines(Level.ASKED)
            ],
            "tests": record.investigations,
            "treatment": texts(Topic.TREATMENT),
            "never": texts(Topic.HIDDEN),
        }
    )


def _examples() -> Mapping[str, CaseForm]:
    return {record.id: form_of(record) for record in shipped_records()}


WRITINGS = (Writing("patient", "Patient", CaseForm, ".yaml", _write, _read, _examples, FormHints()),)
