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

from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.records import RecordInvalid, Resource
from polyclinic.fhir.offers import Wanted, find_offers
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import access_of
from polyclinic.fhir.server.booking import book, hold, is_patient
from polyclinic.fhir.server.exchange import base_url, body_resource, preference, require_json, resource_id, respond
from polyclinic.fhir.server.inputs import BadParameters, Parameters
from polyclinic.fhir.server.interactions import representation
from polyclinic.fhir.server.operations import DEFAULT_HOLD_MINUTES, MAX_HOLD_MINUTES
from polyclinic.fhir.store import FhirStore
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
            others = [p for p in chosen.get("participant", []) if not is_patient(p)]
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
