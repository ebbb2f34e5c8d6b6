"""The built-in authorisation server, for trials: one signing key, codes, access and refresh tokens, in memory.

Codes are valid for a minute and work once. A signed assertion works once. Access tokens are signed JWTs of five minutes
for backend services and an hour for apps. When the process ends, all its codes and tokens become invalid.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet

from polyclinic.errors import PolyclinicError
from polyclinic.fhir.smart.clients import Client
from polyclinic.fhir.smart.scopes import granted, parse_scope
from polyclinic.fhir.smart.tokens import Verifier, keys_at

CODE_S = 60
SERVICE_TOKEN_S = 300
APP_TOKEN_S = 3600
LONGEST_ASSERTION_S = 300
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_SIGNING = ["RS384", "ES384"]
Json = dict[str, Any]


class OAuthError(PolyclinicError):
    """An error in the form that OAuth defines."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error, self.description, self.status = error, description, status


@dataclass(frozen=True)
class Approved:
    """What a user has allowed an app; the app gets it with a code or a refresh token."""

    client_id: str
    redirect_uri: str
    scope: str
    challenge: str
    patient: str | None
    user: str
    nonce: str
    expires: float


class Issuer:
    """Gives tokens for the FHIR server at `base` to known clients."""

    def __init__(self, base: str, clients: Mapping[str, Client]) -> None:
        self.base, self.clients = base.rstrip("/"), clients
        self.url = f"{self.base}/auth"
        self._key = ECKey.generate_key("P-384", {"kid": secrets.token_hex(8), "use": "sig", "alg": "ES384"})
        self._codes: dict[str, Approved] = {}
        self._refreshing: dict[str, Approved] = {}
        self._used: dict[str, float] = {}

    def jwks(self) -> Json:
        """The public key."""
        return {"keys": [dict(self._key.as_dict(private=False))]}

    def verifier(self) -> Verifier:
        """A verifier for the tokens of this issuer."""

        async def own() -> Json:
            return self.jwks()

        return Verifier(self.url, self.base, own)

    def approve(self, client: Client, query: Mapping[str, str], *, patient: str | None) -> str:
        """Return a code that stands for what the user has allowed."""
        code = secrets.token_urlsafe(32)
        scope = " ".join(granted(query.get("scope", ""), client.scopes))
        self._codes[code] = Approved(
            client.client_id,
            query["redirect_uri"],
            scope,
            query["code_challenge"],
            patient,
            "Practitioner/trial",
            query.get("nonce", ""),
            time.time() + CODE_S,
        )
        return code

    async def token(self, form: Mapping[str, str], token_url: str) -> Json:
        """Answer a request to the token endpoint. Raises OAuthError."""
        match form.get("grant_type"):
            case "client_credentials":
                return await self._service(form, token_url)
            case "authorization_code":
                return await self._exchange(form, token_url)
            case "refresh_token":
                return await self._refresh(form, token_url)
        raise OAuthError("unsupported_grant_type", "use client_credentials, authorization_code or refresh_token")

    async def _service(self, form: Mapping[str, str], token_url: str) -> Json:
        client = await self._proved(form, token_url)
        asked = form.get("scope", "")
        given = [text for text in granted(asked, client.scopes) if text.startswith("system/")]
        if not given:
            raise OAuthError("invalid_scope", "this client may not have any of the requested scopes")
        return self._answer(client, " ".join(given), SERVICE_TOKEN_S, subject=client.client_id)

    async def _exchange(self, form: Mapping[str, str], token_url: str) -> Json:
        approved = self._codes.pop(form.get("code", ""), None)
        client = await self._client(form, token_url)
        if approved is None or approved.expires < time.time() or approved.client_id != client.client_id:
            raise OAuthError("invalid_grant", "the code is unknown, used, too old or another client's")
        if form.get("redirect_uri") != approved.redirect_uri:
            raise OAuthError("invalid_grant", "the redirect_uri differs from the one in the authorization request")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if not secrets.compare_digest(base64.urlsafe_b64encode(digest).decode().rstrip("="), approved.challenge):
            raise OAuthError("invalid_grant", "the code_verifier does not match the code_challenge")
        return self._app_answer(client, approved)

    async def _refresh(self, form: Mapping[str, str], token_url: str) -> Json:
        client = await self._client(form, token_url)
        approved = self._refreshing.pop(form.get("refresh_token", ""), None)
        if approved is None or approved.client_id != client.client_id:
            raise OAuthError("invalid_grant", "the refresh_token is unknown, used or another client's")
        return self._app_answer(client, approved)

    def _app_answer(self, client: Client, approved: Approved) -> Json:
        answer = self._answer(client, approved.scope, APP_TOKEN_S, subject=approved.user, patient=approved.patient)
        scopes = approved.scope.split()
        if "openid" in scopes:
            answer["id_token"] = self._signed(
                {
                    "sub": approved.user,
                    "aud": client.client_id,
                    **({"fhirUser": f"{self.base}/{approved.user}"} if "fhirUser" in scopes else {}),
                    **({"nonce": approved.nonce} if approved.nonce else {}),
                },
                APP_TOKEN_S,
            )
        if {"offline_access", "online_access"} & set(scopes):
            token = secrets.token_urlsafe(32)
            self._refreshing[token] = approved
            answer["refresh_token"] = token
        return answer

    def _answer(self, client: Client, scope: str, lives_s: int, *, subject: str, patient: str | None = None) -> Json:
        context = {"patient": patient} if patient else {}
        claims = {"sub": subject, "aud": self.base, "client_id": client.client_id, "scope": scope, **context}
        access = self._signed(claims, lives_s)
        return {"access_token": access, "token_type": "Bearer", "expires_in": lives_s, "scope": scope, **context}

    def _signed(self, claims: Json, lives_s: int) -> str:
        now = int(time.time())
        whole = {"iss": self.url, "iat": now, "exp": now + lives_s, "jti": secrets.token_hex(12), **claims}
        return str(jwt.encode({"alg": "ES384", "kid": self._key.kid}, whole, self._key, algorithms=["ES384"]))

    async def _client(self, form: Mapping[str, str], token_url: str) -> Client:
        """The client of a request. A confidential client must sign; a public one only gives its id."""
        client = self.clients.get(form.get("client_id", ""))
        if "client_assertion" in form or client is None or client.confidential:
            return await self._proved(form, token_url)
        return client

    async def _proved(self, form: Mapping[str, str], token_url: str) -> Client:
        """The client that signed an assertion (private_key_jwt). Raises OAuthError."""
        if form.get("client_assertion_type") != ASSERTION or not form.get("client_assertion"):
            raise OAuthError("invalid_client", f"this client needs a signed client_assertion of type {ASSERTION}", 401)
        token = form["client_assertion"]
        try:
            unverified = _unverified(token)
            client = self.clients.get(str(unverified.get("iss")))
            if client is None or not client.confidential:
                raise OAuthError("invalid_client", "the client is not known here", 401)
            jwks = client.jwks if client.jwks is not None else await keys_at(str(client.jwks_uri))()
            keys = KeySet.import_key_set(jwks)  # type: ignore[arg-type,unused-ignore]
            claims = dict(jwt.decode(token, keys, algorithms=_SIGNING).claims)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise OAuthError("invalid_client", "the assertion's signature is not the client's", 401) from error
        self._check_assertion(claims, token_url)
        return client

    def _check_assertion(self, claims: Json, token_url: str) -> None:
        now = time.time()
        audience = claims.get("aud")
        if claims.get("iss") != claims.get("sub"):
            raise OAuthError("invalid_client", "iss and sub must both be the client_id", 401)
        if token_url not in (audience if isinstance(audience, list) else [audience]):
            raise OAuthError("invalid_client", f"aud must be {token_url}", 401)
        expires, once = claims.get("exp"), claims.get("jti")
        if not isinstance(expires, int | float) or not now - 5 <= expires <= now + LONGEST_ASSERTION_S + 5:
            raise OAuthError("invalid_client", f"exp must be within {LONGEST_ASSERTION_S} seconds from now", 401)
        self._used = {jti: until for jti, until in self._used.items() if until > now}
        name = f"{claims['iss']} {once}"
        if not isinstance(once, str) or not once or name in self._used:
            raise OAuthError("invalid_client", "jti is missing or was used before", 401)
        self._used[name] = float(expires) + 10


def _unverified(token: str) -> Json:
    """The claims of a token before its signature is checked.

    They are only used to find the keys for that check.
    """
    from polyclinic.core.records import RecordsError
    from polyclinic.fhir.codec import loads_object

    try:
        body = token.split(".")[1]
        return loads_object(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (IndexError, RecordsError) as error:
        raise ValueError("not a JWT") from error


def needs_patient(scope: str) -> bool:
    """Whether a patient must be chosen before this scope can be granted."""
    parsed = [each for text in scope.split() if (each := parse_scope(text)) is not None]
    return "launch/patient" in scope.split() or any(each.level == "patient" for each in parsed)
