"""`Appointment/$find`, `$hold` and `$book`, as the Argonaut and IHE scheduling guides define them.

`$find` offers proposed appointments on free slots. They are not stored; the server remembers them for a while, so that
`appt-id` may name one. `$hold` stores an appointment as `pending` and makes its slots busy-tentative, until it is
booked or the hold expires. `$book` makes it `booked`. `$hold` and `$book` take `appt-id` or `appt-resource` and answer
with a Bundle, as the guides say. `$book` with a bare Appointment, or with `appointment` and the token of `Slot/$hold`,
answers with the Appointment itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.database import Transaction
from polyclinic.core.records import RecordConflict, RecordInvalid, RecordMissing, Resource
from polyclinic.fhir import slot_holds, storage
from polyclinic.fhir.conditional import Finder, has_conditional, resolved
from polyclinic.fhir.extract import split_reference
from polyclinic.fhir.offers import Wanted, find_offers
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.references import refuse_dangling
from polyclinic.fhir.scheduling import cancelled, span
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.exchange import base_url, body_resource, preference, require_json, resource_id, respond
from polyclinic.fhir.server.inputs import BadParameters, Parameters
from polyclinic.fhir.server.interactions import representation
from polyclinic.fhir.server.operations import DEFAULT_HOLD_MINUTES, MAX_HOLD_MINUTES
from polyclinic.fhir.slot_rules import slots_of
from polyclinic.fhir.store import FhirStore, settle
from polyclinic.fhir.transactions import Operation, perform
from polyclinic.fhir.unit_of_work import opaque_id
from polyclinic.fhir.validate import check

MAX_OFFERS = 200
DEFAULT_OFFERS = 20
_REMEMBERED = 10_000
_MONTH = 31 * 24 * 60 * 60 * 1_000_000
_FILTERS = {
    "practitioner": "actor:Practitioner",
    "provider": "actor:Practitioner",
    "location-reference": "actor:Location",
    "schedule": "_id",
    "organization": "actor:Practitioner._has:PractitionerRole:practitioner:organization",
}
_TOKENS = {"specialty": "specialty", "service-type": "service-type", "visit-type": "service-type"}


class Appointments:
    """Handlers over one store."""

    def __init__(self, store: FhirStore) -> None:
        self.store = store
        self._offered: OrderedDict[str, Resource] = OrderedDict()

    async def find(self, request: Request) -> Response:
        """GET or POST Appointment/$find: proposed appointments on free time."""
        require_json(request)
        if request.method == "GET":
            given = Parameters.of_query(request.query_params.multi_items())
        else:
            given = Parameters(await body_resource(request))
        wanted = self._wanted(given)
        access_of(request).restrict(parse_search("Schedule", wanted.schedules), one_patient=False)
        patient = given.references("patient-reference", "Patient") or given.references("patient", "Patient")
        offers = await self.store.settled(lambda transaction: find_offers(transaction, wanted))
        return respond(self._bundle([self._remember(offer, patient) for offer in offers], base_url(request)))

    def _wanted(self, given: Parameters) -> Wanted:
        start = given.moment("start")
        start = self.store.now() if start is None else start
        end = given.moment("end")
        end = start + _MONTH if end is None else end
        if end <= start:
            raise BadParameters("'end' must be after 'start'")
        conditions = [("active", "true")]
        for name, code in _FILTERS.items():
            conditions += [(code, text) for text in _references(given, name)]
        for name, code in _TOKENS.items():
            tokens = given.tokens(name)
            conditions += [(code, ",".join(tokens))] if tokens else []
        place = given.text("location-string") or given.text("location")
        if place:
            conditions.append(("actor:Location.name", place.replace(",", "\\,")))
        minutes = given.integer("duration", 0, 24 * 60) if given.named("duration") else None
        limit = given.integer("max", DEFAULT_OFFERS, MAX_OFFERS)
        return Wanted(conditions, start, end, minutes, limit)

    def _remember(self, offer: Resource, patients: Sequence[str]) -> Resource:
        """Give an offer an id and the named patient, and remember it."""
        if patients:
            actor = {"reference": f"Patient/{patients[0]}"}
            taking_part = [{"actor": actor, "status": "needs-action"}, *offer["participant"]]
            offer = {**offer, "subject": actor, "participant": taking_part}
        id_ = opaque_id()
        self._offered[id_] = offer
        while len(self._offered) > _REMEMBERED:
            self._offered.popitem(last=False)
        return {**offer, "id": id_}

    async def hold(self, request: Request) -> Response:
        """POST Appointment/$hold: an offer becomes `pending`, and nobody else can take its slots for some minutes."""
        require_json(request)
        given = Parameters(await body_resource(request))
        appointment = self._chosen(request, given)
        minutes = given.integer("minutes", DEFAULT_HOLD_MINUTES, MAX_HOLD_MINUTES)
        access = access_of(request)
        now, base = self.store.now(), base_url(request)
        until = now + minutes * 60_000_000
        held = await self.store.database.write(
            lambda transaction: hold(transaction, appointment, now, until=until, base=base, access=access)
        )
        return respond(self._bundle([held], base))

    async def book(self, request: Request) -> Response:
        """POST Appointment/$book: an offer, a held appointment or a new one becomes `booked`, all or nothing."""
        require_json(request)
        body = await body_resource(request)
        given = Parameters(body) if body.get("resourceType") == "Parameters" else None
        guided = given is not None and not given.named("appointment")
        if given is None:
            appointment = body
        elif guided:
            appointment = self._chosen(request, given)
        else:
            appointment = given.resource("appointment", "Appointment")
        if appointment.get("resourceType") != "Appointment":
            raise RecordInvalid("$book needs an Appointment", expression="Resource.resourceType")
        if "slot" in appointment or not guided:
            check({**appointment, "status": "proposed"})
        token, now = given.text("hold") if given else None, self.store.now()
        instead = _id_in(given.text("cancelled-appt-id")) if given else None
        base = base_url(request)
        booked = await self.store.database.write(
            lambda transaction: book(
                transaction, appointment, token, now, base=base, instead=instead, access=access_of(request)
            )
        )
        if guided:
            return respond(self._bundle([booked], base))
        return representation(booked, base, 201, preference(request, "return"))

    def _chosen(self, request: Request, given: Parameters) -> Resource:
        """The appointment that the request means: by the id in its path, by `appt-id`, or as `appt-resource`."""
        id_ = resource_id(request) if "id" in request.path_params else _id_in(given.text("appt-id"))
        if id_ is None:
            chosen = given.resource("appt-resource", "Appointment")
        elif id_ in self._offered:
            chosen = self._offered[id_]
        else:
            chosen = {"resourceType": "Appointment", "id": id_}
        patients = given.references("patient-reference", "Patient")
        if patients:
            actor = {"reference": f"Patient/{patients[0]}"}
            others = [p for p in chosen.get("participant", []) if not _is_patient(p)]
            taking_part = [{"actor": actor, "status": "accepted"}, *others]
            chosen = {**chosen, "subject": actor, "participant": taking_part}
        return chosen

    def _bundle(self, appointments: Sequence[Resource], base: str) -> Resource:
        entries: list[Resource] = [
            {"fullUrl": f"{base}/Appointment/{each['id']}", "resource": each, "search": {"mode": "match"}}
            for each in appointments
        ]
        if not entries:
            nothing = outcomes.outcome("information", "informational", "no free time was found")
            entries = [{"resource": nothing, "search": {"mode": "outcome"}}]
        return {"resourceType": "Bundle", "type": "searchset", "total": len(appointments), "entry": entries}


def hold(
    transaction: Transaction, appointment: Resource, now: int, *, until: int, base: str = "", access: Access = OPEN
) -> Resource:
    """Store an appointment as `pending` until a given time."""
    held = _fix(transaction, appointment, "pending", now, base=base, access=access)
    slot_holds.place(transaction, slots_of(held), f"Appointment/{held['id']}", until)
    return held


def book(
    transaction: Transaction,
    appointment: Resource,
    token: str | None,
    now: int,
    *,
    base: str = "",
    instead: str | None = None,
    access: Access = OPEN,
) -> Resource:
    """Book an appointment on the slots it names and at their time; cancel `instead` in the same transaction."""
    if token is not None and slot_holds.is_of_appointment(token):
        raise RecordConflict("'hold' must be the token that Slot/$hold gave; book a held appointment by its id")
    given_up = [] if instead is None else [storage.read(transaction, "Appointment", instead).resource()]
    return _fix(transaction, appointment, "booked", now, base=base, token=token, given_up=given_up, access=access)


def _fix(
    transaction: Transaction,
    appointment: Resource,
    status: str,
    now: int,
    *,
    base: str,
    token: str | None = None,
    given_up: Sequence[Resource] = (),
    access: Access = OPEN,
) -> Resource:
    settle(transaction, now)
    id_ = appointment.get("id")
    stored = storage.find(transaction, "Appointment", id_, lock=True) if id_ else None
    current = stored.resource() if stored is not None and stored.body is not None else None
    for known in (*given_up, *([current] if current is not None else [])):
        access.check(known, "r", "u")
    if has_conditional(appointment):
        appointment = resolved(appointment, {}, Finder(transaction, base, access))
    if current is not None:
        if current["status"] not in ("proposed", "pending", "waitlist"):
            raise RecordConflict(f"Appointment/{id_} is {current['status']} and cannot be {status} again")
        appointment = _joined(current, appointment)
    elif id_ and "slot" not in appointment:
        raise RecordMissing(f"Appointment/{id_} was neither offered here nor stored")
    access.check(appointment, "c" if current is None else "u")
    slots = [storage.read(transaction, "Slot", slot).resource() for slot in _slot_ids(appointment)]
    fixed = {**appointment, "status": status, **span(slots)}
    check(fixed)
    operations = [_operation(fixed, current)]
    operations += [Operation("PUT", "Appointment", each["id"], cancelled(each, now)) for each in given_up]
    if status == "booked" and current is not None:
        ours = set(slots_of(current))
        busy = [{**slot, "status": "busy"} for slot in slots if slot["id"] in ours and slot["status"] != "busy"]
        operations += [Operation("PUT", "Slot", slot["id"], slot) for slot in busy]
    complete = partial(refuse_dangling, base=base)
    done = perform(transaction, operations, now, hold=token, complete=complete, resolve=False)[0].resource
    if done is None:
        raise RecordMissing("the appointment was not stored")
    return done


def _joined(current: Resource, chosen: Resource) -> Resource:
    """The stored appointment with what the request adds. The patient stays the same, and so do physician and place,
    unless the request names others.
    """
    ours, theirs = _patients(current), _patients(chosen)
    if ours and theirs and ours != theirs:
        raise RecordConflict(f"Appointment/{current['id']} is for another patient")
    joined = {**current, **chosen}
    named = chosen.get("participant", [])
    if not all(map(_is_patient, named)):
        return joined
    patients = named or [p for p in current.get("participant", []) if _is_patient(p)]
    return {**joined, "participant": [*patients, *(p for p in current.get("participant", []) if not _is_patient(p))]}


def _operation(fixed: Resource, current: Resource | None) -> Operation:
    if current is not None:
        return Operation("PUT", "Appointment", fixed["id"], fixed)
    return Operation("POST", "Appointment", None, {k: v for k, v in fixed.items() if k != "id"})


def _slot_ids(appointment: Resource) -> list[str]:
    pairs = [split_reference(slot.get("reference", "")) for slot in appointment.get("slot", [])]
    ids = [id_ for type_, id_ in pairs if type_ == "Slot"]
    if not ids or len(ids) != len(pairs) or len(set(ids)) != len(ids):
        raise BadParameters("the Appointment's 'slot' must name one or more Slots of this server, without repeats")
    return sorted(ids)


def _references(given: Parameters, name: str) -> list[str]:
    """References as strings, from valueReference or valueString."""
    found = []
    for parameter in given.named(name):
        value = parameter.get("valueReference")
        text = value.get("reference") if isinstance(value, dict) else parameter.get("valueString")
        if not isinstance(text, str) or not text:
            raise BadParameters(f"'{name}' must be a valueReference")
        found.append(text.rpartition("/")[2] if name == "schedule" else text)
    return found


def _id_in(text: str | None) -> str | None:
    """The id in `Appointment/id`; the server's address may come before it."""
    return None if text is None else text.rpartition("/")[2]


def _patients(appointment: Resource) -> set[str]:
    """The ids of an appointment's patients."""
    actors = [participant.get("actor", {}) for participant in appointment.get("participant", [])]
    pairs = [split_reference(actor.get("reference", "")) for actor in (appointment.get("subject", {}), *actors)]
    return {id_ for type_, id_ in pairs if type_ == "Patient"}


def _is_patient(participant: Resource) -> bool:
    return split_reference(participant.get("actor", {}).get("reference", ""))[0] == "Patient"
