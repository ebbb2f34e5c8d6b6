"""FHIR's invariants of the supported resources, and ours, as plain functions by the type they are about.

Keys are HL7's (`app-3`, `per-1`) where HL7 defines the rule; ours begin with `poly-`. Rules that need a terminology
server or other resources (`obs-9`, the distinctness of questionnaire links) are not checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from polyclinic.fhir.dates import date_range

_Node = dict[str, Any]
Breach = tuple[str, str]
_Rule = Callable[[_Node], Iterator[Breach]]
_CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
_CATEGORY = "http://terminology.hl7.org/CodeSystem/condition-category"
_UCUM = "http://unitsofmeasure.org"
_PARTICIPANT = "a participant needs a type or an actor"
# HL7 calls these advice: a breach is reported, but the resource is accepted.
WARNINGS = frozenset({"app-6", "con-2", "ident-1"})


def _has(node: _Node, *names: str) -> bool:
    return any(node.get(name) not in (None, [], {}) for name in names)


def _choice(node: _Node, stem: str) -> bool:
    return any(key.startswith(stem) and key[len(stem) : len(stem) + 1].isupper() for key in node)


def _ordered(start: object, end: object) -> bool:
    """Whether the start is not after the end. True if one of them cannot be read: another rule reports that."""
    try:
        return date_range(str(start))[0] < date_range(str(end))[1]
    except ValueError:
        return True


def _appointment(node: _Node) -> Iterator[Breach]:
    status = node.get("status")
    has_start, has_end = _has(node, "start"), _has(node, "end")
    if has_start != has_end:
        yield "app-2", "give both start and end, or neither"
    if not (has_start and has_end) and status not in ("proposed", "cancelled", "waitlist"):
        yield "app-3", f"an appointment that is {status} needs a start and an end"
    if _has(node, "cancellationReason") and status not in ("noshow", "cancelled"):
        yield "app-4", "only a cancelled or missed appointment may have a cancellation reason"
    if has_start and has_end and not _ordered(node["start"], node["end"]):
        yield "app-5", "the start must not be after the end"
    if _has(node, "originatingAppointment") and _has(node, "recurrenceTemplate"):
        yield "app-6", "give an originating appointment or a recurrence template, not both"
    if _has(node, "cancellationDate") and status not in ("noshow", "cancelled"):
        yield "app-7", "only a cancelled or missed appointment may have a cancellation date"


def _encounter_participant(node: _Node) -> Iterator[Breach]:
    target = str(node.get("actor", {}).get("reference", "")).split("/")[0]
    if target in ("Patient", "Group") and _has(node, "type"):
        yield "enc-2", "a participant who is a patient or a group must not have a type"


def _condition(node: _Node) -> Iterator[Breach]:
    statuses = {c.get("code") for c in node.get("clinicalStatus", {}).get("coding", []) if c.get("system") == _CLINICAL}
    if _choice(node, "abatement") and not statuses & {"inactive", "resolved", "remission"}:
        yield "con-3", "a condition with an abatement must be inactive, resolved or in remission"
    listed = any(
        c.get("system") == _CATEGORY and c.get("code") == "problem-list-item"
        for category in node.get("category", [])
        for c in category.get("coding", [])
    )
    if listed and "unknown" in statuses:
        yield "con-2", "the clinical status of a problem list item should be known"


def _observation(node: _Node) -> Iterator[Breach]:
    if _has(node, "dataAbsentReason") and _choice(node, "value"):
        yield "obs-6", "give a value or a dataAbsentReason, not both"
    if _has(node, "bodySite") and _has(node, "bodyStructure"):
        yield "obs-8", "give a body site or a body structure, not both"
    own = {(c.get("system"), c.get("code")) for c in node.get("code", {}).get("coding", [])}
    parts = {
        (c.get("system"), c.get("code"))
        for component in node.get("component", [])
        for c in component.get("code", {}).get("coding", [])
    }
    if _choice(node, "value") and own & parts:
        yield "obs-7", "an observation must not have a value if a component has the same code"


def _rule(key: str, text: str, broken: Callable[[_Node], bool]) -> _Rule:
    def rule(node: _Node) -> Iterator[Breach]:
        if broken(node):
            yield key, text

    return rule


def _needs(key: str, *names: str, text: str = "") -> _Rule:
    return _rule(key, text or f"needs {' or '.join(names)}", lambda node: not _has(node, *names))


def _together(key: str, given: str, needed: str, text: str) -> _Rule:
    return _rule(key, text, lambda node: _has(node, given) and not _has(node, needed))


def _not_both(key: str, one: str, other: str, text: str) -> _Rule:
    return _rule(key, text, lambda node: _has(node, one) and _has(node, other))


def _in_order(key: str) -> _Rule:
    text = "the start must not be after the end"
    return _rule(key, text, lambda node: not _ordered(node.get("start"), node.get("end")))


_quantity = _together("qty-3", "code", "system", "a unit's code needs its system")


def _organization_contact(node: _Node) -> Iterator[Breach]:
    if any(point.get("use") == "home" for point in node.get("telecom", [])):
        yield "org-3", "the telecom of an organization cannot have the use 'home'"
    if node.get("address", {}).get("use") == "home":
        yield "org-4", "the address of an organization cannot have the use 'home'"


def _timing_repeat(node: _Node) -> Iterator[Breach]:
    for key, given, needed in (
        ("tim-1", "duration", "durationUnit"),
        ("tim-2", "period", "periodUnit"),
        ("tim-6", "periodMax", "period"),
        ("tim-7", "durationMax", "duration"),
        ("tim-8", "countMax", "count"),
    ):
        if _has(node, given) and not _has(node, needed):
            yield key, f"{given} needs {needed}"
    for key, name in (("tim-4", "duration"), ("tim-5", "period")):
        if _has(node, name) and float(node[name]) < 0:
            yield key, f"{name} must not be negative"
    if _has(node, "timeOfDay") and _has(node, "when"):
        yield "tim-10", "give timeOfDay or when, not both"
    if _has(node, "offset") and (not _has(node, "when") or {"C", "CM", "CD", "CV"} & set(node["when"])):
        yield "tim-9", "an offset needs a 'when' that is not C, CM, CD or CV"


def _provenance_agent(node: _Node) -> Iterator[Breach]:
    who = node.get("who", {}).get("reference")
    if who is not None and who == node.get("onBehalfOf", {}).get("reference"):
        yield "prov-1", "who and onBehalfOf must be different"


def _duration(node: _Node) -> Iterator[Breach]:
    if _has(node, "code") and (node.get("system") != _UCUM or "value" not in node):
        yield "drt-1", "a duration with a code needs a value, and UCUM as its system"


def _age(node: _Node) -> Iterator[Breach]:
    coded = _has(node, "code") or "value" not in node
    if not coded or node.get("system", _UCUM) != _UCUM or float(node.get("value", 1)) <= 0:
        yield "age-1", "an age must be a positive number with a UCUM code"


def _range(node: _Node) -> Iterator[Breach]:
    low, high = node.get("low", {}), node.get("high", {})
    same = low.get("code") == high.get("code") and low.get("unit") == high.get("unit")
    if same and "value" in low and "value" in high and float(low["value"]) > float(high["value"]):
        yield "rng-2", "the low end must not be above the high end"


def _ratio(node: _Node) -> Iterator[Breach]:
    both, neither = ("numerator" in node) == ("denominator" in node), "numerator" not in node
    if not both or (neither and not _has(node, "extension")):
        yield "rat-1", "a ratio must have both a numerator and a denominator"


def _contained(node: _Node) -> Iterator[Breach]:
    for inner in node.get("contained", []):
        if _has(inner, "contained"):
            yield "dom-2", "a contained resource must not contain other resources"
        if _has(inner.get("meta", {}), "versionId", "lastUpdated"):
            yield "dom-4", "a contained resource must not have a versionId or lastUpdated"
        if _has(inner.get("meta", {}), "security"):
            yield "dom-5", "a contained resource must not have a security label"


RULES: dict[str, tuple[_Rule, ...]] = {
    "Attachment": (_together("att-1", "data", "contentType", "data needs a content type"),),
    "Quantity": (_quantity,),
    "Duration": (_quantity, _duration),
    "Age": (_quantity, _age),
    "Range": (_range,),
    "Ratio": (_ratio,),
    "SampledData": (
        _rule(
            "sdd-1",
            "samples must have either an interval or offsets, not both",
            lambda node: ("interval" in node) == ("offsets" in node),
        ),
    ),
    "Availability.availableTime": (
        _rule(
            "av-1",
            "give allDay or start and end times, not both",
            lambda node: node.get("allDay") is True and _has(node, "availableStartTime", "availableEndTime"),
        ),
    ),
    "Expression": (_needs("exp-1", "expression", "reference"),),
    "Reference": (_needs("ref-2", "reference", "identifier", "display", "extension"),),
    "Appointment": (_appointment,),
    "Appointment.participant": (_needs("app-1", "type", "actor", text=_PARTICIPANT),),
    "AppointmentResponse": (
        _needs(
            "apr-1",
            "participantType",
            "actor",
            text="either the participant type or the actor must be specified",
        ),
        _in_order("poly-apr-2"),
    ),
    "Slot": (
        _rule("poly-slot-2", "a slot needs its own start and end", lambda node: not {"start", "end"} <= node.keys()),
        _in_order("poly-slot-1"),
    ),
    "Encounter.participant": (_needs("enc-1", "type", "actor", text=_PARTICIPANT), _encounter_participant),
    "Condition": (_condition,),
    "Condition.stage": (_needs("con-1", "summary", "assessment"),),
    "Observation": (_observation,),
    "Observation.referenceRange": (_needs("obs-3", "low", "high", "text"),),
    "Organization": (_needs("org-1", "identifier", "name"),),
    "Organization.contact": (_organization_contact,),
    "Patient.contact": (_needs("pat-1", "name", "telecom", "address", "organization"),),
    "Provenance.agent": (_provenance_agent,),
    "Provenance.entity.agent": (_provenance_agent,),
    "Subscription.filterBy": (
        _not_both("scr-1", "comparator", "modifier", "a filter must not have both a comparator and a modifier"),
    ),
    "QuestionnaireResponse.item": (
        _not_both("qrs-1", "answer", "item", "an item must not have both answers and items"),
    ),
    "Period": (_in_order("per-1"),),
    "ContactPoint": (_together("cpt-2", "value", "system", "a value needs a system"),),
    "Extension": (
        _rule(
            "ext-1",
            "an extension must have either extensions or a value, not both",
            lambda node: _has(node, "extension") == _choice(node, "value"),
        ),
    ),
    "Timing.repeat": (_timing_repeat,),
    "Identifier": (_needs("ident-1", "value", "_value"),),
}
# Rules of every resource.
OF_ALL: tuple[_Rule, ...] = (_contained,)
