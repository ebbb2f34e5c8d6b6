"""Test an external server before it is used.

Three conditions matter: it speaks R5, a stale `ifMatch` inside a transaction fails the transaction, and a failed
transaction changes nothing. The probe creates two organizations under fresh ids, and deletes what it created.
"""

from __future__ import annotations

from polyclinic.core.records import (
    Create,
    Delete,
    RecordChange,
    RecordMissing,
    RecordsError,
    RecordsRefused,
    RecordsUnreachable,
    Resource,
    Update,
)
from polyclinic.fhir.client import FhirClient
from polyclinic.fhir.unit_of_work import opaque_id

STALE = "999999"


async def probe(client: FhirClient) -> None:
    """Return if the server meets the three conditions. Raises RecordsRefused with the reason if it does not."""
    await _speaks_r5(client)
    mark = opaque_id()
    kept, dropped = f"probe-{mark}-a"[:64], f"probe-{mark}-b"[:64]
    try:
        await _create(client, kept)
        await _honours_versions(client, kept)
        await _rolls_back(client, kept, dropped)
    finally:
        for id_ in (kept, dropped):
            await _clean(client, id_)


def _refused(client: FhirClient, reason: str) -> RecordsRefused:
    return RecordsRefused(f"{client.base} cannot hold the records: {reason}")


async def _speaks_r5(client: FhirClient) -> None:
    try:
        statement = await client.request("GET", "metadata")
    except RecordsUnreachable:
        raise
    except RecordsError as error:
        raise _refused(client, f"its CapabilityStatement cannot be read ({error})") from error
    version = str(statement.get("fhirVersion", "none"))
    if statement.get("resourceType") != "CapabilityStatement" or not version.startswith("5."):
        raise _refused(client, f"it speaks FHIR version {version}, and R5 (5.0.0) is needed")
    listed = {r.get("type") for rest in statement.get("rest", []) for r in rest.get("resource", [])}
    missing = {"Schedule", "Slot", "Appointment", "Patient", "Organization"} - listed
    if missing:
        raise _refused(client, f"it does not offer {', '.join(sorted(missing))}")


def _organization(id_: str, name: str) -> Resource:
    return {"resourceType": "Organization", "id": id_, "active": False, "name": name}


async def _create(client: FhirClient, id_: str) -> None:
    try:
        made = await client.transact([Create(_organization(id_, "Polyclinic probe"))])
    except RecordsError as error:
        raise _refused(client, f"a resource cannot be created under a given id in a transaction ({error})") from error
    if made[0] is None or made[0]["id"] != id_:
        raise _refused(client, "it does not keep the id that was given to a new resource")


async def _honours_versions(client: FhirClient, id_: str) -> None:
    try:
        await client.transact([Update(_organization(id_, "Polyclinic probe, changed"), if_version=STALE)])
    except RecordsError:
        return
    raise _refused(client, "it ignores ifMatch inside a transaction, so two clients could book the same slot")


async def _rolls_back(client: FhirClient, kept: str, dropped: str) -> None:
    changes: list[RecordChange] = [
        Create(_organization(dropped, "Polyclinic probe, to be rolled back")),
        Update(_organization(kept, "Polyclinic probe, changed"), if_version=STALE),
    ]
    failed = False
    try:
        await client.transact(changes)
    except RecordsError:
        failed = True
    try:
        await client.read("Organization", dropped)
    except RecordMissing:
        if failed:
            return
        raise _refused(client, "a transaction that must fail was reported as done") from None
    raise _refused(client, "it keeps half of a failed transaction")


async def _clean(client: FhirClient, id_: str) -> None:
    """Delete what the probe created, and nothing else."""
    try:
        await client.transact([Delete("Organization", id_)])
    except (RecordMissing, RecordsRefused):
        return
