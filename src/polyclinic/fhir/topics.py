"""Topics and subscriptions: which change concerns which subscription, as pure functions.

A SubscriptionTopic says which changes it is about: a resource type, the kinds of change, and searches that the resource
must match before and after the change.
A Subscription picks a topic and filters it. Topics with FHIRPath criteria are refused, because they cannot be evaluated
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from polyclinic.core.records import RecordInvalid, Resource
from polyclinic.fhir.conditions import BadSearch, Filter, Missing
from polyclinic.fhir.match import matches, rows_of
from polyclinic.fhir.parameters import parameters, resource_types
from polyclinic.fhir.query import parse_condition
from polyclinic.fhir.resources import BASE

_TYPE = "http://hl7.org/fhir/StructureDefinition/"
APPOINTMENT_CHANGE = f"{BASE}/SubscriptionTopic/appointment-change"
SLOT_CHANGE = f"{BASE}/SubscriptionTopic/slot-change"
ENCOUNTER_CHANGE = f"{BASE}/SubscriptionTopic/encounter-change"


def built_in_topics() -> Iterator[Resource]:
    """The topics that the server always offers: every change of appointments, slots and encounters."""
    for type_, url, filters in (
        ("Appointment", APPOINTMENT_CHANGE, ("status", "patient", "practitioner", "location", "specialty", "date")),
        ("Slot", SLOT_CHANGE, ("status", "schedule", "specialty", "start")),
        ("Encounter", ENCOUNTER_CHANGE, ("status", "patient", "location")),
    ):
        yield {
            "resourceType": "SubscriptionTopic",
            "id": url.rpartition("/")[2],
            "url": url,
            "title": f"Every change of an {type_}" if type_[0] in "AE" else f"Every change of a {type_}",
            "status": "active",
            "resourceTrigger": [
                {"resource": f"{_TYPE}{type_}", "supportedInteraction": ["create", "update", "delete"]}
            ],
            "canFilterBy": [{"resource": f"{_TYPE}{type_}", "filterParameter": name} for name in filters],
            "notificationShape": [{"resource": f"{_TYPE}{type_}"}],
        }


def refuse_changed_topic(topic: Resource) -> None:
    """Raise RecordInvalid if a topic has the address of a built-in one but is about other changes.

    Who may subscribe to a built-in topic is decided by its address.
    """
    for known in built_in_topics():
        if topic.get("url") == known["url"] and topic.get("resourceTrigger") != known["resourceTrigger"]:
            raise RecordInvalid(f"{known['url']} is built in and cannot be changed", expression="SubscriptionTopic.url")


def type_name(uri: str) -> str:
    """The resource type that a topic or a filter means; it may be given by name or by canonical address."""
    return uri.removeprefix(_TYPE)


def topic_types(topic: Resource) -> set[str]:
    """The types that a topic is about."""
    return {type_name(trigger["resource"]) for trigger in topic.get("resourceTrigger", ())}


def check_subscription(subscription: Resource, topic: Resource | None) -> None:
    """Raise RecordInvalid unless the server supports what a subscription asks for."""
    if topic is None:
        raise RecordInvalid(f"there is no active topic {subscription.get('topic')}", expression="Subscription.topic")
    if subscription.get("channelType", {}).get("code") != "rest-hook":
        raise RecordInvalid("the only channel is rest-hook", expression="Subscription.channelType")
    if not str(subscription.get("endpoint", "")).startswith(("http://", "https://")):
        raise RecordInvalid("a rest-hook needs an http(s) endpoint", expression="Subscription.endpoint")
    if subscription.get("contentType", "application/fhir+json") not in ("application/fhir+json", "application/json"):
        raise RecordInvalid("notifications are JSON", expression="Subscription.contentType")
    if any("fhirPathCriteria" in trigger for trigger in topic.get("resourceTrigger", ())):
        raise RecordInvalid("topics with FHIRPath criteria are not supported", expression="Subscription.topic")
    allowed = {(type_name(f.get("resource", "")), f["filterParameter"]) for f in topic.get("canFilterBy", ())}
    for position, each in enumerate(subscription.get("filterBy", ())):
        place = f"Subscription.filterBy[{position}]"
        types = _filtered_types(each, topic)
        if not any((type_, each["filterParameter"]) in allowed for type_ in types):
            raise RecordInvalid(f"the topic has no filter '{each['filterParameter']}'", expression=place)
        try:
            for type_ in types:
                _condition(each, type_)
        except BadSearch as error:
            raise RecordInvalid(str(error), expression=place) from error


def concerns(topic: Resource, subscription: Resource, before: Resource | None, after: Resource | None) -> bool:
    """Whether a change from one version to the next is an event of a subscription.

    `before` or `after` is None if the resource did not exist.
    """
    resource = after or before
    if resource is None or not any(_triggers(t, before, after) for t in topic.get("resourceTrigger", ())):
        return False
    found = rows_of(resource)
    for each in subscription.get("filterBy", ()):
        if resource["resourceType"] in _filtered_types(each, topic):
            condition = _condition(each, resource["resourceType"])
            if condition is not None and not matches(found, condition):
                return False
    return True


def _triggers(trigger: Mapping[str, Any], before: Resource | None, after: Resource | None) -> bool:
    resource = after or before or {}
    if type_name(trigger["resource"]) != resource.get("resourceType"):
        return False
    kind = "create" if before is None else "delete" if after is None else "update"
    if kind not in trigger.get("supportedInteraction", ("create", "update", "delete")):
        return False
    criteria = trigger.get("queryCriteria", {})
    was = _meets(before, criteria.get("previous"), criteria.get("resultForCreate", "test-passes"))
    now = _meets(after, criteria.get("current"), criteria.get("resultForDelete", "test-passes"))
    if "previous" in criteria and "current" in criteria and not criteria.get("requireBoth", False):
        return was or now
    return was and now


def _meets(resource: Resource | None, query: str | None, without: str) -> bool:
    if query is None:
        return True
    if resource is None:
        return without == "test-passes"
    type_ = resource["resourceType"]
    found = rows_of(resource)
    for name, text in parse_qsl(query.partition("?")[2] or query, keep_blank_values=True):
        condition = parse_condition(type_, name, text)
        if not isinstance(condition, Filter | Missing) or not matches(found, condition):
            return False
    return True


def _filtered_types(each: Mapping[str, Any], topic: Resource) -> Sequence[str]:
    named = type_name(each["resourceType"]) if "resourceType" in each else None
    types = [type_ for type_ in sorted(topic_types(topic)) if type_ in resource_types()]
    return [type_ for type_ in types if named in (None, type_) and each["filterParameter"] in parameters(type_)]


def _condition(each: Mapping[str, Any], type_: str) -> Filter | Missing | None:
    name = each["filterParameter"] + (f":{each['modifier']}" if "modifier" in each else "")
    condition = parse_condition(type_, name, f"{each.get('comparator', '')}{each['value']}")
    return condition if isinstance(condition, Filter | Missing) else None
