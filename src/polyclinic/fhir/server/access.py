"""What the bearer of a token may do. This is checked at every interaction.

Without SMART everything is allowed. With it, the token must grant a type and a letter (c, r, u, d, s: create, read,
update, delete, search). If only a scope for one patient grants it, resources of other patients are not shown, not
changed and not found by any search. Resources of the hospital are then shown but not changed, and what is written must
name no other patient.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from starlette.requests import Request

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.conditions import AnyOf, Chain, Condition, Has, Search
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.references import belongs, in_compartment, names_others, patient_condition, refuse_dangling
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.smart.scopes import LETTERS, Grant, Letter
from polyclinic.fhir.storage import Stored, read_keys
from polyclinic.fhir.topics import built_in_topics, refuse_changed_topic, topic_types
from polyclinic.fhir.unit_of_work import UnitOfWork

_REFERENCE = re.compile(r"\b([A-Z][A-Za-z]+)/[A-Za-z0-9\-.]+")


class Forbidden(RecordsError, status=403, code="forbidden"):
    """The token does not allow this."""


class Access:
    """What a client may do: everything (no grant), or what its grant allows."""

    def __init__(self, grant: Grant | None = None) -> None:
        self._grant = grant

    @property
    def bearer(self) -> tuple[str, str]:
        """The client and the user that the token names; both are empty if there is no grant."""
        return (self._grant.client_id, self._grant.subject) if self._grant is not None else ("", "")

    def require(self, type_: str, *letters: Letter) -> None:
        """Raise Forbidden unless all these interactions are allowed on a type."""
        for letter in letters:
            if self._grant is not None and self._grant.level(type_, letter) is None:
                raise Forbidden(f"the token has no scope for {type_}.{letter}")

    def require_any(self, type_: str) -> None:
        """Raise Forbidden unless at least one interaction is allowed on a type."""
        if not any(self.may(type_, letter) for letter in LETTERS):
            raise Forbidden(f"the token has no scope for {type_}")

    def require_all_patients(self, type_: str, *letters: Letter) -> None:
        """Raise Forbidden unless these interactions are allowed for all patients, not only for one."""
        self.require(type_, *letters)
        for letter in letters:
            if self._patient(type_, letter) is not None:
                raise Forbidden(f"the token is for one patient only, and this reads {type_} of all patients")

    def may(self, type_: str, letter: Letter) -> bool:
        """Whether an interaction is allowed on a type."""
        return self._grant is None or self._grant.level(type_, letter) is not None

    def types(self, *letters: Letter) -> list[str]:
        """The types on which all these interactions are allowed."""
        return [type_ for type_ in resource_types() if all(self.may(type_, letter) for letter in letters)]

    def countable(self, types: Sequence[str]) -> list[str]:
        """Those of these types of which the client may search all resources, so that it may know their number."""
        open_ = [type_ for type_ in types if not in_compartment(type_) or self._patient(type_, "s") is None]
        return [type_ for type_ in open_ if self.may(type_, "s")]

    def check(self, resource: Resource, *letters: Letter) -> None:
        """Raise Forbidden unless these interactions are allowed on this resource."""
        type_ = resource["resourceType"]
        self.require(type_, *letters)
        for letter in letters:
            patient = self._patient(type_, letter)
            if patient is None or (letter in "rs" and not in_compartment(type_)):
                continue
            if not belongs(resource, patient) or (letter in "cud" and names_others(resource, patient)):
                named = f"{type_}/{resource['id']}" if resource.get("id") else f"this {type_}"
                raise Forbidden(f"{named} does not belong to the patient of this token alone")

    def restrict(self, search: Search, *, one_patient: bool = True) -> None:
        """Let a search find only what the client may see.

        Chains and `_has` may search only types that the token allows. With `one_patient` set to false, a patient's
        token finds resources of everybody; use that only if they are not shown.
        """
        self.require(search.type, "s")
        for condition in search.conditions:
            for type_ in _types_in(condition):
                self.require(type_, "s")
                if in_compartment(type_) and self._patient(type_, "s") is not None:
                    raise Forbidden(f"the token is for one patient only, and this search reads {type_} of all patients")
        if self._grant is None:
            return
        patient = self._patient(search.type, "s")
        if one_patient and patient is not None and (bound := patient_condition(search.type, patient)) is not None:
            search.conditions.append(bound)
        search.visible = self.visible_keys

    def visible(self, found: Iterable[Stored]) -> list[Stored]:
        """Only those versions that the client may read. A deletion shows nothing but itself."""
        if self._grant is None:
            return list(found)
        return [stored for stored in found if self.may(stored.type, "r") and self._sees(stored)]

    def visible_keys(self, transaction: Transaction, keys: set[Key]) -> set[Key]:
        """Only those keys whose resources the client may read; others are read only if they depend on the patient."""
        readable = {key for key in keys if self.may(key[0], "r")}
        personal = {key for key in readable if in_compartment(key[0]) and self._patient(key[0], "r") is not None}
        seen = {(each.type, each.id) for each in read_keys(transaction, sorted(personal)) if self._sees(each)}
        return readable - personal | seen

    def _sees(self, stored: Stored) -> bool:
        patient = self._patient(stored.type, "r")
        if patient is None or stored.body is None or not in_compartment(stored.type):
            return True
        return belongs(stored.resource(), patient)

    def refusal(self, error: RecordsError) -> Resource:
        """An error as an outcome. A conflict does not name resources that the client may not read."""
        if self._grant is None or error.status != 409:
            return outcomes.of_error(error)
        return outcomes.outcome("error", error.code, _REFERENCE.sub(self._named, str(error)), error.expression)

    def _named(self, reference: re.Match[str]) -> str:
        type_ = reference[1]
        hidden = not self.may(type_, "r") or (in_compartment(type_) and self._patient(type_, "r") is not None)
        return f"another {type_}" if hidden else reference[0]

    def completing(self, base: str) -> Callable[[UnitOfWork], None]:
        """Return a function that checks changes before they are made: references exist, each change is allowed."""

        def complete(work: UnitOfWork) -> None:
            for key, after in work.after.items():
                if self._grant is not None:
                    self._check_change(work.resource_before(key), after)
                if key[0] == "SubscriptionTopic" and after is not None:
                    refuse_changed_topic(after)
            refuse_dangling(work, base)

        return complete

    def _check_change(self, before: Resource | None, after: Resource | None) -> None:
        letter: Letter = "c" if before is None else "d" if after is None else "u"
        for resource in (before, after):
            if resource is not None:
                self.check(resource, letter)
                # A changed subscription also gets the events that wait already.
                if after is not None and resource["resourceType"] == "Subscription":
                    self.require_events(resource)

    def require_events(self, subscription: Resource) -> None:
        """Raise Forbidden unless everything that a subscription reports may be read."""
        for type_ in _subscribed(subscription):
            self.require_all_patients(type_, "r")

    def _patient(self, type_: str, letter: Letter) -> str | None:
        """The patient that this interaction is limited to; None if it is not limited."""
        if self._grant is None or self._grant.level(type_, letter) != "patient":
            return None
        return self._grant.patient


OPEN = Access()


def access_of(request: Request) -> Access:
    """What the bearer of this request's token may do."""
    found = getattr(request.state, "access", OPEN)
    return found if isinstance(found, Access) else OPEN


def _types_in(condition: Condition) -> Sequence[str]:
    """The other types that a condition searches."""
    if isinstance(condition, Has):
        return [condition.type, *_types_in(condition.condition)]
    if isinstance(condition, Chain):
        return [type_ for target, inner in condition.targets for type_ in (target, *_types_in(inner))]
    if isinstance(condition, AnyOf):
        return [type_ for group in condition.groups for each in group for type_ in _types_in(each)]
    return []


def _subscribed(subscription: Resource) -> Sequence[str]:
    """The types whose changes a subscription would report; all types if its topic is not built in."""
    for topic in built_in_topics():
        if topic["url"] == str(subscription.get("topic", "")).partition("|")[0]:
            return sorted(topic_types(topic))
    return resource_types()
