"""SMART on FHIR, access control: a request needs a valid access token.

A few addresses need none, because every client must read them first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from polyclinic.core.records import Resource
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import Access
from polyclinic.fhir.server.exchange import respond
from polyclinic.fhir.smart.clients import read_clients
from polyclinic.fhir.smart.discovery import Described, built_in_description, discovered, smart_configuration
from polyclinic.fhir.smart.endpoints import AuthorisationServer
from polyclinic.fhir.smart.issuer import Issuer
from polyclinic.fhir.smart.tokens import Unauthorized, Verifier, keys_at
from polyclinic.fhir.store import FhirStore

_OPEN_PATHS = ("/metadata", "/openapi.json", "/.well-known/", "/auth/")
_ADDRESSES = (("token", "token_endpoint"), ("authorize", "authorization_endpoint"))
_URIS = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"


class Smart:
    """Which tokens are accepted, who gives them, and the built-in authorisation server if there is one."""

    def __init__(self, verifier: Verifier, described: Described, server: AuthorisationServer | None = None) -> None:
        self.verifier, self.described, self.server = verifier, described, server

    def routes(self) -> Sequence[Route]:
        """The routes with which clients discover the endpoints."""
        own = self.server.routes() if self.server is not None else []
        return [Route("/.well-known/smart-configuration", self.configuration, methods=["GET"]), *own]

    def middleware(self) -> Sequence[Middleware]:
        """The middleware that checks every request for its token."""
        return [Middleware(Bearer, smart=self)]

    async def configuration(self, request: Request) -> Response:
        """GET .well-known/smart-configuration."""
        return JSONResponse(smart_configuration(self.verifier.issuer, self.described))

    def security(self) -> Resource:
        """The `security` part of the CapabilityStatement."""
        coding = {"system": "http://hl7.org/fhir/restful-security-service", "code": "SMART-on-FHIR"}
        said: Resource = {"cors": True, "service": [{"coding": [coding], "text": "OAuth2 using SMART on FHIR"}]}
        addresses = [
            {"url": name, "valueUri": self.described[key]} for name, key in _ADDRESSES if key in self.described
        ]
        return {**said, "extension": [{"url": _URIS, "extension": addresses}]}


class Bearer:
    """ASGI middleware: puts what the token allows into the request's state, or answers 401."""

    def __init__(self, app: ASGIApp, smart: Smart) -> None:
        self._app, self._smart = app, smart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401."""
        if scope["type"] == "http" and not _is_open(scope):
            try:
                grant = await self._smart.verifier.grant(_token(HTTPConnection(scope)))
            except Unauthorized as error:
                headers = {"WWW-Authenticate": 'Bearer realm="FHIR"'}
                await respond(outcomes.of_error(error), 401, headers)(scope, receive, send)
                return
            scope.setdefault("state", {})["access"] = Access(grant)
        await self._app(scope, receive, send)


def _is_open(scope: Scope) -> bool:
    path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
    return any(path == known or (known.endswith("/") and path.startswith(known)) for known in _OPEN_PATHS)


def _token(request: HTTPConnection) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Unauthorized("this server needs an access token (Authorization: Bearer)")
    return token.strip()


def built_in(base: str, clients: Path, store: FhirStore, passphrase: str) -> Smart:
    """The built-in authorisation server for the clients in a file, and a verifier of its tokens."""
    issuer = Issuer(base, read_clients(clients))
    return Smart(issuer.verifier(), built_in_description(issuer.url), AuthorisationServer(issuer, store, passphrase))


async def external(base: str, issuer: str) -> Smart:
    """A verifier of another issuer's tokens. Its endpoints are read from its own description, once."""
    described = await discovered(issuer)
    return Smart(Verifier(issuer, base, keys_at(described["jwks_uri"])), described)
