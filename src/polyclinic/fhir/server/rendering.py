"""Bundles of results: search results and histories. Bodies that are shown whole are inserted without parsing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from polyclinic.core.records import Resource
from polyclinic.fhir.bundles import etag
from polyclinic.fhir.conditions import Search
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.everywhere import EverywherePage
from polyclinic.fhir.parameters import data
from polyclinic.fhir.search import SearchPage
from polyclinic.fhir.storage import Stored

_SUBSETTED = {"system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue", "code": "SUBSETTED"}


def search_set(base: str, search: Search, page: SearchPage, warnings: Sequence[Resource] = ()) -> Resource:
    """A page of a search as a Bundle."""
    bundle: Resource = {"resourceType": "Bundle", "type": "searchset"}
    if page.total is not None:
        bundle["total"] = page.total
    links = [{"relation": "self", "url": _url(base, search.type, search.used)}]
    if (following := _following(search, page)) is not None:
        links.append({"relation": "next", "url": _url(base, search.type, following)})
    bundle["link"] = links
    entries = [_entry(base, stored, search, "match") for stored in page.matches]
    entries += [_entry(base, stored, search, "include") for stored in page.included]
    entries += [{"resource": warning, "search": {"mode": "outcome"}} for warning in warnings]
    if entries:
        bundle["entry"] = entries
    return bundle


def everywhere_set(
    base: str, query: Sequence[tuple[str, str]], page: EverywherePage, searches: Mapping[str, Search]
) -> Resource:
    """A page of a search across types as a Bundle."""
    used = [(name, text) for name, text in query if name not in ("_format", "_pretty")]
    links = [{"relation": "self", "url": _url(base, "", used)}]
    if page.following is not None:
        rest = [(name, text) for name, text in used if name != "_page"]
        links.append({"relation": "next", "url": _url(base, "", [*rest, ("_page", page.following)])})
    bundle: Resource = {"resourceType": "Bundle", "type": "searchset", "link": links}
    if page.total is not None:
        bundle["total"] = page.total
    if page.matches:
        bundle["entry"] = [_entry(base, stored, searches[stored.type], "match") for stored in page.matches]
    return bundle


def _following(search: Search, page: SearchPage) -> list[tuple[str, str]] | None:
    """The query of the next page: more included resources of these matches, or else the next matches."""
    if page.more_included is not None:
        same = [(name, text) for name, text in search.used if name != "_included"]
        return [*same, ("_included", page.more_included)]
    if page.following is not None:
        same = [(name, text) for name, text in search.used if name not in ("_page", "_included")]
        return [*same, ("_page", page.following)]
    return None


def _url(base: str, path: str, query: Iterable[tuple[str, str]]) -> str:
    text = urlencode(list(query), quote_via=quote, safe=":,|/*$")
    return f"{base}/{path}?{text}" if text else f"{base}/{path}"


def _entry(base: str, stored: Stored, search: Search, mode: str) -> Resource:
    return {
        "fullUrl": f"{base}/{stored.type}/{stored.id}",
        "resource": subset(stored, search.summary, search.elements),
        "search": {"mode": mode},
    }


def subset(stored: Stored, summary: str, elements: Sequence[str]) -> Any:
    """A body, whole and unparsed, or only the requested part of it, which is then marked as a part."""
    if summary == "false" and not elements:
        return orjson.Fragment(stored.body or "null")
    resource = stored.resource()
    table = data("structure.json")["types"][stored.type]
    required = {key for key, entry in table.items() if entry["min"]}
    if elements:
        kept = required | set(elements)
    elif summary == "true":
        kept = required | {key for key, entry in table.items() if entry.get("summary")}
    elif summary == "text":
        kept = required | {"text"}
    else:
        kept = set(resource) - {"text"}
    kept |= {"resourceType", "id", "meta"}
    small = {key: value for key, value in resource.items() if key.removeprefix("_") in kept}
    meta = resource.get("meta", {})
    return {**small, "meta": {**meta, "tag": [*meta.get("tag", []), _SUBSETTED]}}


def history_bundle(base: str, path: str, versions: Sequence[Stored], links: list[Resource]) -> Resource:
    """Versions, newest first, as a Bundle."""
    return {
        "resourceType": "Bundle",
        "type": "history",
        "link": [{"relation": "self", "url": f"{base}/{path}"}, *links],
        "entry": [_version(base, stored) for stored in versions],
    }


def _version(base: str, stored: Stored) -> Resource:
    reference = f"{stored.type}/{stored.id}"
    response = {"etag": etag(str(stored.version)), "lastModified": instant_text(stored.updated)}
    if stored.body is None:
        request = {"method": "DELETE", "url": reference}
        return {"fullUrl": f"{base}/{reference}", "request": request, "response": {"status": "200", **response}}
    created = stored.version == 1
    return {
        "fullUrl": f"{base}/{reference}",
        "resource": orjson.Fragment(stored.body),
        "request": {"method": "POST" if created else "PUT", "url": stored.type if created else reference},
        "response": {"status": "201" if created else "200", **response},
    }
