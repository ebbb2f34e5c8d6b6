"""Search by GET and POST, the histories, and `$everything` about a patient."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote

import orjson
from starlette.requests import Request
from starlette.responses import Response

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir import search as searching
from polyclinic.fhir import storage
from polyclinic.fhir.changes import HistoryPage, history
from polyclinic.fhir.conditions import BadSearch, Include, Search
from polyclinic.fhir.everywhere import parse_everywhere, run_everywhere
from polyclinic.fhir.parameters import patient_parameters, resource_types
from polyclinic.fhir.query import parse_search
from polyclinic.fhir.r4.mapping import TYPES
from polyclinic.fhir.search import included_keys, read_included
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Access, access_of
from polyclinic.fhir.server.exchange import (
    Handlers,
    base_url,
    body_bytes,
    in_r4,
    moment,
    preference,
    require_json,
    resource_id,
    resource_type,
    respond,
)
from polyclinic.fhir.server.rendering import everywhere_set, history_bundle, search_set
from polyclinic.fhir.storage import Stored

HISTORY_COUNT = 50
Mark = tuple[int, str, str, int]


class Searches(Handlers):
    """Searches and histories."""

    async def get(self, request: Request) -> Response:
        """GET Type?parameters."""
        return await self._search(request, request.query_params.multi_items())

    async def post(self, request: Request) -> Response:
        """POST Type/_search with a form."""
        return await self._search(request, await self._form(request))

    async def post_everywhere(self, request: Request) -> Response:
        """POST _search with a form: a search across types."""
        return await self.everywhere(request, await self._form(request))

    async def everywhere(self, request: Request, query: Sequence[tuple[str, str]]) -> Response:
        """GET the base with parameters: a search across types, either those in `_type` or all."""
        require_json(request)
        base = base_url(request)
        access = access_of(request)
        offered = [type_ for type_ in access.types("s") if not in_r4(request) or type_ in TYPES]
        asked = parse_everywhere(query, base, offered, r4=in_r4(request))
        for search in asked.searches.values():
            access.restrict(search)
        page = await self.store.settled(lambda transaction: run_everywhere(transaction, asked))
        return respond(everywhere_set(base, query, page, asked.searches))

    async def _form(self, request: Request) -> list[tuple[str, str]]:
        form = await body_bytes(request, "application/x-www-form-urlencoded")
        try:
            sent = parse_qsl(form.decode(), keep_blank_values=True, max_num_fields=1000)
        except ValueError as error:
            raise BadSearch(f"the form cannot be read: {error}") from error
        return [*request.query_params.multi_items(), *sent]

    async def _search(self, request: Request, query: Sequence[tuple[str, str]]) -> Response:
        require_json(request)
        type_, base = resource_type(request), base_url(request)
        search = parse_search(type_, query, base, r4=in_r4(request))
        if search.ignored and preference(request, "handling") == "strict":
            raise BadSearch(f"unknown search parameter of {type_}: {', '.join(search.ignored)}")
        access = access_of(request)
        access.restrict(search)
        page = await self.store.settled(lambda transaction: searching.run(transaction, search))
        return respond(search_set(base, search, page, _warnings(search)))

    async def history(self, request: Request) -> Response:
        """GET _history of a resource, a type or the whole system."""
        require_json(request)
        types: Sequence[str] = TYPES if in_r4(request) else resource_types()
        id_, path = None, "_history"
        if "type" in request.path_params:
            types, path = [resource_type(request)], f"{resource_type(request)}/_history"
        if "id" in request.path_params:
            id_ = resource_id(request)
            path = f"{types[0]}/{id_}/_history"
        await self._may_see_history(request, types, id_)
        count, since, mark = _history_query(request)

        def run(transaction: Transaction) -> HistoryPage:
            return history(transaction, types, id_, count, since, mark)

        page = await self.store.database.read(run)
        shown = page.versions if id_ is None else access_of(request).visible(page.versions)
        base = base_url(request)
        links = []
        if page.following is not None:
            kept = f"_count={count}" + (f"&_since={quote(request.query_params['_since'])}" if since is not None else "")
            links = [{"relation": "next", "url": f"{base}/{path}?{kept}&_page={_write_mark(page.following)}"}]
        return respond(history_bundle(base, path, shown, links))

    async def _may_see_history(self, request: Request, types: Sequence[str], id_: str | None) -> None:
        access = access_of(request)
        if access is OPEN:
            return
        for type_ in types:
            if id_ is None:
                access.require_all_patients(type_, "s")
            else:
                known = await self.store.database.read(lambda transaction: storage.find(transaction, types[0], id_))
                access.require(type_, "r")
                if known is not None and known.body is not None:
                    access.check(known.resource(), "r")
                else:
                    access.require_all_patients(type_, "r")

    async def everything(self, request: Request) -> Response:
        """GET Patient/id/$everything: the patient, resources that refer to the patient, and those they refer to."""
        require_json(request)
        id_, base = resource_id(request), base_url(request)
        only = [t for value in request.query_params.getlist("_type") for t in value.split(",")]
        since = moment("_since", request.query_params.get("_since"), BadSearch)
        access = access_of(request)
        access.require("Patient", "r")
        types = TYPES if in_r4(request) else resource_types()
        found = await self.store.settled(lambda transaction: everything(transaction, id_, types, access))
        kept = [s for s in found if (not only or s.type in only) and (since is None or s.updated >= since)]
        page = searching.SearchPage(kept, total=len(kept))
        bundle = search_set(base, Search("Patient"), page)
        bundle["link"] = [{"relation": "self", "url": f"{base}/Patient/{id_}/$everything"}]
        return respond(bundle)


def everything(transaction: Transaction, patient: str, types: Sequence[str], access: Access = OPEN) -> list[Stored]:
    """The patient, all resources of these types that refer to the patient, and all that those refer to; each once.

    Only what the client may read counts.
    """
    found = [storage.read(transaction, "Patient", patient)]
    access.check(found[0].resource(), "r")
    for type_ in types:
        codes = patient_parameters(type_)
        if codes:
            listed = ", ".join(f"'{code}'" for code in codes)
            ids = transaction.execute(
                f"SELECT DISTINCT id FROM fhir_index WHERE type = '{type_}' AND parameter IN ({listed})"
                " AND value = ? AND system = 'Patient' ORDER BY id",
                (patient,),
            )
            found.extend(access.visible(storage.read_many(transaction, type_, [row[0] for row in ids])))
    search = Search("Patient", includes=[Include("*", None, None, False)], includable=frozenset(types))
    search.visible = None if access is OPEN else access.visible_keys
    return [*found, *read_included(transaction, included_keys(transaction, search, found))]


def _warnings(search: Search) -> list[Resource]:
    if not search.ignored:
        return []
    text = f"ignored, not a search parameter of {search.type}: {', '.join(search.ignored)}"
    return [outcomes.outcome("warning", "not-supported", text)]


def _history_query(request: Request) -> tuple[int, int | None, Mark | None]:
    count = request.query_params.get("_count", str(HISTORY_COUNT))
    if not (count.isascii() and count.isdigit() and len(count) < 10):
        raise BadSearch(f"'_count' must be a number, not '{count}'")
    mark = request.query_params.get("_page")
    return (
        min(max(int(count), 1), 1000),
        moment("_since", request.query_params.get("_since"), BadSearch),
        None if mark is None else _read_mark(mark),
    )


def _write_mark(mark: Mark) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(mark)).decode().rstrip("=")


def _read_mark(text: str) -> Mark:
    try:
        at, type_, id_, version = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        mark = (int(at), str(type_), str(id_), int(version))
    except (binascii.Error, orjson.JSONDecodeError, ValueError, TypeError, OverflowError) as error:
        raise BadSearch("'_page' does not come from a link that this server gave") from error
    if abs(mark[0]) >= 2**62 or not 0 <= mark[3] < 2**31 or "\x00" in mark[1] + mark[2]:
        raise BadSearch("'_page' does not come from a link that this server gave")
    return mark
