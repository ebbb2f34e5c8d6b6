"""Keys, clients and tokens for the tests of SMART on FHIR."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import ECKey

from polyclinic.fhir.server.smart import Smart
from polyclinic.fhir.smart.clients import Client
from polyclinic.fhir.smart.discovery import built_in_description
from polyclinic.fhir.smart.endpoints import AuthorisationServer
from polyclinic.fhir.smart.issuer import ASSERTION, Issuer
from polyclinic.fhir.store import FhirStore

BASE = "http://fhir.test"
PASSPHRASE = "open sesame"
BACK = "http://app.test/back"
KEY = ECKey.generate_key("P-384", {"kid": "k1", "use": "sig", "alg": "ES384"})
APP_SCOPES = (
    "openid", "fhirUser", "launch/patient", "offline_access", "patient/*.cruds", "user/*.cruds", "patient/*.read",
)  # fmt: skip
CLIENTS = {
    "service": Client(client_id="service", jwks={"keys": [KEY.as_dict(private=False)]}, scopes=("system/*.cruds",)),
    "app": Client(client_id="app", redirect_uris=(BACK,), scopes=APP_SCOPES, name="Test app"),
}


def smart(store: FhirStore, base: str = BASE) -> Smart:
    """The built-in authorisation server for the two clients."""
    issuer = Issuer(base, CLIENTS)
    return Smart(issuer.verifier(), built_in_description(issuer.url), AuthorisationServer(issuer, store, PASSPHRASE))


def assertion(base: str = BASE, **changes: Any) -> dict[str, str]:
    """The signed assertion with which a backend service proves who it is."""
    claims = {"iss": "service", "sub": "service", "aud": f"{base}/auth/token", "exp": int(time.time()) + 200,
              "jti": secrets.token_hex(8), **changes}  # fmt: skip
    signed = jwt.encode({"alg": "ES384", "kid": "k1"}, claims, KEY, algorithms=["ES384"])
    return {"client_assertion_type": ASSERTION, "client_assertion": str(signed)}


async def service_token(api: httpx.AsyncClient, scope: str, base: str = BASE) -> str:
    """An access token for a backend service."""
    form = {"grant_type": "client_credentials", "scope": scope, **assertion(base)}
    answer = await api.post("/auth/token", data=form)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


class Launch:
    """A user's steps through an app's launch."""

    def __init__(self, api: httpx.AsyncClient, scope: str, **changes: str) -> None:
        self.api, self.verifier = api, secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        self.query = {
            "response_type": "code", "client_id": "app", "redirect_uri": BACK, "scope": scope, "state": "s1",
            "aud": BASE, "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256", **changes,
        }  # fmt: skip

    async def asked(self) -> httpx.Response:
        """The page where the user decides."""
        return await self.api.get("/auth/authorize", params=self.query)

    async def allowed(self, patient: str = "patient-0", passphrase: str = PASSPHRASE) -> dict[str, str]:
        """Allow the app; return the query parameters that it gets back."""
        page = await self.asked()
        ticket = re.search(r'name="ticket" value="([^"]+)"', page.text)
        assert ticket is not None, page.text
        form = {"ticket": ticket[1], "decision": "allow", "passphrase": passphrase, "patient": patient}
        return back(await self.api.post("/auth/authorize", data=form))

    async def tokens(self, patient: str = "patient-0", **changes: str) -> httpx.Response:
        """The answer of the token endpoint to the code."""
        code = (await self.allowed(patient))["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, "client_id": "app",
                "code_verifier": self.verifier, **changes}  # fmt: skip
        return await self.api.post("/auth/token", data=form)


def back(answer: httpx.Response) -> dict[str, str]:
    """The query parameters of the redirect back to the app."""
    assert answer.status_code == 303, answer.text
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}
