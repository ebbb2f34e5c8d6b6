"""A pair of functions for each resource that differs between R4 and R5: one converts to R4, one to R5.

Each function changes the resource that it is given.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from polyclinic.core.records import Resource
from polyclinic.fhir.r4 import parts

_ARRIVED = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/encounter-subject-status", "code": "arrived"}]}
TO_R4_STATUS = {"completed": "finished", "discharged": "finished", "on-hold": "onleave", "discontinued": "cancelled"}
_TO_R5_STATUS = {"finished": "completed", "onleave": "on-hold", "arrived": "in-progress", "triaged": "in-progress"}
_ADMISSION = ("dietPreference", "specialArrangement", "specialCourtesy")


def _appointment_out(a: Resource) -> None:
    parts.concepts_of(a, "serviceType")
    parts.split_reasons(a, a.pop("reason", []))
    parts.rename(a, [("cancellationReason", "cancelationReason")])
    a.pop("subject", None)
    priority = str(a.pop("priority", {}).get("text", ""))
    if priority.isdigit():
        a["priority"] = int(priority)
    if notes := a.pop("note", []):
        a["comment"] = "\n".join(note["text"] for note in notes)
    instructions = [each["concept"]["text"] for each in a.pop("patientInstruction", []) if "concept" in each]
    if instructions:
        a["patientInstruction"] = "\n".join(instructions)
    for participant in a.get("participant", []):
        if isinstance(participant.get("required"), bool):
            participant["required"] = "required" if participant["required"] else "optional"


def _appointment_in(a: Resource) -> None:
    parts.references_of(a, "serviceType")
    if reasons := parts.joined_reasons(a):
        a["reason"] = reasons
    parts.rename(a, [("cancelationReason", "cancellationReason")])
    if "priority" in a:
        a["priority"] = {"text": str(a["priority"])}
    if "comment" in a:
        a["note"] = [{"text": a.pop("comment")}]
    if "patientInstruction" in a:
        a["patientInstruction"] = [{"concept": {"text": a["patientInstruction"]}}]
    actors = []
    for participant in a.get("participant", []):
        if "required" in participant:
            participant["required"] = participant["required"] == "required"
        actors.append(participant.get("actor", {}))
    patients = [actor for actor in actors if str(actor.get("reference", "")).startswith("Patient/")]
    if len(patients) == 1:
        a["subject"] = patients[0]


def _slot_out(s: Resource) -> None:
    parts.concepts_of(s, "serviceType")
    if "appointmentType" in s:
        s["appointmentType"] = s["appointmentType"][0]


def _slot_in(s: Resource) -> None:
    parts.references_of(s, "serviceType")
    if "appointmentType" in s:
        s["appointmentType"] = [s["appointmentType"]]


def _service_out(h: Resource) -> None:
    parts.plain_telecom(h)
    parts.split_availability(h)


def _service_in(h: Resource) -> None:
    parts.contact_of_telecom(h)
    parts.joined_availability(h)


def _location_out(place: Resource) -> None:
    parts.plain_telecom(place)
    parts.rename(place, [("form", "physicalType")])
    hours = [time for each in place.pop("hoursOfOperation", []) for time in each.get("availableTime", [])]
    if hours:
        names = {"availableStartTime": "openingTime", "availableEndTime": "closingTime"}
        place["hoursOfOperation"] = [{names.get(k, k): v for k, v in time.items()} for time in hours]


def _location_in(place: Resource) -> None:
    parts.contact_of_telecom(place)
    parts.rename(place, [("physicalType", "form")])
    place.pop("availabilityExceptions", None)
    if hours := place.pop("hoursOfOperation", []):
        names = {"openingTime": "availableStartTime", "closingTime": "availableEndTime"}
        place["hoursOfOperation"] = [{"availableTime": [{names.get(k, k): v for k, v in t.items()} for t in hours]}]


def _organization_out(o: Resource) -> None:
    for contact in o.pop("contact", []):
        if "purpose" in contact or "name" in contact:
            person = {k: contact[k] for k in ("purpose", "telecom", "address") if k in contact}
            if contact.get("name"):
                person["name"] = contact["name"][0]
            o.setdefault("contact", []).append(person)
        else:
            if contact.get("telecom"):
                o.setdefault("telecom", []).extend(contact["telecom"])
            if "address" in contact:
                o.setdefault("address", []).append(contact["address"])


def _organization_in(o: Resource) -> None:
    made: list[Resource] = []
    if telecom := o.pop("telecom", []):
        made.append({"telecom": telecom})
    made += [{"address": address} for address in o.pop("address", [])]
    for person in o.pop("contact", []):
        made.append({**person, **({"name": [person["name"]]} if "name" in person else {})})
    if made:
        o["contact"] = made


def _practitioner_out(p: Resource) -> None:
    spoken = [each["language"] for each in p.pop("communication", []) if "language" in each]
    if spoken:
        p["communication"] = spoken


def _practitioner_in(p: Resource) -> None:
    if spoken := p.pop("communication", []):
        p["communication"] = [{"language": each} for each in spoken]


def _encounter_out(e: Resource) -> None:
    status = e.get("status", "unknown")
    arrived = any(c.get("code") == "arrived" for c in e.pop("subjectStatus", {}).get("coding", []))
    e["status"] = "arrived" if status == "in-progress" and arrived else TO_R4_STATUS.get(status, status)
    classes = [coding for concept in e.pop("class", []) for coding in concept.get("coding", [])]
    e["class"] = classes[0] if classes else {"display": "unknown"}
    parts.concepts_of(e, "serviceType")
    if "serviceType" in e:
        e["serviceType"] = e["serviceType"][0]
    parts.rename(e, [("actualPeriod", "period")])
    for participant in e.get("participant", []):
        parts.rename(participant, [("actor", "individual")])
    parts.split_reasons(e, [value for reason in e.pop("reason", []) for value in reason.get("value", [])])
    diagnoses = []
    for diagnosis in e.pop("diagnosis", []):
        for condition in diagnosis.get("condition", []):
            if "reference" in condition:
                use = {"use": diagnosis["use"][0]} if diagnosis.get("use") else {}
                diagnoses.append({"condition": condition["reference"], **use})
    if diagnoses:
        e["diagnosis"] = diagnoses
    stay = {**e.pop("admission", {}), **{name: e.pop(name) for name in _ADMISSION if name in e}}
    if stay:
        e["hospitalization"] = stay
    for place in e.get("location", []):
        parts.rename(place, [("form", "physicalType")])


def _encounter_in(e: Resource) -> None:
    status = e.get("status", "unknown")
    e["status"] = _TO_R5_STATUS.get(status, status)
    if status == "arrived":
        e["subjectStatus"] = copy.deepcopy(_ARRIVED)
    for name in ("statusHistory", "classHistory"):
        e.pop(name, None)
    if "class" in e:
        e["class"] = [{"coding": [e["class"]]}]
    if "serviceType" in e:
        e["serviceType"] = [e["serviceType"]]
        parts.references_of(e, "serviceType")
    parts.rename(e, [("period", "actualPeriod")])
    for participant in e.get("participant", []):
        parts.rename(participant, [("individual", "actor")])
    if reasons := parts.joined_reasons(e):
        e["reason"] = [{"value": reasons}]
    if diagnoses := e.pop("diagnosis", []):
        e["diagnosis"] = [_diagnosis_in(diagnosis) for diagnosis in diagnoses]
    stay = e.pop("hospitalization", {})
    e.update({name: stay.pop(name) for name in _ADMISSION if name in stay})
    if stay:
        e["admission"] = stay
    for place in e.get("location", []):
        parts.rename(place, [("physicalType", "form")])


def _diagnosis_in(diagnosis: dict[str, Any]) -> Resource:
    made: Resource = {"condition": [{"reference": diagnosis["condition"]}]}
    return {**made, "use": [diagnosis["use"]]} if "use" in diagnosis else made


PAIRS: dict[str, tuple[Callable[[Resource], None], Callable[[Resource], None]]] = {
    "Appointment": (_appointment_out, _appointment_in),
    "Encounter": (_encounter_out, _encounter_in),
    "HealthcareService": (_service_out, _service_in),
    "Location": (_location_out, _location_in),
    "Organization": (_organization_out, _organization_in),
    "Practitioner": (_practitioner_out, _practitioner_in),
    "PractitionerRole": (_service_out, _service_in),
    "Schedule": (lambda s: parts.concepts_of(s, "serviceType"), lambda s: parts.references_of(s, "serviceType")),
    "Slot": (_slot_out, _slot_in),
}
"""For each type that differs: the function that maps a resource to R4, and the one that maps it back."""
