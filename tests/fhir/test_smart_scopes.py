"""Scopes are enforced on every interaction: the matrix of scopes and interactions, and what a patient's token shows."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from polyclinic.fhir import bundles, query
from polyclinic.fhir.server import fhir_app
from polyclinic.fhir.smart.scopes import granted, parse_scope
from polyclinic.fhir.store import FhirStore
from tests.fhir.scope_matrix import (
    INTERACTIONS,
    Interaction,
    ask,
    everything_stored,
    exported,
    guarded_api,
    guarded_routes,
    route_of,
    shown,
)
from tests.fhir.smart_clients import Launch, service_token, smart

TYPES = ("Patient", "Organization", "Encounter", "Slot", "Schedule", "Practitioner", "PractitionerRole", "Appointment",
         "Subscription")  # fmt: skip
WRAPPERS = {"Bundle", "OperationOutcome", "Parameters", "SubscriptionStatus"}
# A value for every control of a search. A new control must be added here, so that it is tried with few scopes.
CONTROLS = {
    "_sort": "_id", "_count": "1", "_total": "accurate", "_summary": "data", "_elements": "subject", "_page": None,
    "_included": None, "_include": "*", "_include:iterate": "*", "_revinclude": "*", "_revinclude:iterate": "*",
}  # fmt: skip


@pytest.fixture
async def guarded(hospital: FhirStore) -> AsyncIterator[httpx.AsyncClient]:
    async with guarded_api(hospital) as api:
        yield api


def test_the_matrix_has_every_route_every_method_of_a_bundle_and_every_control(hospital: FhirStore) -> None:
    app = fhir_app(hospital, smart=smart(hospital))
    served = {(method, route.path) for method, route in guarded_routes(app)}
    assert served == {route_of(app, each) for each in INTERACTIONS}, "give every route a row in the matrix"
    entries = [each.json["entry"][0]["request"]["method"] for each in INTERACTIONS if each.path == "/" and each.json]
    assert set(entries) == set(bundles.METHODS)
    assert set(CONTROLS) == set(query.CONTROLS)


@pytest.mark.parametrize("interaction", INTERACTIONS, ids=[each.name for each in INTERACTIONS])
async def test_every_interaction_needs_exactly_its_scopes(
    guarded: httpx.AsyncClient, hospital: FhirStore, interaction: Interaction
) -> None:
    """With exactly its scopes it works and shows no other types. Without one of them it does and shows nothing."""
    job = await exported(guarded) if "JOB" in interaction.path else ""
    needs = interaction.needs
    required = needs.partition("|")[0].split()
    everything = [f"{type_}.{letter}" for type_ in TYPES for letter in "cruds"]
    before = await everything_stored(hospital)
    for missing in required if "|" not in needs else [needs]:
        kept = [one for one in everything if one not in missing.split("|")] if missing != "*.s" else ["Patient.cruds"]
        token = await service_token(guarded, " ".join(f"system/{one}" for one in kept))
        refused = await ask(guarded, interaction, token, job)
        assert refused.status_code == 403, (missing, refused.text)
        assert refused.json()["issue"][0]["code"] == "forbidden"
    assert await everything_stored(hospital) == before
    token = await service_token(guarded, " ".join(f"system/{one}" for one in required))
    done = await ask(guarded, interaction, token, job)
    assert done.status_code < 400, (needs, done.text)
    if "fhir+json" in done.headers["content-type"] and "*.s" not in needs and not interaction.name.startswith("find"):
        assert {each["resourceType"] for each in shown(done.json())} - WRAPPERS <= {
            one.partition(".")[0] for one in required
        }


async def test_a_patients_token_shows_and_changes_nothing_of_others_by_any_interaction(
    guarded: httpx.AsyncClient, hospital: FhirStore
) -> None:
    """The matrix is about patients 0 and 2 and about the hospital; the token is patient 1's."""
    job = await exported(guarded)
    token = (await Launch(guarded, "launch/patient patient/*.cruds").tokens("patient-1")).json()["access_token"]
    before = await everything_stored(hospital)
    for interaction in INTERACTIONS:
        answer = await ask(guarded, interaction, token, job)
        assert answer.status_code < 500, (interaction.name, answer.text)
        if answer.status_code < 400:
            told = {**answer.json(), "link": None}
            assert "patient-0" not in str(told) and "patient-2" not in str(told), interaction.name
            assert interaction.name != "search-count" or told["total"] == 0
        assert await everything_stored(hospital) == before, interaction.name


async def test_no_control_of_a_search_shows_other_types(guarded: httpx.AsyncClient) -> None:
    token = await service_token(guarded, "system/Encounter.s")
    for name, value in CONTROLS.items():
        if value is not None:
            answer = await guarded.get("/Encounter", params={name: value}, headers={"Authorization": f"Bearer {token}"})
            assert {each["resourceType"] for each in shown(answer.json())} == {"Bundle", "Encounter"}, name


async def test_without_a_valid_token_nothing_is_done(guarded: httpx.AsyncClient) -> None:
    good = await service_token(guarded, "system/*.cruds")
    for interaction in INTERACTIONS:
        for token in ("", "x", good[:-4] + "AAAA", "eyJhbGciOiJub25lIn0.e30."):
            answer = await ask(guarded, interaction, token)
            assert answer.status_code == 401, (interaction.name, token)
            assert answer.headers["www-authenticate"].startswith("Bearer")
    for path in ("/metadata", "/openapi.json", "/.well-known/smart-configuration", "/auth/jwks"):
        assert (await guarded.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("system/Patient.cruds", "cruds"), ("patient/*.rs", "rs"), ("user/Slot.read", "rs"), ("user/Slot.write", "cud"),
        ("user/*.*", "cruds"), ("system/Patient.", None), ("system/Patient.sr", None), ("Patient.r", None),
        ("system/Patient.rs?gender=male", None), ("openid", None),
    ],
)  # fmt: skip
def test_scopes_are_read_as_smart_defines_them(text: str, letters: str | None) -> None:
    scope = parse_scope(text)
    assert (None if scope is None else scope.letters) == (None if letters is None else frozenset(letters))


def test_a_client_gets_no_more_than_it_may_ask_for() -> None:
    allowed = ("system/Patient.rs", "system/Slot.cruds", "openid")
    asked = "system/Patient.r system/Patient.c system/*.rs system/Slot.write openid fhirUser user/Patient.r"
    assert granted(asked, allowed) == ["system/Patient.r", "system/Slot.write", "openid"]
