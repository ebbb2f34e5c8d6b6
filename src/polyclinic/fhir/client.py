"""Records on an external FHIR R5 server.

The server may hold other people's resources, so the client marks everything that it creates with its own tag. It
refuses to change or delete a resource without this tag. `open_client` first tests the server (`probe`). It refuses a
server that does not speak R5, ignores `ifMatch` inside a transaction, or keeps half of a failed transaction. On such a
server a slot could be booked twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from polyclinic.core.records import (
    Create,
    Delete,
    PreconditionFailed,
    Query,
    RecordChange,
    RecordConflict,
    RecordGone,
    RecordInvalid,
    RecordMissing,
    RecordsError,
    RecordsRefused,
    RecordsUnreachable,
    Resource,
    SearchResult,
    Update,
)
from polyclinic.fhir.bundles import transaction_bundle
from polyclinic.fhir.codec import dumps, loads_object
from polyclinic.fhir.query import pairs
from polyclinic.fhir.resources import BASE
from polyclinic.fhir.slot_rules import Key
from polyclinic.fhir.staged import Staged

ORIGIN_SYSTEM = f"{BASE}/CodeSystem/origin"
PAGE = 200
LOAD_CHUNK = 200
DEADLINE_S = 120
_MEDIA = "application/fhir+json"
_HEADERS = {"Accept": _MEDIA, "Content-Type": _MEDIA, "Cache-Control": "no-cache", "Prefer": "return=representation"}
_ERRORS: dict[int, type[RecordsError]] = {
    404: RecordMissing,
    409: RecordConflict,
    410: RecordGone,
    412: PreconditionFailed,
    422: RecordInvalid,
    502: RecordsUnreachable,
    503: RecordsUnreachable,
    504: RecordsUnreachable,
}


class FhirClient:
    """Records on a server at `base`. Make a client with `open_client`, which tests the server first."""

    def __init__(self, http: httpx.AsyncClient, base: str, origin: str = "polyclinic") -> None:
        self.base = base.rstrip("/")
        self.tag = {"system": ORIGIN_SYSTEM, "code": origin}
        self._http = http
        self._ours: dict[Key, bool] = {}

    async def request(
        self, method: str, path: str, *, query: Sequence[tuple[str, str]] = (), body: Any = None, **headers: str
    ) -> Resource:
        """Send one request and return the resource in the answer (empty if there is none).

        Raises the records error that belongs to the answer's HTTP status.
        """
        url = path if path.startswith(("http:", "https:")) else f"{self.base}/{path}".rstrip("/")
        content = None if body is None else dumps(body)
        try:
            async with asyncio.timeout(DEADLINE_S):
                answer = await self._http.request(
                    method, url, params=list(query) or None, content=content, headers={**_HEADERS, **headers}
                )
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise RecordsRefused(f"{url} is not the address of a server: {error}") from error
        except (httpx.HTTPError, TimeoutError) as error:
            reason = f"{method} {url}: {type(error).__name__}: {error}"
            raise RecordsUnreachable(f"the FHIR server at {self.base} does not answer ({reason})") from error
        if answer.is_success:
            return loads_object(answer.content) if answer.content.strip() else {}
        raise _ERRORS.get(answer.status_code, RecordsError)(f"{method} {url}: {answer.status_code} {_reason(answer)}")

    async def read(self, type: str, id: str) -> Resource:
        """Read the current version of a resource."""
        return self._seen(await self.request("GET", f"{type}/{id}"))

    async def search(self, type: str, query: Query, limit: int | None = None) -> SearchResult:
        """All matches in order, or the first `limit` of them; they are fetched page by page."""
        asked = [(name, text) for name, text in pairs(query) if name != "_count"]
        if limit is None and "_count" in query:
            limit = int(str(query["_count"]))
        size = PAGE if limit is None else max(1, min(PAGE, limit))
        bundle = await self.request("GET", type, query=[*asked, ("_count", str(size))], Prefer="handling=strict")
        matches: list[Resource] = []
        included: dict[Key, Resource] = {}
        while True:
            for entry in bundle.get("entry", []):
                resource = entry.get("resource", {})
                mode = entry.get("search", {}).get("mode", "match")
                if mode == "match" and resource.get("resourceType") == type:
                    matches.append(self._seen(resource))
                elif mode == "include":
                    included[(resource["resourceType"], resource["id"])] = self._seen(resource)
            following = _next(bundle)
            if following is None or (limit is not None and len(matches) >= limit):
                return SearchResult(matches[:limit], list(included.values()))
            bundle = await self.request("GET", self._same_server(following))

    async def transact(self, changes: Sequence[RecordChange]) -> list[Resource | None]:
        """Make all changes or none, as one transaction Bundle."""
        await self._only_ours(changes)
        answer = await self.request("POST", "", body=transaction_bundle([self._tagged(change) for change in changes]))
        entries = answer.get("entry", [])
        if len(entries) != len(changes):
            raise RecordsError(f"the server answered {len(changes)} changes with {len(entries)} entries")
        return [await self._result(change, entry) for change, entry in zip(changes, entries, strict=True)]

    async def load(self, resources: Iterable[Resource]) -> int:
        """Add the resources that do not exist yet, a few hundred in each transaction; returns how many were added."""
        added, iterator = 0, iter(resources)
        while chunk := list(islice(iterator, LOAD_CHUNK)):
            known = await self._known(chunk)
            missing = [r for r in chunk if (r["resourceType"], r["id"]) not in known]
            if missing:
                await self.request(
                    "POST",
                    "",
                    body=transaction_bundle([self._tagged(Create(r)) for r in missing]),
                    Prefer="return=minimal",
                )
                self._ours.update({(r["resourceType"], r["id"]): True for r in missing})
            added += len(missing)
        return added

    def stage(self) -> Staged:
        """Return a view that collects changes until they are committed."""
        return Staged(self, read_many=self.read_many)

    async def read_many(self, keys: Sequence[Key]) -> dict[Key, Resource]:
        """Read the current versions of the resources that exist, with one search per type."""
        ids: dict[str, list[str]] = {}
        for type_, id_ in keys:
            ids.setdefault(type_, []).append(id_)
        found: dict[Key, Resource] = {}
        for type_, mine in ids.items():
            for start in range(0, len(mine), PAGE):
                chunk = mine[start : start + PAGE]
                for resource in (await self.search(type_, {"_id": ",".join(chunk)})).matches:
                    found[(type_, resource["id"])] = resource
        return found

    def _same_server(self, url: str) -> str:
        """Return the full address of a link that the server gave. A link to another server is refused."""
        target = urljoin(f"{self.base}/", url)
        if urlsplit(target)[:2] != urlsplit(self.base)[:2]:
            raise RecordsRefused(f"the server's next page is on another server: {target}")
        return target

    def _seen(self, resource: Resource) -> Resource:
        if "id" in resource:
            tags = resource.get("meta", {}).get("tag", [])
            ours = any(t.get("system") == self.tag["system"] and t.get("code") == self.tag["code"] for t in tags)
            self._ours[(resource["resourceType"], resource["id"])] = ours
        return resource

    async def _only_ours(self, changes: Sequence[RecordChange]) -> None:
        """Raise RecordsRefused for a change to something that this client did not create."""
        for change in changes:
            if isinstance(change, Create) and "id" not in change.resource:
                continue
            key = _key(change)
            if isinstance(change, Create) or key not in self._ours:
                try:
                    await self.read(*key)
                except RecordMissing:
                    if isinstance(change, Create):
                        continue
                    raise
                if isinstance(change, Create):
                    raise RecordConflict(f"{key[0]}/{key[1]} exists already")
            if not self._ours[key]:
                raise RecordsRefused(f"{key[0]}/{key[1]} was not created by this client, so it is not changed")

    async def _known(self, resources: Sequence[Resource]) -> set[Key]:
        """The keys of those resources that exist. Raises RecordsRefused if this client did not create one of them."""
        by_type: dict[str, list[str]] = {}
        for resource in resources:
            by_type.setdefault(resource["resourceType"], []).append(resource["id"])
        known: set[Key] = set()
        for type_, ids in by_type.items():
            for found in (await self.search(type_, {"_id": ",".join(ids)})).matches:
                key = (type_, found["id"])
                if not self._ours[key]:
                    raise RecordsRefused(
                        f"{key[0]}/{key[1]} exists, but this client did not create it: load under other ids"
                    )
                known.add(key)
        return known

    def _tagged(self, change: RecordChange) -> RecordChange:
        if isinstance(change, Delete):
            return change
        meta = change.resource.get("meta", {})
        tags = [t for t in meta.get("tag", []) if t.get("system") != ORIGIN_SYSTEM]
        kept = {k: v for k, v in meta.items() if k not in ("versionId", "lastUpdated")}
        resource = {**change.resource, "meta": {**kept, "tag": [*tags, self.tag]}}
        if isinstance(change, Create):
            return Create(resource, change.if_none_exist)
        return Update(resource, change.if_version)

    async def _result(self, change: RecordChange, entry: Resource) -> Resource | None:
        if isinstance(change, Delete):
            self._ours.pop((change.type, change.id), None)
            return None
        resource = entry.get("resource")
        if isinstance(resource, dict) and resource.get("resourceType") == change.resource["resourceType"]:
            return self._seen(resource)
        location = str(entry.get("response", {}).get("location", "")).split("/_history/")[0].split("/")
        type_, id_ = (location[-2], location[-1]) if len(location) > 1 else _key(change)
        return await self.read(type_, id_)


def _key(change: RecordChange) -> Key:
    if isinstance(change, Delete):
        return change.type, change.id
    return change.resource["resourceType"], change.resource["id"]


def _next(bundle: Resource) -> str | None:
    for link in bundle.get("link", []):
        if link.get("relation") == "next":
            return str(link["url"])
    return None


def _reason(answer: httpx.Response) -> str:
    """The text of an OperationOutcome; for any other answer, its first characters."""
    try:
        issues = loads_object(answer.content).get("issue", [])
        texts = [str(i.get("details", {}).get("text") or i.get("diagnostics") or i.get("code")) for i in issues]
        return "; ".join(texts[:3])
    except (RecordsError, AttributeError):
        return answer.text[:200]


@asynccontextmanager
async def open_client(url: str, *, transport: httpx.AsyncBaseTransport | None = None) -> AsyncIterator[FhirClient]:
    """Open a client on a server after testing it. Raises RecordsRefused when the server is not safe to use."""
    from polyclinic.fhir.probe import probe

    limits = httpx.Limits(max_connections=20)
    async with httpx.AsyncClient(timeout=60, limits=limits, transport=transport) as http:
        client = FhirClient(http, url)
        await probe(client)
        yield client
