"""Loader for FHIR Bundles (R4 or R5): one patient's resources become one record.

The diagnosis is an illness, never a social finding. It is the newest illness that an Encounter names as its diagnosis,
or else the newest Condition of the category `encounter-diagnosis`, or else the newest of all. Other illnesses are
history; social findings become social facts. The age is the age at the diagnosis. Observations in `social-history` are
told when asked; all others are results of a named test. A Bundle may hold a whole life: reasons and procedures of other
visits, medicines of the past and all that came after the diagnosis are left out, and a test that was done many times is
read once. A Bundle with several patients becomes one record for each; then every resource must say whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polyclinic.clinics.patient.scenario.fhir_life import (
    begun_for,
    is_over,
    known_by,
    own_resources,
    rank_at,
    told_allergy,
    visit_of,
)
from polyclinic.clinics.patient.scenario.fhir_resources import (
    at_visit,
    concept_text,
    concept_words,
    dosage,
    entries,
    first_day,
    full_day,
    has_category,
    id_of,
    medicine,
    not_after,
    observed,
    observed_items,
    of_kind,
    once_each,
)
from polyclinic.clinics.patient.scenario.narrative import (
    OLDEST,
    FactLine,
    assemble,
    disease_of,
    sentences,
    told_in_months,
)
from polyclinic.clinics.patient.scenario.record import Investigation, Level, Record, Topic
from polyclinic.core.files import bad_file, parse_json
from polyclinic.core.records import Resource
from polyclinic.people.locales import Sex

_SOCIAL = re.compile(
    r"education|employ|labor force|housing|transport|criminal|social (?:contact|isolation)|stress \(|partner abuse"
    r"|medication review|refugee|served in|retired|lack of access|reports of violence|risk activity|not in the labor"
    r"|homeless|\bhome\b|incarcerat|military|victim of|illiterate|alcohol drinking|(?:drug|substance) use|smoker",
    re.IGNORECASE,
)


def load_fhir_bundle(text: str, origin: str) -> list[Record]:
    """A record for each patient; raises `DataError` when there is no patient, or a patient without a diagnosis."""
    bundle = parse_json(text, origin)
    if not isinstance(bundle, dict) or bundle.get("resourceType") != "Bundle":
        raise bad_file(origin, "the file is not a FHIR Bundle")
    try:
        resources = entries(bundle)
        patients = of_kind(resources, "Patient")
        if not patients:
            raise bad_file(origin, "the Bundle holds no Patient")
        return [_record(patient, own_resources(resources, patient, origin), origin) for patient in patients]
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        fix, why = "check it with a FHIR validator", " ".join(str(fault).split())
        raise bad_file(origin, f"a resource does not have the form that FHIR requires ({why})", fix=fix) from fault


def _record(patient: Resource, resources: Sequence[Resource], origin: str) -> Record:
    main = _diagnosis(resources, origin)
    held = visit_of(main, resources)
    visit = str(held.get("id", ""))
    known = known_by(resources, held, _when(main, resources))
    lines = list(dict.fromkeys(_lines(known, main, visit)))
    age, months = _age(patient, main, resources)
    diagnosis = concept_text(main.get("code"))
    return assemble(
        f"fhir-{patient.get('id', 'patient')}",
        disease_of(diagnosis, " ".join(text for _, _, text in lines), age=age),
        age=age,
        months=told_in_months(months),
        sex=_sex(patient),
        lines=lines,
        tests=list(_tests(known, held)),
        diagnosis=diagnosis,
        source="FHIR Bundle",
    )


def _sex(patient: Resource) -> Sex:
    if patient.get("gender") == "female":
        return "female"
    if patient.get("gender") == "male":
        return "male"
    who = f"Patient/{patient.get('id', '?')}"
    raise bad_file(who, "must be female or male", field="gender", fix="write the sex of the simulated patient")


def _is_social(condition: Resource) -> bool:
    """Whether a Condition is a social finding ("Full-time employment (finding)") and not an illness."""
    words = concept_words(condition.get("code"))
    return bool(_SOCIAL.search(words)) or words.casefold().endswith(("(situation)", "(person)"))


def _diagnosis(resources: Sequence[Resource], origin: str) -> Resource:
    """The newest illness. Those that an Encounter names, then those of an encounter, then disorders come first."""
    conditions = of_kind(resources, "Condition")
    if not conditions:
        raise bad_file(origin, "the Bundle holds no Condition, so there is no diagnosis")
    ill = [condition for condition in conditions if not _is_social(condition)]
    if not ill:
        raise bad_file(origin, "the Bundle holds no illness, only social findings", fix="add the encounter's diagnosis")

    def rank(condition: Resource) -> tuple[bool, bool, bool, str, int]:
        named = rank_at(visit_of(condition, resources), condition)
        disorder = not concept_words(condition.get("code")).casefold().endswith("(finding)")
        of_visit = has_category(condition, "encounter-diagnosis")
        return named > 0, of_visit, disorder, _when(condition, resources), -named

    main = max(ill, key=rank)
    if not concept_text(main.get("code")):
        what = f"Condition/{main.get('id', '?')} is the diagnosis and has only a code"
        raise bad_file(origin, what, fix="add its name as text or display")
    return main


def _when(condition: Resource, resources: Sequence[Resource]) -> str:
    """The day of a diagnosis: the day of its visit, or else its own date; empty if neither is given."""
    return (
        first_day(visit_of(condition, resources))
        or str(condition.get("onsetDateTime") or condition.get("recordedDate") or "")[:10]
    )


def _age(patient: Resource, main: Resource, resources: Sequence[Resource]) -> tuple[int, int | None]:
    """The age in full years and in months at the diagnosis, or else at the last day in the Bundle.

    Of dates that are only a year or a month, the known parts are compared; from a year, no months are known.
    """
    who, born = f"Patient/{patient.get('id', '?')}", str(patient.get("birthDate"))[:10]
    if full_day(born) is None:
        raise bad_file(who, "must be a date (1958-07-12) or a year (1958)", field="birthDate")
    days = [first_day(encounter) for encounter in of_kind(resources, "Encounter")]
    days += [str(resource.get("effectiveDateTime"))[:10] for resource in resources]
    when = _when(main, resources)
    on = when if full_day(when) else max(filter(full_day, days), default="")
    if not on:
        raise bad_file(who, "no date says how old the patient is", fix="add an Encounter")
    age = int(on[:4]) - int(born[:4]) - (not not_after(born[5:], on[5:]))
    if not 0 <= age <= OLDEST:
        raise bad_file(who, f"would be {age} years old on {on}", field="birthDate")
    if len(born) < len("1958-07") or len(on) < len("1958-07"):
        return age, None
    return age, 12 * age + (int(on[5:7]) - int(born[5:7]) - (not not_after(born[8:], on[8:]))) % 12


def _lines(resources: Sequence[Resource], main: Resource, visit: str) -> Iterator[FactLine]:
    for encounter in of_kind(resources, "Encounter"):
        if visit and encounter.get("id") != visit:
            continue
        for reason in encounter.get("reasonCode") or encounter.get("reason") or []:
            text = concept_text(reason) or concept_text(next(iter(reason.get("value", [])), None))
            if text:
                yield Topic.COMPLAINT, Level.VOLUNTEERED, text
    yield from _conditions(resources, main)
    for taken in (*of_kind(resources, "MedicationStatement"), *of_kind(resources, "MedicationRequest")):
        name = medicine(taken, resources)
        if name and begun_for(taken, main, visit):
            yield Topic.TREATMENT, Level.NEVER, name
        elif name:
            yield Topic.MEDICATION, Level.ASKED, f"Takes {name}{dosage(taken)}."
    for allergy in map(told_allergy, of_kind(resources, "AllergyIntolerance")):
        if allergy:
            yield Topic.ALLERGY, Level.ASKED, allergy
    for member in of_kind(resources, "FamilyMemberHistory"):
        ills = ", ".join(concept_text(condition.get("code")) for condition in member.get("condition", []))
        who = concept_text(member.get("relationship")).lower() or "relative"
        told = (
            f"The patient's {who} had {_in_a_sentence(ills)}."
            if ills
            else f"Nothing is known about the patient's {who}."
        )
        yield Topic.FAMILY, Level.ASKED, told
    for immunization in of_kind(resources, "Immunization"):
        yield Topic.PREVENTION, Level.ASKED, f"Was vaccinated: {concept_text(immunization.get('vaccineCode'))}."
    for observation in once_each(resources, "Observation", visit):
        if has_category(observation, "social-history"):
            yield Topic.HABITS, Level.ASKED, f"{concept_text(observation.get('code'))}: {observed(observation)}"
    for procedure in at_visit(resources, "Procedure", visit):
        yield Topic.TREATMENT, Level.NEVER, concept_text(procedure.get("code"))


def _conditions(resources: Sequence[Resource], main: Resource) -> Iterator[FactLine]:
    day = _when(main, resources)
    for condition in of_kind(resources, "Condition"):
        name = concept_text(condition.get("code"))
        notes = [note.get("text", "") for note in condition.get("note", [])]
        if not name:
            continue
        if _is_social(condition):
            if "review due" not in name:  # That is a task of the practice, and nothing about the patient.
                told = f"In the past: {_in_a_sentence(name)}" if is_over(condition) else name
                yield Topic.SOCIAL, Level.ASKED, f"{told}."
        elif condition is main:
            yield from ((Topic.SYMPTOM, Level.ASKED, line) for note in notes for line in sentences(note))
        elif not_after(_when(condition, resources), day):
            when = "Had" if is_over(condition) else "Has"
            yield Topic.HISTORY, Level.ASKED, f"{when} {_in_a_sentence(name)}."


def _in_a_sentence(name: str) -> str:
    """A name without its capital letter, unless it is an abbreviation."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _tests(resources: Sequence[Resource], held: Resource) -> Iterator[Investigation]:
    """Each report with the observations it refers to; vital signs together; every other observation as its own test.

    A result from long before the visit has its day behind it, so that nobody takes it for one of today.
    """
    visit = str(held.get("id", ""))
    observations = {o.get("id"): o for o in of_kind(resources, "Observation")}
    reported: set[str] = set()
    for report in once_each(resources, "DiagnosticReport", visit):
        found = [observations[id] for id in map(id_of, report.get("result", [])) if id in observations]
        reported.update(concept_words(observation.get("code")) for observation in found)
        items = dict(item for observation in found for item in _dated(observation, held))
        name, conclusion = concept_text(report.get("code")), str(report.get("conclusion") or "")
        if items:
            yield Investigation(name=name, items=items, impression=conclusion)
        elif name and conclusion:  # A picture often has nothing but its conclusion.
            said = {f"Finding {n}": line for n, line in enumerate(sentences(conclusion), start=1)}
            yield Investigation(name=name, items=said)
    vitals: dict[str, str] = {}
    rest: list[Investigation] = []
    for observation in once_each(resources, "Observation", visit):
        name = concept_words(observation.get("code"))
        if not name or name in reported or has_category(observation, "social-history"):
            continue
        if has_category(observation, "vital-signs"):
            vitals.update(_dated(observation, held))
        else:
            items = dict(_dated(observation, held))
            rest.append(Investigation(name=concept_text(observation.get("code")), items=items))
    if vitals:
        yield Investigation(name="vital signs", items=vitals)
    yield from rest


def _dated(observation: Resource, held: Resource) -> Iterator[tuple[str, str]]:
    """The parts of an observation, each with the day if it is earlier than the visit."""
    day, visit_day = str(observation.get("effectiveDateTime") or "")[:10], first_day(held)
    of_visit = id_of(observation.get("encounter")) == held.get("id")
    earlier = bool(full_day(day) and full_day(visit_day)) and day < visit_day and not of_visit
    for name, value in observed_items(observation):
        yield name, f"{value} (on {day})" if earlier else value
