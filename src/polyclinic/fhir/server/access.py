"""What the bearer of a token may do. This is checked at every interaction.

Without SMART everything is allowed. With it, the token must grant a type and a letter (c, r, u, d, s: create, read,
update, delete, search). If only a scope for one patient grants it, resources of other patients are not shown, not
changed and not found by any search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from starlette.requests import Request

from polyclinic.core.records import RecordsError, Resource
from polyclinic.fhir.conditions import Chain, Condition, Filter, Has, Search, Target
from polyclinic.fhir.index import rows
from polyclinic.fhir.parameters import Parameter, parameters, resource_types
from polyclinic.fhir.references import refuse_dangling
from polyclinic.fhir.smart.scopes import LETTERS, Grant, Letter
from polyclinic.fhir.storage import Stored
from polyclinic.fhir.topics import built_in_topics, topic_types
from polyclinic.fhir.unit_of_work import UnitOfWork


class Forbidden(RecordsError):
    """The token does not allow this."""

    status = 403
    code = "forbidden"


class Access:
    """What a client may do: everything (no grant), or what its grant allows."""

    def __init__(self, grant: Grant | None = None) -> None:
        self._grant = grant

    @property
    def client_id(self) -> str:
        """The id of the client; empty if there is no grant."""
        return self._grant.client_id if self._grant is not None else ""

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

    def check(self, resource: Resource, letter: Letter) -> None:
        """Raise Forbidden unless this interaction is allowed on this resource."""
        type_ = resource["resourceType"]
        self.require(type_, letter)
        patient = self._patient(type_, letter)
        if patient is not None and not _belongs(resource, patient):
            raise Forbidden(f"{type_}/{resource.get('id', '')} does not belong to the patient of this token")

    def restrict(self, search: Search) -> None:
        """Let a search find only what the client may see.

        Chains and `_has` may search only types that the token allows.
        """
        self.require(search.type, "s")
        for condition in search.conditions:
            for type_ in _types_in(condition):
                self.require(type_, "s")
                if self._patient(type_, "s") is not None:
                    raise Forbidden(f"the token is for one patient only, and this search reads {type_} of all patients")
        patient = self._patient(search.type, "s")
        if patient is not None and (bound := _patient_filter(search.type, patient)) is not None:
            search.conditions.append(bound)

    def visible(self, found: Iterable[Stored]) -> list[Stored]:
        """Only those resources that the client may read."""
        return [stored for stored in found if self._grant is None or self._sees(stored)]

    def _sees(self, stored: Stored) -> bool:
        if not self.may(stored.type, "r"):
            return False
        patient = self._patient(stored.type, "r")
        return patient is None or _belongs(stored.resource(), patient)

    def completing(self, base: str) -> Callable[[UnitOfWork], None]:
        """Return a function that checks changes before they are made: references exist, each change is allowed."""

        def complete(work: UnitOfWork) -> None:
            refuse_dangling(work, base)
            if self._grant is not None:
                for key, after in work.after.items():
                    self._check_change(work.resource_before(key), after)

        return complete

    def _check_change(self, before: Resource | None, after: Resource | None) -> None:
        letter: Letter = "c" if before is None else "d" if after is None else "u"
        for resource in (before, after):
            if resource is not None:
                self.check(resource, letter)
        if after is not None and after["resourceType"] == "Subscription":
            for type_ in _subscribed(after):
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


def _patient_parameters(type_: str) -> list[Parameter]:
    """The parameters that say to which patient a resource belongs.

    Types without such a parameter belong to the hospital, not to a patient.
    """
    return [p for p in parameters(type_).values() if p.kind == "reference" and "Patient" in p.targets]


def _belongs(resource: Resource, patient: str) -> bool:
    type_ = resource["resourceType"]
    if type_ == "Patient":
        return resource.get("id") == patient
    codes = {p.code for p in _patient_parameters(type_)}
    if not codes:
        return True
    return any(row.parameter in codes and (row.system, row.value) == ("Patient", patient) for row in rows(resource))


def _patient_filter(type_: str, patient: str) -> Filter | None:
    if type_ == "Patient":
        from polyclinic.fhir.conditions import Token

        return Filter(parameters(type_)["_id"], None, (Token(None, patient),))
    known = parameters(type_)
    listed = _patient_parameters(type_)
    if not listed:
        return None
    chosen = known["patient"] if known.get("patient") in listed else listed[0]
    return Filter(chosen, None, (Target("Patient", patient),))


def _types_in(condition: Condition) -> Sequence[str]:
    """The other types that a condition searches."""
    if isinstance(condition, Has):
        return [condition.type, *_types_in(condition.condition)]
    if isinstance(condition, Chain):
        return [type_ for target, inner in condition.targets for type_ in (target, *_types_in(inner))]
    return []


def _subscribed(subscription: Resource) -> Sequence[str]:
    """The types whose changes a subscription would report; all types if its topic is not built in."""
    for topic in built_in_topics():
        if topic["url"] == str(subscription.get("topic", "")).partition("|")[0]:
            return sorted(topic_types(topic))
    return resource_types()
