"""The built-in authorisation server over HTTP.

It has its description, its keys, the page where a user allows an app, and the token endpoint. To allow an app, a user
needs the passphrase that the server showed when it started. Nobody sees patients' names without it. This log-in is for
trials only.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from polyclinic.fhir.query import parse_search
from polyclinic.fhir.search import run
from polyclinic.fhir.server.exchange import body_bytes
from polyclinic.fhir.smart.clients import Client
from polyclinic.fhir.smart.discovery import built_in_description, smart_configuration
from polyclinic.fhir.smart.issuer import Issuer, OAuthError, needs_patient
from polyclinic.fhir.smart.scopes import granted
from polyclinic.fhir.store import FhirStore

MAX_WAITING = 1000
MAX_LISTED = 200
MAX_TRIES = 5
MAX_WORDS = 5
"""How many words of a name are searched for."""
_FORM = "application/x-www-form-urlencoded"
_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_PAGE = {
    **_NO_STORE,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}


class _Waiting(NamedTuple):
    """A request of an app that a user has not decided yet. `known`: the user has given the passphrase."""

    client: Client
    query: dict[str, str]
    tries: int = 0
    known: bool = False

    @property
    def given(self) -> list[str]:
        """The scopes that the app can get."""
        return granted(self.query.get("scope", ""), self.client.scopes)

    @property
    def needs_patient(self) -> bool:
        """Whether the user must choose a patient."""
        return needs_patient(" ".join(self.given))


class AuthorisationServer:
    """Handlers over one issuer. Users choose among the patients of the store."""

    def __init__(self, issuer: Issuer, store: FhirStore, passphrase: str) -> None:
        self.issuer, self._store, self._passphrase = issuer, store, passphrase
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    def routes(self) -> list[Route]:
        """The routes, relative to the base of the FHIR server."""
        return [
            Route("/.well-known/openid-configuration", self.configuration, methods=["GET"]),
            Route("/auth/.well-known/openid-configuration", self.configuration, methods=["GET"]),
            Route("/auth/jwks", self.jwks, methods=["GET"]),
            Route("/auth/authorize", self.ask, methods=["GET"]),
            Route("/auth/authorize", self.decide, methods=["POST"]),
            Route("/auth/token", self.token, methods=["POST"]),
        ]

    async def configuration(self, request: Request) -> Response:
        """GET the OpenID configuration."""
        return JSONResponse(smart_configuration(self.issuer.url, built_in_description(self.issuer.url)))

    async def jwks(self, request: Request) -> Response:
        """GET the public keys."""
        return JSONResponse(self.issuer.jwks())

    async def token(self, request: Request) -> Response:
        """POST the token endpoint."""
        form = dict(parse_qsl((await body_bytes(request, _FORM)).decode(errors="replace"), keep_blank_values=True))
        try:
            return JSONResponse(await self.issuer.token(form, f"{self.issuer.url}/token"), headers=_NO_STORE)
        except OAuthError as error:
            said = {"error": error.error, "error_description": error.description}
            return JSONResponse(said, error.status, headers=_NO_STORE)

    async def ask(self, request: Request) -> Response:
        """GET the page where a user allows an app. If the request is not valid, redirect to the app with the reason."""
        query = dict(request.query_params)
        client = self.issuer.clients.get(query.get("client_id", ""))
        if client is None or query.get("redirect_uri") not in client.redirect_uris:
            return _page("<p>This server does not know this client or its redirect_uri.</p>", 400)
        if problem := self._problem(client, query):
            return _back(query, problem)
        waiting = _Waiting(client, query)
        return _asks_passphrase(waiting, self._ticket(waiting))

    def _problem(self, client: Client, query: Mapping[str, str]) -> dict[str, str]:
        if query.get("response_type") != "code":
            return {"error": "unsupported_response_type"}
        if query.get("aud", "").rstrip("/").removesuffix("/r4") != self.issuer.base:
            return {"error": "invalid_request", "error_description": f"aud must be {self.issuer.base}"}
        if query.get("code_challenge_method") != "S256" or len(query.get("code_challenge", "")) < 43:
            return {"error": "invalid_request", "error_description": "PKCE with S256 is required"}
        if not query.get("state"):
            return {"error": "invalid_request", "error_description": "state is required"}
        if not granted(query.get("scope", ""), client.scopes):
            return {"error": "invalid_scope", "error_description": "this client may not have any of these scopes"}
        return {}

    async def decide(self, request: Request) -> Response:
        """POST the user's decision. The passphrase comes first; only then are patients shown."""
        form = dict(parse_qsl((await body_bytes(request, _FORM)).decode(errors="replace"), keep_blank_values=True))
        waiting = self._waiting.pop(form.get("ticket", ""), None)
        if waiting is None:
            return _page("<p>This page is too old. Start again from the app.</p>", 400)
        if form.get("decision") not in ("allow", "find"):
            return _back(waiting.query, {"error": "access_denied"})
        if not (
            waiting.known or secrets.compare_digest(form.get("passphrase", "").encode(), self._passphrase.encode())
        ):
            tries = waiting.tries + 1
            if tries >= MAX_TRIES:
                return _back(waiting.query, {"error": "access_denied", "error_description": "wrong passphrase"})
            self._waiting[form["ticket"]] = waiting._replace(tries=tries)
            return _asks_passphrase(waiting, form["ticket"], "That is not the passphrase.")
        patient = form.get("patient") or None
        if form["decision"] == "find" or (patient is None and waiting.needs_patient):
            return await self._patients(waiting._replace(known=True), form.get("find", "").strip())
        if patient is not None:
            await self._store.read("Patient", patient)
        return _back(waiting.query, {"code": self.issuer.approve(waiting.client, waiting.query, patient=patient)})

    async def _patients(self, waiting: _Waiting, wanted: str) -> Response:
        """The page where a user who gave the passphrase chooses a patient."""
        names = [("name", re.sub(r"([\\,|$])", r"\\\1", word)) for word in wanted.split()[:MAX_WORDS]]
        search = parse_search(
            "Patient", [*names, ("_sort", "family"), ("_count", str(MAX_LISTED)), ("_total", "accurate")]
        )
        page = await self._store.settled(lambda transaction: run(transaction, search))
        found = [stored.resource() for stored in page.matches]
        options = "".join(f'<option value="{escape(p["id"])}">{escape(_name(p))}</option>' for p in found)
        more = (page.total or 0) - len(found)
        count = f"{more} more patients are not shown. Find them by name." if more else ""
        return _form(
            waiting,
            self._ticket(waiting),
            f'<p><label>Name <input name="find" value="{escape(wanted)}"></label>'
            ' <button name="decision" value="find">Find</button></p>'
            f'<p><label>Patient <select name="patient">{options}</select></label></p>',
            count if found else "No patient has this name.",
        )

    def _ticket(self, waiting: _Waiting) -> str:
        ticket = secrets.token_urlsafe(24)
        self._waiting[ticket] = waiting
        while len(self._waiting) > MAX_WAITING:
            self._waiting.popitem(last=False)
        return ticket


def _asks_passphrase(waiting: _Waiting, ticket: str, note: str = "") -> Response:
    field = '<p><label>Passphrase <input type="password" name="passphrase" autocomplete="off"></label></p>'
    return _form(waiting, ticket, field, note, "Next" if waiting.needs_patient else "Allow")


def _form(waiting: _Waiting, ticket: str, fields: str, note: str, allow: str = "Allow") -> Response:
    listed = "".join(f"<li><code>{escape(scope)}</code></li>" for scope in waiting.given)
    name = waiting.client.name or waiting.client.client_id
    return _page(
        f"<p><strong>{escape(name)}</strong> asks for:</p><ul>{listed}</ul>"
        f'<form method="post"><input type="hidden" name="ticket" value="{ticket}">{fields}<p>{escape(note)}</p>'
        f'<p><button name="decision" value="allow">{allow}</button>'
        ' <button name="decision" value="deny">Deny</button></p></form>'
    )


def _back(query: Mapping[str, str], said: dict[str, str]) -> Response:
    """Redirect to the app with the result."""
    state = {"state": query["state"]} if query.get("state") else {}
    joined = "&" if "?" in query["redirect_uri"] else "?"
    address = f"{query['redirect_uri']}{joined}{urlencode({**said, **state})}"
    return RedirectResponse(address, 303, headers=_NO_STORE)


def _name(patient: dict[str, object]) -> str:
    names = patient.get("name")
    first = names[0] if isinstance(names, list) and names and isinstance(names[0], dict) else {}
    given = " ".join(first.get("given", []))
    return f"{first.get('family', '')} {given}".strip() or str(first.get("text", patient["id"]))


def _page(body: str, status: int = 200) -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Allow an app</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}</style>"
        f"</head><body><main><h1>Allow an app</h1>{body}</main></body></html>",
        status,
        headers=_PAGE,
    )
