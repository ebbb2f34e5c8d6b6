"""Bulk export: every resource as it was at one moment, one ndjson file for each type.

The store is read in short steps, so that nobody waits for an export. If a resource changes meanwhile, its earlier
version is taken from the history, so the files still show that one moment. Memory does not grow with the number of
resources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from polyclinic.core.database import Transaction
from polyclinic.core.records import Resource
from polyclinic.fhir.codec import dumps, loads_object
from polyclinic.fhir.parameters import patient_parameters
from polyclinic.fhir.store import FhirStore

CHUNK = 1000


class ExportFile(NamedTuple):
    """One finished file."""

    type: str
    name: str
    resources: int


@dataclass
class Export:
    """One export: its settings and its progress. `shown` converts resources to another version of FHIR."""

    types: Sequence[str]
    at: int
    folder: Path
    since: int | None = None
    patients_only: bool = False
    shown: Callable[[Resource], Resource] | None = None
    files: list[ExportFile] = field(default_factory=list)
    deleted: list[ExportFile] = field(default_factory=list)
    progress: str = "accepted"

    async def run(self, store: FhirStore) -> None:
        """Write all files."""
        for number, type_ in enumerate(self.types):
            self.progress = f"{type_}, {number} of {len(self.types)} types done"
            if (written := await self._write(store, type_)) is not None:
                self.files.append(written)
        if self.since is not None:
            await self._write_deleted(store)
        self.progress = "done"

    async def _write(self, store: FhirStore, type_: str) -> ExportFile | None:
        name, count, last = f"{type_}.ndjson", 0, ""
        with (self.folder / name).open("wb") as file:
            while True:
                start = last

                def step(transaction: Transaction, start: str = start) -> list[tuple[str, str | None]]:
                    return list(self._bodies(transaction, type_, start))

                found = await store.settled(step) if self.patients_only else await store.database.read(step)
                for _, body in found:
                    if body is not None:
                        file.write(
                            (body.encode() if self.shown is None else dumps(self.shown(loads_object(body)))) + b"\n"
                        )
                        count += 1
                if len(found) < CHUNK:
                    break
                last = found[-1][0]
        if count:
            return ExportFile(type_, name, count)
        (self.folder / name).unlink()
        return None

    def _bodies(self, transaction: Transaction, type_: str, after: str) -> Iterator[tuple[str, str | None]]:
        """Ids in order, each with its body at the moment of the export; None for a resource that is not exported."""
        text = "SELECT id, updated, body FROM fhir_resource WHERE type = ? AND id > ?"
        values: list[object] = [type_, after]
        if self.patients_only and type_ != "Patient":
            listed = ", ".join(f"'{code}'" for code in patient_parameters(type_))
            text += (
                f" AND id IN (SELECT id FROM fhir_index WHERE type = '{type_}' AND parameter IN ({listed})"
                " AND system = 'Patient')"
            )
        for id_, updated, body in transaction.execute(f"{text} ORDER BY id LIMIT {CHUNK:d}", values):
            if updated > self.at:
                updated, body = self._earlier(transaction, type_, id_)
            wanted = body is not None and (self.since is None or updated > self.since)
            yield id_, body if wanted else None

    def _earlier(self, transaction: Transaction, type_: str, id_: str) -> tuple[int, str | None]:
        """The version that was current at the moment of the export."""
        found = transaction.execute(
            "SELECT updated, body FROM fhir_history WHERE type = ? AND id = ? AND updated <= ?"
            " ORDER BY version DESC LIMIT 1",
            (type_, id_, self.at),
        )
        return found[0] if found else (0, None)

    async def _write_deleted(self, store: FhirStore) -> None:
        """Write what was deleted since `since`: one transaction Bundle with a DELETE for each resource."""

        def gone(transaction: Transaction) -> list[tuple[str, str]]:
            marks = ", ".join("?" * len(self.types))
            return transaction.execute(
                f"SELECT type, id FROM fhir_resource WHERE type IN ({marks}) AND body IS NULL"
                " AND updated > ? AND updated <= ? ORDER BY type, id",
                [*self.types, self.since, self.at],
            )

        found = await store.database.read(gone)
        if not found:
            return
        entries = [{"request": {"method": "DELETE", "url": f"{type_}/{id_}"}} for type_, id_ in found]
        bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
        (self.folder / "deleted.ndjson").write_bytes(dumps(bundle) + b"\n")
        self.deleted.append(ExportFile("Bundle", "deleted.ndjson", 1))


def patient_types(types: Sequence[str]) -> list[str]:
    """The types that belong to a patient: Patient, and every type that can refer to a patient."""
    return [type_ for type_ in types if type_ == "Patient" or patient_parameters(type_)]
