"""Clients written by others, against the running server: fhirpy, fhirclient (PyPI), fhir-kit-client (npm)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from polyclinic.fhir import resources as build
from polyclinic.fhir.datatypes import HumanName, reference

CACHE = Path(__file__).parents[2] / ".cache" / "fhir" / "node"
KIT = "fhir-kit-client@2.0.3"


@pytest.fixture
def base(serve: Callable[..., Any]) -> str:
    start = datetime(2025, 3, 24, 9, tzinfo=UTC)
    resources = [
        build.practitioner("kim", HumanName("Kim", ["Min"])),
        build.schedule("diary", actors=[reference("Practitioner", "kim")], start=start, end=start),
    ]
    for i in range(8):
        at = start + timedelta(minutes=15 * i)
        resources.append(build.slot(f"s{i}", schedule="diary", start=at, end=at + timedelta(minutes=15)))
    return str(serve(resources).base)


async def test_fhirpy_creates_searches_patches_and_deletes(base: str) -> None:
    from fhirpy import AsyncFHIRClient
    from fhirpy.base.exceptions import ResourceNotFound

    client = AsyncFHIRClient(base)
    patient = client.resource("Patient", name=[{"family": "Lee", "given": ["Ana"]}], active=True)
    await patient.save()
    assert patient.id
    found = await client.resources("Patient").search(name="lee").fetch_all()
    assert [p.id for p in found] == [patient.id]
    assert await client.resources("Slot").search(status="free").count() == 8
    paged = await client.resources("Slot").search(schedule="Schedule/diary").limit(3).fetch_all()
    assert [s.id for s in paged] == [f"s{i}" for i in range(8)]
    patient["active"] = False
    await patient.save()
    reread = await client.reference("Patient", patient.id).to_resource()
    assert reread["active"] is False
    included = await client.resources("Slot").search(_id="s0").include("Slot", "schedule").fetch_raw()
    assert [e["resource"]["resourceType"] for e in included["entry"]] == ["Slot", "Schedule"]
    got, created = await client.resources("Patient").search(name="nobody").get_or_create(client.resource("Patient"))
    assert created and got.id
    await patient.delete()  # type: ignore[no-untyped-call]
    with pytest.raises(ResourceNotFound):
        await client.reference("Patient", patient.id).to_resource()


@pytest.mark.filterwarnings("ignore")
def test_fhirclient_reads_and_writes_what_its_r4_models_allow(base: str) -> None:
    from fhirclient.client import FHIRClient
    from fhirclient.models.humanname import HumanName
    from fhirclient.models.patient import Patient
    from fhirclient.models.practitioner import Practitioner
    from fhirclient.models.slot import Slot

    smart = FHIRClient(settings={"app_id": "polyclinic-test", "api_base": base})
    doctor = Practitioner.read("kim", smart.server)
    assert doctor.name[0].family == "Kim"
    slots = Slot.where({"schedule": "Schedule/diary", "status": "free"}).perform_resources(smart.server)
    assert len(slots) == 8
    patient = Patient()
    name = HumanName()
    name.family = "Choi"
    patient.name = [name]
    patient.birthDate = None
    created = patient.create(smart.server)
    assert created["resourceType"] == "Patient"
    again = Patient.read(created["id"], smart.server)
    again.active = True
    assert again.update(smart.server)["active"] is True
    assert again.delete(smart.server) is not None


def kit_folder() -> Path:
    """fhir-kit-client, installed once into the cache."""
    if not (CACHE / "node_modules" / "fhir-kit-client").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "package.json").write_text('{"private": true, "type": "module"}')
        done = subprocess.run(
            ["npm", "install", KIT, "--silent", "--no-audit", "--no-fund"],
            cwd=CACHE,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode != 0:
            pytest.skip(f"NOT TESTED: npm cannot install {KIT}: {done.stderr.strip()[:200]}")
    return CACHE


SCRIPT = """
import { Client } from 'fhir-kit-client';
const client = new Client({ baseUrl: process.argv[2] });
const out = {};
const statement = await client.capabilityStatement();
out.version = statement.fhirVersion;
const made = await client.create({ resourceType: 'Patient', body: { resourceType: 'Patient', active: true } });
out.created = made.resourceType;
const id = made.id;
const read = await client.read({ resourceType: 'Patient', id });
out.read = read.id === id;
const updated = await client.update({ resourceType: 'Patient', id, body: { ...read, active: false } });
out.version2 = updated.meta.versionId;
const patched = await client.patch({ resourceType: 'Patient', id,
  jsonPatch: [{ op: 'replace', path: '/active', value: true }] });
out.patched = patched.active;
const old = await client.vread({ resourceType: 'Patient', id, version: '1' });
out.vread = old.meta.versionId;
out.history = (await client.history({ resourceType: 'Patient', id })).entry.length;
let page = await client.search({ resourceType: 'Slot', searchParams: { schedule: 'Schedule/diary', _count: 3 } });
out.slots = [];
while (page) {
  out.slots.push(...page.entry.map((e) => e.resource.id));
  page = await client.nextPage({ bundle: page });
}
const posted = await client.search({ resourceType: 'Slot', searchParams: { status: 'free' },
  options: { postSearch: true } });
out.posted = posted.entry.length;
const booked = await client.operation({ resourceType: 'Appointment', name: '$book', method: 'POST', input: {
  resourceType: 'Appointment', status: 'proposed', slot: [{ reference: 'Slot/s0' }],
  participant: [{ actor: { reference: 'Patient/' + id }, status: 'accepted' }] } });
out.booked = booked.status;
const bundle = await client.transaction({ body: { resourceType: 'Bundle', type: 'transaction', entry: [
  { resource: { resourceType: 'Patient' }, request: { method: 'POST', url: 'Patient' } } ] } });
out.transaction = bundle.entry[0].response.status;
const batch = await client.batch({ body: { resourceType: 'Bundle', type: 'batch', entry: [
  { request: { method: 'GET', url: 'Slot/none' } } ] } });
out.batch = batch.entry[0].response.status;
try { await client.delete({ resourceType: 'Patient', id }); } catch (error) { out.referred = error.response.status; }
const other = bundle.entry[0].resource.id;
out.deleted = (await client.delete({ resourceType: 'Patient', id: other })).resourceType;
try { await client.read({ resourceType: 'Patient', id: other }); } catch (error) { out.gone = error.response.status; }
console.log(JSON.stringify(out));
"""


def test_fhir_kit_client_uses_every_interaction(base: str) -> None:
    folder = kit_folder()
    (folder / "check.mjs").write_text(SCRIPT)
    done = subprocess.run(["node", "check.mjs", base], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "version": "5.0.0",
        "created": "Patient",
        "read": True,
        "version2": "2",
        "patched": True,
        "vread": "1",
        "history": 3,
        "slots": [f"s{i}" for i in range(8)],
        "posted": 8,
        "booked": "booked",
        "transaction": "201 Created",
        "batch": "404 Not Found",
        "referred": 409,
        "deleted": "OperationOutcome",
        "gone": 410,
    }
