"""Clients written by others, through SMART: fhirclient's app launch over R4, fhirpy as a backend service."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from tests.fhir.conftest import RunningServer, small_hospital
from tests.fhir.smart_clients import BACK, PASSPHRASE, service_token

pytestmark = pytest.mark.slow


@pytest.fixture
def server(serve: Callable[..., RunningServer]) -> RunningServer:
    return serve(small_hospital(), guarded=True)


def allow(url: str, patient: str) -> str:
    """Give the passphrase, choose the patient and allow, as a person would; return the redirect address."""
    target = urlsplit(url)
    answer = httpx.get(url)
    for filled in ({"passphrase": PASSPHRASE}, {"patient": patient}):
        ticket = re.search(r'name="ticket" value="([^"]+)"', answer.text)
        assert answer.status_code == 200 and ticket is not None, answer.text
        form = {"ticket": ticket[1], "decision": "allow", **filled}
        answer = httpx.post(f"{target.scheme}://{target.netloc}{target.path}", data=form)
    assert answer.status_code == 303
    return str(answer.headers["location"])


@pytest.mark.filterwarnings("ignore")
def test_fhirclient_launches_and_reads_its_patient_and_no_other(server: RunningServer) -> None:
    from fhirclient import client
    from fhirclient.models.appointment import Appointment
    from fhirclient.models.patient import Patient
    from fhirclient.server import FHIRUnauthorizedException

    settings: dict[str, Any] = {
        "app_id": "app",
        "api_base": f"{server.base}/r4",
        "redirect_uri": BACK,
        "scope": "openid fhirUser launch/patient patient/*.read",
    }
    app = client.FHIRClient(settings=settings)
    assert app.prepare() is False and app.authorize_url is not None
    asked = dict(parse_qsl(urlsplit(app.authorize_url).query))
    assert asked["code_challenge_method"] == "S256" and asked["aud"].rstrip("/") == f"{server.base}/r4"
    app.handle_callback(allow(app.authorize_url, "patient-1"))
    assert app.ready
    assert app.patient is not None and app.patient.name[0].family == "Choi"
    assert [p.id for p in Patient.where(struct={}).perform_resources(app.server)] == ["patient-1"]
    assert Appointment.where(struct={"patient": "patient-1"}).perform_resources(app.server) == []
    with pytest.raises(Exception, match="403"):
        Patient.read("patient-0", app.server)
    vars(app.server.auth)["access_token"] = "stale"
    with pytest.raises(FHIRUnauthorizedException):
        Patient.read("patient-1", app.server)


async def test_fhirpy_works_as_a_backend_service_within_its_scopes(server: RunningServer) -> None:
    from fhirpy import AsyncFHIRClient
    from fhirpy.base.exceptions import ForbiddenError

    async with httpx.AsyncClient(base_url=server.base) as api:
        token = await service_token(api, "system/Slot.rs system/Patient.cruds", server.base)
    client = AsyncFHIRClient(server.base, authorization=f"Bearer {token}")
    assert await client.resources("Slot").search(status="free").count() == 24
    patient = client.resource("Patient", active=True)
    await patient.save()
    assert patient.id
    with pytest.raises(ForbiddenError, match="no scope for Appointment"):
        await client.resources("Appointment").fetch()
