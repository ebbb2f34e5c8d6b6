"""An external issuer: its endpoints are found, repeated for clients, and used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from polyclinic.cli.fhir import TokenGuard
from polyclinic.errors import ConfigError
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.server.smart import Smart
from polyclinic.fhir.smart.discovery import discovered
from polyclinic.fhir.smart.tokens import Unauthorized, Verifier, keys_at
from polyclinic.fhir.store import FhirStore
from tests.fhir.conftest import RunningServer
from tests.fhir.smart_clients import BASE, assertion

ISSUER = "https://login.example/realm"
OPENID = {
    "issuer": ISSUER, "jwks_uri": f"{ISSUER}/certs", "authorization_endpoint": f"{ISSUER}/auth",
    "token_endpoint": f"{ISSUER}/token", "scopes_supported": ["openid"], "claims_supported": ["sub"],
    "token_endpoint_auth_methods_supported": ["private_key_jwt", "tls_client_auth"],
}  # fmt: skip


def stub(documents: dict[str, Any]) -> httpx.MockTransport:
    """An issuer that has these documents at its well-known addresses."""

    def answer(request: httpx.Request) -> httpx.Response:
        found = documents.get(str(request.url).removeprefix(f"{ISSUER}/.well-known/"))
        return httpx.Response(404) if found is None else httpx.Response(200, json=found)

    return httpx.MockTransport(answer)


@pytest.mark.parametrize("path", ["smart-configuration", "openid-configuration", "oauth-authorization-server"])
async def test_clients_find_the_endpoints_of_an_external_issuer(hospital: FhirStore, path: str) -> None:
    described = await discovered(ISSUER, stub({path: OPENID}))
    app = fhir_app(hospital, ["fhir.test"], smart=Smart(Verifier(ISSUER, BASE, keys_at("x")), described))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE) as api:
        for prefix in ("", "/r4"):
            said = (await api.get(f"{prefix}/.well-known/smart-configuration")).json()
            for name in ("issuer", "jwks_uri", "authorization_endpoint", "token_endpoint", "scopes_supported"):
                assert said[name] == OPENID[name]
            assert "claims_supported" not in said
        assert {"launch-standalone", "client-confidential-asymmetric", "sso-openid-connect", "permission-v2"} <= set(
            said["capabilities"]
        )
        assert "client-public" not in said["capabilities"]
        security = (await api.get("/metadata")).json()["rest"][0]["security"]
        addresses = {each["url"]: each["valueUri"] for each in security["extension"][0]["extension"]}
        assert addresses == {"token": OPENID["token_endpoint"], "authorize": OPENID["authorization_endpoint"]}


async def test_smarts_own_description_comes_before_openids() -> None:
    smart = {"capabilities": ["launch-ehr"], "token_endpoint": f"{ISSUER}/smart-token"}
    found = await discovered(ISSUER, stub({"smart-configuration": smart, "openid-configuration": OPENID}))
    assert found["token_endpoint"] == f"{ISSUER}/smart-token" and found["capabilities"] == ["launch-ehr"]
    assert found["jwks_uri"] == OPENID["jwks_uri"]


@pytest.mark.parametrize("missing", ["jwks_uri", "token_endpoint"])
async def test_an_issuer_that_does_not_say_what_is_needed_is_refused(missing: str) -> None:
    said = {name: value for name, value in OPENID.items() if name != missing}
    with pytest.raises(Unauthorized, match=missing):
        await discovered(ISSUER, stub({"openid-configuration": said, "smart-configuration": ["not an object"]}))


async def test_a_client_gets_its_token_from_the_issuer_that_the_server_names(
    hospital: FhirStore, serve: Callable[..., RunningServer]
) -> None:
    """The built-in authorisation server of one process is the external issuer of another."""
    running = serve(guarded=True)
    guard = TokenGuard(running.base, issuer=f"{running.base}/auth")
    app = fhir_app(hospital, ["fhir.test"], smart=await guard.smart(hospital))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE) as api:
        said = (await api.get("/.well-known/smart-configuration")).json()
        form = {"grant_type": "client_credentials", "scope": "system/Patient.rs", **assertion(running.base)}
        async with httpx.AsyncClient() as http:
            token = (await http.post(said["token_endpoint"], data=form)).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        assert (await api.get("/Patient", headers=headers)).json()["total"] == 3
        assert (await api.get("/Slot", headers=headers)).status_code == 403
    with pytest.raises(ConfigError, match="jwks_uri"):
        await TokenGuard(BASE, issuer=f"{running.base}/nothing").smart(hospital)
