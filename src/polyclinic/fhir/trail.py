"""Resources that record a visit and each change of it: Encounter, Provenance and AuditEvent.

They are written with every booking, so they are made without the checks of `resources`. Their ids and times come from
resources that were already checked.
"""

from __future__ import annotations

from typing import Literal

from polyclinic.core.records import Resource

Activity = Literal["CREATE", "UPDATE", "CANCEL"]
_OPERATIONS = "http://terminology.hl7.org/CodeSystem/v3-DataOperation"
_ACT_STATUS = "http://terminology.hl7.org/CodeSystem/v3-ActStatus"
_CLASSES = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
_SUBJECT_STATUS = "http://terminology.hl7.org/CodeSystem/encounter-subject-status"
_AUTHOR = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
_INTERACTIONS = "http://hl7.org/fhir/restful-interaction"
_AUDITED = "http://terminology.hl7.org/CodeSystem/audit-event-type"
_SEVERITY = "http://hl7.org/fhir/issue-severity"
_ACTIVITIES = {"CREATE": "create", "UPDATE": "revise", "CANCEL": "cancel"}
_INTERACTION = {"CREATE": "create", "UPDATE": "update", "CANCEL": "update"}


def encounter(id_: str, appointment: Resource, *, finished: bool) -> Resource:
    """An Encounter: the visit of an appointment, after the patient has arrived or when the visit is over."""
    patient, *others = appointment["participant"]
    here = [each for each in others if not each["actor"]["reference"].startswith("Location/")]
    places = [each["actor"] for each in others if each["actor"]["reference"].startswith("Location/")]
    state = ("departed", "Departed") if finished else ("arrived", "Arrived")
    period = {"start": appointment["start"]} | ({"end": appointment["end"]} if finished else {})
    made: Resource = {
        "resourceType": "Encounter",
        "id": id_,
        "status": "completed" if finished else "in-progress",
        "class": [_concept(_CLASSES, "AMB", "ambulatory")],
        "subject": patient["actor"],
        "subjectStatus": _concept(_SUBJECT_STATUS, *state),
        "participant": [{"actor": each["actor"]} for each in here],
        "appointment": [{"reference": f"Appointment/{appointment['id']}"}],
        "actualPeriod": period,
    }
    if "serviceType" in appointment:
        made["serviceType"] = appointment["serviceType"]
    if places:
        made["location"] = [{"location": place} for place in places]
    return made


def provenance(
    id_: str, activity: Activity, target: str, *, patient: str, recorded: str, author: dict[str, str]
) -> Resource:
    """A Provenance: who changed a resource, when and how."""
    system = _ACT_STATUS if activity == "CANCEL" else _OPERATIONS
    code = "aborted" if activity == "CANCEL" else activity
    return {
        "resourceType": "Provenance",
        "id": id_,
        "target": [{"reference": target}],
        "recorded": recorded,
        "activity": _concept(system, code, "aborted" if activity == "CANCEL" else _ACTIVITIES[activity]),
        "patient": {"reference": patient},
        "agent": [{"type": _concept(_AUTHOR, "author", "Author"), "who": author}],
    }


def audit_event(
    id_: str, activity: Activity, target: str, *, patient: str, recorded: str, author: dict[str, str]
) -> Resource:
    """An AuditEvent: who changed the records."""
    interaction = _INTERACTION[activity]
    return {
        "resourceType": "AuditEvent",
        "id": id_,
        "category": [_concept(_AUDITED, "rest", "RESTful Operation")],
        "code": _concept(_INTERACTIONS, interaction, interaction),
        "action": "C" if activity == "CREATE" else "U",
        "recorded": recorded,
        "outcome": {"code": {"system": _SEVERITY, "code": "success", "display": "Operation Successful"}},
        "patient": {"reference": patient},
        "agent": [{"who": author, "requestor": True}],
        "source": {"observer": author},
        "entity": [{"what": {"reference": target}}],
    }


def _concept(system: str, code: str, display: str) -> Resource:
    return {"coding": [{"system": system, "code": code, "display": display}]}
