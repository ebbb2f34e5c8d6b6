"""Who gets a token and which tokens are accepted: signed assertions, PKCE, single use, and an external issuer."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from polyclinic.cli.fhir import command
from polyclinic.errors import ConfigError, DataError
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.server.smart import Smart
from polyclinic.fhir.smart import endpoints
from polyclinic.fhir.smart.clients import read_clients
from polyclinic.fhir.smart.tokens import Verifier
from polyclinic.fhir.store import FhirStore
from tests.fhir.smart_clients import BACK, BASE, PASSPHRASE, Launch, assertion, back, service_token, smart


@pytest.fixture
async def guarded(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=fhir_app(hospital, ["fhir.test"], smart=smart(hospital)))
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
        yield client


async def refused(api: httpx.AsyncClient, **form: str) -> tuple[int, str]:
    answer = await api.post("/auth/token", data=form)
    return answer.status_code, answer.json()["error"]


async def test_a_backend_service_proves_who_it_is_with_its_key(guarded: httpx.AsyncClient) -> None:
    token = await service_token(guarded, "system/Patient.rs")
    seen = await guarded.get("/Patient", headers={"Authorization": f"Bearer {token}"})
    assert seen.json()["total"] == 3
    described = (await guarded.get("/.well-known/smart-configuration")).json()
    assert described["token_endpoint"] == f"{BASE}/auth/token"
    assert "client-confidential-asymmetric" in described["capabilities"]
    statement = (await guarded.get("/metadata")).json()
    assert statement["rest"][0]["security"]["service"][0]["coding"][0]["code"] == "SMART-on-FHIR"


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "http://other.example/token"},
        {"exp": int(time.time()) - 60},
        {"exp": int(time.time()) + 3600},
        {"sub": "somebody"},
        {"iss": "stranger", "sub": "stranger"},
        {"jti": ""},
    ],
)
async def test_a_wrong_assertion_is_refused(guarded: httpx.AsyncClient, changes: dict[str, Any]) -> None:
    form = {"grant_type": "client_credentials", "scope": "system/*.rs", **assertion(**changes)}
    assert await refused(guarded, **form) == (401, "invalid_client")


async def test_an_assertion_works_once_and_only_with_the_clients_key(guarded: httpx.AsyncClient) -> None:
    form = {"grant_type": "client_credentials", "scope": "system/*.rs", **assertion()}
    assert (await guarded.post("/auth/token", data=form)).status_code == 200
    assert await refused(guarded, **form) == (401, "invalid_client")
    other = ECKey.generate_key("P-384", {"kid": "k1"})
    claims = {"iss": "service", "sub": "service", "aud": f"{BASE}/auth/token", "exp": int(time.time()) + 60, "jti": "z"}
    forged = str(jwt.encode({"alg": "ES384", "kid": "k1"}, claims, other, algorithms=["ES384"]))
    assert await refused(guarded, **{**form, "client_assertion": forged}) == (401, "invalid_client")
    assert await refused(guarded, **{**form, "client_assertion": "junk"}) == (401, "invalid_client")
    bad = {"grant_type": "client_credentials", "scope": "patient/*.rs", **assertion()}
    assert await refused(guarded, **bad) == (400, "invalid_scope")
    assert await refused(guarded, grant_type="password") == (400, "unsupported_grant_type")


async def test_an_app_is_launched_with_a_patient_and_refreshed(guarded: httpx.AsyncClient) -> None:
    scope = "openid fhirUser launch/patient offline_access patient/Patient.rs"
    given = (await Launch(guarded, scope, nonce="n1").tokens("patient-1")).json()
    assert given["patient"] == "patient-1" and given["scope"] == scope
    keys = (await guarded.get("/auth/jwks")).json()
    from joserfc.jwk import KeySet

    identity = jwt.decode(given["id_token"], KeySet.import_key_set(keys), algorithms=["ES384"]).claims
    assert identity["aud"] == "app" and identity["nonce"] == "n1" and identity["fhirUser"].startswith(BASE)
    form = {"grant_type": "refresh_token", "client_id": "app", "refresh_token": given["refresh_token"]}
    again = (await guarded.post("/auth/token", data=form)).json()
    seen = await guarded.get("/Patient", headers={"Authorization": f"Bearer {again['access_token']}"})
    assert [e["resource"]["id"] for e in seen.json()["entry"]] == ["patient-1"]
    assert await refused(guarded, **form) == (400, "invalid_grant")


async def test_a_code_works_once_for_its_client_its_address_and_its_verifier(guarded: httpx.AsyncClient) -> None:
    for changes in ({"code_verifier": "x" * 50}, {"redirect_uri": "http://evil.test/"}, {"client_id": "nobody"}):
        answer = await Launch(guarded, "patient/*.rs").tokens(**changes)
        assert answer.status_code in (400, 401)
    launch = Launch(guarded, "patient/*.rs")
    code = (await launch.allowed())["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, "client_id": "app",
            "code_verifier": launch.verifier}  # fmt: skip
    assert (await guarded.post("/auth/token", data=form)).status_code == 200
    assert await refused(guarded, **form) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"aud": "http://other.example"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "system/*.rs"}, "invalid_scope"),
        ({"state": ""}, "invalid_request"),
    ],
)
async def test_a_wrong_launch_is_sent_back_with_the_reason(
    guarded: httpx.AsyncClient, changes: dict[str, str], error: str
) -> None:
    asked = {"scope": "patient/*.rs", **changes}
    assert back(await Launch(guarded, asked.pop("scope"), **asked).asked())["error"] == error


async def test_only_scopes_that_can_be_had_are_named(guarded: httpx.AsyncClient) -> None:
    named = (await guarded.get("/.well-known/smart-configuration")).json()["scopes_supported"]
    assert "launch/patient" in named and "launch" not in named


async def test_nobody_is_sent_to_an_address_that_is_not_the_clients(guarded: httpx.AsyncClient) -> None:
    for changes in ({"redirect_uri": "http://evil.test/"}, {"client_id": "nobody"}):
        assert (await Launch(guarded, "patient/*.rs", **changes).asked()).status_code == 400


async def test_only_people_who_know_the_passphrase_can_allow_an_app(guarded: httpx.AsyncClient) -> None:
    launch = Launch(guarded, "patient/*.rs")
    page = await launch.asked()
    ticket = page.text.split('name="ticket" value="')[1].split('"')[0]
    for attempt in range(5):
        form = {"ticket": ticket, "decision": "allow", "passphrase": "wrong", "patient": "patient-0"}
        answer = await guarded.post("/auth/authorize", data=form)
        assert answer.status_code == (303 if attempt == 4 else 200)
    assert back(answer)["error"] == "access_denied"
    denied = await launch.asked()
    ticket = denied.text.split('name="ticket" value="')[1].split('"')[0]
    gone = await guarded.post("/auth/authorize", data={"ticket": ticket, "decision": "deny"})
    assert back(gone) == {"error": "access_denied", "state": "s1"}


async def test_patients_are_shown_only_after_the_passphrase_and_found_by_name(
    guarded: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "MAX_LISTED", 1)

    async def sent(page: httpx.Response, **form: str) -> httpx.Response:
        ticket = page.text.split('name="ticket" value="')[1].split('"')[0]
        return await guarded.post("/auth/authorize", data={"ticket": ticket, "decision": "allow", **form})

    page = await Launch(guarded, "launch/patient patient/*.rs").asked()
    wrong = await sent(page, passphrase="wrong", decision="find")
    assert all("Choi" not in shown.text and "patient-" not in shown.text for shown in (page, wrong))
    listed = await sent(wrong, passphrase=PASSPHRASE)
    assert listed.text.count("<option") == 1 and re.search(r"[1-9]\d* more patients are not shown", listed.text)
    nobody = await sent(listed, decision="find", find="Xy,|zz\\")
    assert "No patient has this name" in nobody.text
    found = await sent(nobody, decision="find", find="choi")
    assert '<option value="patient-1">Choi' in found.text and "not shown" not in found.text
    assert "code" in back(await sent(found, patient="patient-1"))
    assert (await sent(listed, patient="patient-1")).status_code == 400


async def test_tokens_of_another_issuer_are_checked_with_its_keys(hospital: FhirStore) -> None:
    key = ECKey.generate_key("P-256", {"kid": "far", "alg": "ES256"})
    fetched = []

    async def keys() -> dict[str, Any]:
        fetched.append(1)
        return {"keys": [key.as_dict(private=False)]}

    far = "https://issuer.example"
    app = fhir_app(hospital, ["fhir.test"], smart=Smart(Verifier(far, BASE, keys), {}))

    def signed(**changes: Any) -> dict[str, str]:
        claims = {"iss": far, "aud": BASE, "exp": int(time.time()) + 60, "scope": "system/Patient.rs", **changes}
        token = str(jwt.encode({"alg": "ES256", "kid": "far"}, claims, key, algorithms=["ES256"]))
        return {"Authorization": f"Bearer {token}"}

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE) as api:
        assert (await api.get("/Patient", headers=signed())).status_code == 200
        assert (await api.get("/Slot", headers=signed())).status_code == 403
        for wrong in ({"iss": "x"}, {"aud": "http://x"}, {"exp": 1}, {"exp": None}, {"nbf": int(time.time()) + 900}):
            assert (await api.get("/Patient", headers=signed(**wrong))).status_code == 401, wrong
        assert fetched == [1]
        assert (await api.get("/auth/jwks")).status_code == 404


def run(*arguments: str) -> Any:
    from click.testing import CliRunner

    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def test_smart_is_required_on_another_host_and_not_on_loopback(tmp_path: Path) -> None:
    failed = run("serve", "--host", "0.0.0.0", "--store", str(tmp_path / "x.db"))
    assert isinstance(failed.exception, ConfigError)
    assert "--smart or --issuer" in str(failed.exception)
    (tmp_path / "c.json").write_text("[]")
    both = run("serve", "--smart", str(tmp_path / "c.json"), "--issuer", "https://x.example")
    assert isinstance(both.exception, ConfigError)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[\n{", r"clients\.json:2: this is not JSON"),
        ("{}", r"clients\.json: it must hold a list of clients; begin it with \["),
        ('[{"client_id": "a"}]', r"clients\.json: client 1: scopes: please fill this in"),
        ('[{"client_id": "a", "scopes": ["system/Patient.rs?x=1"]}]', r"clients\.json: client 'a': .* is not a scope"),
        ('[{"client_id": "a", "scopes": []}, {"client_id": ""}]', r"clients\.json: client 2: client_id: please"),
    ],
)
def test_a_wrong_file_of_clients_is_named_with_the_place(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "clients.json"
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        read_clients(path)
    assert "\n" not in str(caught.value)


def test_a_file_of_clients_is_read(tmp_path: Path) -> None:
    path = tmp_path / "clients.json"
    path.write_text(
        json.dumps([{"client_id": "a", "scopes": ["patient/*.rs", "openid"], "redirect_uris": ["http://a"]}])
    )
    assert not read_clients(path)["a"].confidential
