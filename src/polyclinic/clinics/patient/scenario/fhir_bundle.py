"""Loader for FHIR Bundles (R4 or R5): one patient's resources become one record.

The diagnosis is an illness, never a social finding. It is the newest illness among the Conditions of the category
`encounter-diagnosis`, or else the newest of all. Other illnesses are history; social findings become social facts. The
age is the age at the diagnosis. Observations in `social-history` are told when asked; all others are results of a named
test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from polyclinic.clinics.patient.scenario.narrative import FactLine, assemble, disease_of, sentences
from polyclinic.clinics.patient.scenario.record import Investigation, Level, Record, Topic
from polyclinic.core.files import bad_file, parse_json

_Resource = Mapping[str, Any]
_TAG = re.compile(
    r"\s*\((?:finding|disorder|situation|procedure|person|observable entity|regime/therapy)\)\s*$", re.IGNORECASE
)
_SOCIAL = re.compile(
    r"education|employ|labor force|housing|transport|criminal|social (?:contact|isolation)|stress \(|partner abuse"
    r"|medication review|refugee|served in|retired|lack of access|reports of violence|risk activity|not in the labor",
    re.IGNORECASE,
)


def load_fhir_bundle(text: str, origin: str) -> list[Record]:
    """The record in the bundle; raises `DataError` when the patient or a diagnosis is missing."""
    bundle = parse_json(text, origin)
    if not isinstance(bundle, dict) or bundle.get("resourceType") != "Bundle":
        raise bad_file(origin, "the file is not a FHIR Bundle")
    resources = [entry["resource"] for entry in bundle.get("entry", []) if "resource" in entry]
    patients = _of(resources, "Patient")
    if not patients:
        raise bad_file(origin, "the Bundle holds no Patient")
    diagnoses = _of(resources, "Condition")
    if not diagnoses:
        raise bad_file(origin, "the Bundle holds no Condition, so there is no diagnosis")
    main = _diagnosis(diagnoses, resources)
    if main is None:
        raise bad_file(origin, "the Bundle holds no illness, only social findings", fix="add the encounter's diagnosis")
    lines = list(_lines(resources, main))
    diagnosis = _text(main.get("code"))
    return [
        assemble(
            f"fhir-{patients[0].get('id', 'patient')}",
            disease_of(diagnosis, " ".join(text for _, _, text in lines)),
            age=_age(patients[0], main, resources),
            sex="female" if patients[0].get("gender") == "female" else "male",
            lines=lines,
            tests=list(_tests(resources)),
            diagnosis=diagnosis,
            source="FHIR Bundle",
        )
    ]


def _of(resources: Sequence[_Resource], kind: str) -> list[_Resource]:
    return [resource for resource in resources if resource.get("resourceType") == kind]


def _text(concept: Any) -> str:
    """The text of a CodeableConcept, without the tag of a code system. It also reads a CodeableReference (R5)."""
    return _TAG.sub("", _tagged(concept)).strip()


def _tagged(concept: Any) -> str:
    if not isinstance(concept, Mapping):
        return ""
    if "concept" in concept:
        return _tagged(concept["concept"])
    if concept.get("text"):
        return str(concept["text"])
    return next((str(coding["display"]) for coding in concept.get("coding", []) if coding.get("display")), "")


def _is_social(condition: _Resource) -> bool:
    """Whether a Condition is a social finding ("Full-time employment (finding)") and not an illness."""
    words = _tagged(condition.get("code"))
    return bool(_SOCIAL.search(words)) or words.casefold().endswith(("(situation)", "(person)"))


def _diagnosis(conditions: Sequence[_Resource], resources: Sequence[_Resource]) -> _Resource | None:
    """The newest illness. Conditions of an encounter and those named as a disorder come first."""
    ill = [condition for condition in conditions if not _is_social(condition)]

    def rank(condition: _Resource) -> tuple[bool, bool, str]:
        disorder = not _tagged(condition.get("code")).casefold().endswith("(finding)")
        return _has_category(condition, "encounter-diagnosis"), disorder, _when(condition, resources)

    return max(ill, key=rank) if ill else None


def _when(condition: _Resource, resources: Sequence[_Resource]) -> str:
    """The day of a diagnosis: the day of its encounter, or else its own date; empty if neither is given."""
    reference = str((condition.get("encounter") or {}).get("reference", "")).rpartition("/")[2].rpartition(":")[2]
    for encounter in _of(resources, "Encounter"):
        if reference and encounter.get("id") == reference:
            found = _start(encounter)
            if found:
                return found
    return str(condition.get("onsetDateTime") or condition.get("recordedDate") or "")[:10]


def _start(encounter: _Resource) -> str:
    return str((encounter.get("actualPeriod") or encounter.get("period") or {}).get("start", ""))[:10]


def _has_category(resource: _Resource, code: str) -> bool:
    categories = resource.get("category", [])
    return any(coding.get("code") == code for category in categories for coding in category.get("coding", []))


def _age(patient: _Resource, main: _Resource, resources: Sequence[_Resource]) -> int:
    """The age in full years at the diagnosis, or else at the last day in the Bundle."""
    born = _day(str(patient.get("birthDate", "")))
    if born is None:
        who = f"Patient/{patient.get('id', '?')}"
        raise bad_file(who, "must be a full date", field="birthDate") from None
    days = [_start(encounter) for encounter in _of(resources, "Encounter")]
    days += [str(resource.get("effectiveDateTime", "")) for resource in resources]
    known = [day for day in map(_day, days) if day is not None]
    on = _day(_when(main, resources)) or max(known, default=None)
    if on is None:
        raise bad_file(
            f"Patient/{patient.get('id', '?')}", "no date says how old the patient is", fix="add an Encounter"
        )
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _lines(resources: Sequence[_Resource], main: _Resource) -> Iterator[FactLine]:
    for encounter in _of(resources, "Encounter"):
        for reason in encounter.get("reasonCode", encounter.get("reason", [])):
            text = _text(reason) or _text(next(iter(reason.get("value", [])), None))
            if text:
                yield Topic.COMPLAINT, Level.VOLUNTEERED, text
    for condition in _of(resources, "Condition"):
        notes = [note.get("text", "") for note in condition.get("note", [])]
        if _is_social(condition):
            yield Topic.SOCIAL, Level.ASKED, f"{_text(condition.get('code'))}."
        elif condition is main:
            yield from ((Topic.SYMPTOM, Level.ASKED, line) for note in notes for line in sentences(note))
        else:
            yield Topic.HISTORY, Level.ASKED, f"Known: {_text(condition.get('code'))}"
    for kind, key in (("MedicationStatement", "medication"), ("MedicationRequest", "medication")):
        for resource in _of(resources, kind):
            yield (
                Topic.MEDICATION,
                Level.ASKED,
                f"Takes {_text(resource.get(key) or resource.get('medicationCodeableConcept'))}",
            )
    for allergy in _of(resources, "AllergyIntolerance"):
        yield Topic.ALLERGY, Level.ASKED, f"Allergic to {_text(allergy.get('code'))}"
    for member in _of(resources, "FamilyMemberHistory"):
        ills = ", ".join(_text(condition.get("code")) for condition in member.get("condition", []))
        yield Topic.FAMILY, Level.ASKED, f"{_text(member.get('relationship')).capitalize()}: {ills or 'nothing known'}"
    for immunization in _of(resources, "Immunization"):
        yield Topic.PREVENTION, Level.ASKED, f"Vaccinated: {_text(immunization.get('vaccineCode'))}"
    for observation in _of(resources, "Observation"):
        if _has_category(observation, "social-history"):
            yield Topic.HABITS, Level.ASKED, f"{_text(observation.get('code'))}: {_value(observation)}"
    for procedure in _of(resources, "Procedure"):
        yield Topic.TREATMENT, Level.NEVER, _text(procedure.get("code"))


def _value(observation: _Resource) -> str:
    quantity = observation.get("valueQuantity")
    if isinstance(quantity, Mapping):
        value = f"{quantity.get('value')} {quantity.get('unit', quantity.get('code', ''))}".strip()
        return value + _range(observation)
    return str(observation.get("valueString") or _text(observation.get("valueCodeableConcept")) or "not stated")


def _range(observation: _Resource) -> str:
    ranges = observation.get("referenceRange", [])
    if not ranges:
        return ""
    low, high = (ranges[0].get(side, {}).get("value") for side in ("low", "high"))
    if low is not None and high is not None:
        return f" ({low}-{high})"
    return f" (below {high})" if high is not None else f" (above {low})" if low is not None else ""


def _tests(resources: Sequence[_Resource]) -> Iterator[Investigation]:
    """Each report with the observations it refers to; vital signs together; every other observation as its own test."""
    observations = {f"Observation/{o.get('id')}": o for o in _of(resources, "Observation")}
    used: set[str] = set()
    for report in _of(resources, "DiagnosticReport"):
        refs = [str(result.get("reference", "")) for result in report.get("result", [])]
        items = dict(item for ref in refs if ref in observations for item in _items(observations[ref]))
        used.update(refs)
        if items:
            yield Investigation(
                name=_text(report.get("code")), items=items, impression=str(report.get("conclusion", ""))
            )
    vitals: dict[str, str] = {}
    rest: list[Investigation] = []
    for ref, observation in observations.items():
        if ref in used or _has_category(observation, "social-history"):
            continue
        if _has_category(observation, "vital-signs"):
            vitals.update(_items(observation))
        else:
            rest.append(Investigation(name=_text(observation.get("code")), items=dict(_items(observation))))
    if vitals:
        yield Investigation(name="vital signs", items=vitals)
    yield from rest


def _items(observation: _Resource) -> Iterator[tuple[str, str]]:
    components = observation.get("component", [])
    if not components:
        yield _text(observation.get("code")), _value(observation)
    for component in components:
        yield _text(component.get("code")), _value(component)
