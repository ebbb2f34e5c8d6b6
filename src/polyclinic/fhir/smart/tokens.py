"""Access tokens: who signed them, for which server, until when, and what they grant."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from polyclinic.core.records import RecordsError
from polyclinic.fhir.smart.scopes import Grant, parse_scope

ALGORITHMS = ["RS256", "RS384", "ES256", "ES384"]
LEEWAY_S = 30
KEYS_KEPT_S = 600
REFETCH_S = 30
Json = dict[str, Any]


class Unauthorized(RecordsError, status=401, code="login"):
    """There is no valid access token."""


class Verifier:
    """Checks tokens of one issuer that are meant for one server. `keys` fetches the issuer's JWKS."""

    def __init__(self, issuer: str, audience: str, keys: Callable[[], Awaitable[Json]]) -> None:
        self.issuer, self.audience = issuer, audience.rstrip("/")
        self._fetch = keys
        self._keys: KeySet | None = None
        self._fetched = float("-inf")

    async def grant(self, token: str) -> Grant:
        """What a token grants. Raises Unauthorized."""
        claims = await self._claims(token)
        now = time.time()
        if claims.get("iss") != self.issuer:
            raise Unauthorized("the token is from another issuer")
        audience = claims.get("aud")
        named = audience if isinstance(audience, list) else [audience]
        if self.audience not in [str(each).rstrip("/") for each in named]:
            raise Unauthorized("the token is for another server")
        if not isinstance(claims.get("exp"), int | float) or claims["exp"] < now - LEEWAY_S:
            raise Unauthorized("the token has expired")
        if isinstance(claims.get("nbf"), int | float) and claims["nbf"] > now + LEEWAY_S:
            raise Unauthorized("the token is not valid yet")
        return grant_of(claims)

    async def _claims(self, token: str) -> Json:
        for attempt in range(2):
            keys = await self._known_keys(again=attempt == 1)
            try:
                return dict(jwt.decode(token, keys, algorithms=ALGORITHMS).claims)
            except (JoseError, ValueError, TypeError, KeyError) as error:
                if attempt == 1 or time.monotonic() - self._fetched < REFETCH_S:
                    raise Unauthorized("the token's signature is not the issuer's") from error
        raise Unauthorized("the token's signature is not the issuer's")

    async def _known_keys(self, *, again: bool) -> KeySet:
        if again or self._keys is None or time.monotonic() - self._fetched > KEYS_KEPT_S:
            try:
                self._keys = KeySet.import_key_set(await self._fetch())  # type: ignore[arg-type,unused-ignore]
            except (httpx.HTTPError, JoseError, ValueError, TypeError, KeyError) as error:
                raise Unauthorized("the issuer's keys cannot be read") from error
            self._fetched = time.monotonic()
        return self._keys


def grant_of(claims: Json) -> Grant:
    """Turn the claims of a verified token into a grant."""
    text = claims.get("scope", claims.get("scp", ""))
    listed = text if isinstance(text, list) else str(text).split()
    scopes = tuple(scope for each in listed if (scope := parse_scope(str(each))) is not None)
    patient = claims.get("patient")
    client = claims.get("client_id", claims.get("azp", claims.get("sub", "")))
    return Grant(str(client), scopes, str(patient) if patient else None, str(claims.get("sub", "")))


def keys_at(url: str) -> Callable[[], Awaitable[Json]]:
    """Fetch the JWKS at an address."""

    async def fetch() -> Json:
        async with httpx.AsyncClient(timeout=10) as http:
            answer = await http.get(url, headers={"Accept": "application/json"})
            answer.raise_for_status()
            return dict(answer.json())

    return fetch
