"""Bulk `$export` with FHIR's asynchronous pattern: accepted, polled, fetched and deleted.

An export is started with `Prefer: respond-async`. Its status is at the address in `Content-Location`; when it is done,
this address answers with the list of files. Files are kept until the status is deleted, or until there are too many
exports.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from polyclinic.core.records import RecordMissing, RecordsError
from polyclinic.core.turns import cancel_all
from polyclinic.fhir.dates import instant_text
from polyclinic.fhir.export import Export, ExportFile, patient_types
from polyclinic.fhir.parameters import resource_types
from polyclinic.fhir.r4.mapping import TYPES, to_r4
from polyclinic.fhir.server import outcomes
from polyclinic.fhir.server.access import OPEN, Forbidden, access_of
from polyclinic.fhir.server.exchange import base_url, in_r4, moment, preference, require_json, respond
from polyclinic.fhir.server.inputs import BadParameters
from polyclinic.fhir.store import FhirStore
from polyclinic.fhir.unit_of_work import opaque_id

MAX_KEPT = 8
NDJSON = "application/fhir+ndjson"
_FORMATS = (NDJSON, "application/ndjson", "ndjson")
_KNOWN = ("_type", "_since", "_outputFormat", "_format", "_pretty")
_log = logging.getLogger("polyclinic.fhir")


class TooManyExports(RecordsError, status=429, code="throttled"):
    """Too many exports are still running."""


class ExportFailed(RecordsError, status=500, code="exception"):
    """The files could not be written."""


_Owner: TypeAlias = tuple[str, str, bool]
"""The client and the user who started an export, and whether it is in R4. Nobody else finds the export."""


@dataclass
class _Job:
    export: Export
    request: str
    task: asyncio.Task[None]
    owner: _Owner


class Exports:
    """Handlers over one store, and all exports that are running or kept."""

    def __init__(self, store: FhirStore, *, guarded: bool = False) -> None:
        self.store, self._guarded = store, guarded
        self._jobs: dict[str, _Job] = {}

    async def system(self, request: Request) -> Response:
        """GET $export: all types."""
        return await self._start(request, patients_only=False)

    async def patients(self, request: Request) -> Response:
        """GET Patient/$export: patients and what belongs to them."""
        return await self._start(request, patients_only=True)

    async def _start(self, request: Request, *, patients_only: bool) -> Response:
        require_json(request)
        if preference(request, "respond-async") is None:
            raise BadParameters("an export needs the header 'Prefer: respond-async'")
        types, since = self._asked(request, patients_only=patients_only)
        await self._make_room()
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="polyclinic-export-"))
        shown = to_r4 if in_r4(request) else None
        export = Export(types, self.store.now(), folder, since, patients_only, shown)
        id_ = opaque_id()
        task = asyncio.create_task(export.run(self.store))
        self._jobs[id_] = _Job(export, str(request.url), task, _owner(request))
        accepted = outcomes.outcome("information", "informational", "the export has begun")
        return respond(accepted, 202, {"Content-Location": f"{base_url(request)}/$export-status/{id_}"})

    def _asked(self, request: Request, *, patients_only: bool) -> tuple[list[str], int | None]:
        query = request.query_params
        unknown = [name for name in query if name not in _KNOWN]
        if unknown and preference(request, "handling") != "lenient":
            raise BadParameters(f"'{unknown[0]}' is not a parameter of this export")
        if query.get("_outputFormat", NDJSON).replace(" ", "+") not in _FORMATS:
            raise BadParameters(f"'_outputFormat' must be {NDJSON}")
        named = [type_ for text in query.getlist("_type") for type_ in text.split(",") if type_]
        offered = [type_ for type_ in resource_types() if not in_r4(request) or type_ in TYPES]
        possible = patient_types(offered) if patients_only else offered
        for type_ in named:
            if type_ not in possible:
                raise BadParameters(f"'{type_}' is not exported here")
        access = access_of(request)
        allowed = [type_ for type_ in possible if type_ in access.types("r", "s")]
        for type_ in named or allowed or possible:
            access.require_all_patients(type_, "r", "s")
        return sorted(set(named)) or allowed, moment("_since", query.get("_since"), BadParameters)

    async def _make_room(self) -> None:
        while len(self._jobs) >= MAX_KEPT:
            done = next((id_ for id_, job in self._jobs.items() if job.task.done()), None)
            if done is None:
                raise TooManyExports(f"{MAX_KEPT} exports are running: try again later")
            await self._forget(done)

    async def status(self, request: Request) -> Response:
        """GET $export-status/id: still running, or the list of files."""
        job = self._readable(request)
        if not job.task.done():
            return Response(status_code=202, headers={"X-Progress": job.export.progress, "Retry-After": "1"})
        if job.task.cancelled() or (error := job.task.exception()) is not None:
            _log.error("export failed", exc_info=None if job.task.cancelled() else error)
            raise ExportFailed("the export failed; see the server's log for the reason")
        base = f"{base_url(request)}/$export-file/{request.path_params['job']}"
        return JSONResponse(
            {
                "transactionTime": instant_text(job.export.at),
                "request": job.request,
                "requiresAccessToken": self._guarded,
                "output": [_listed(base, file) for file in job.export.files],
                "deleted": [_listed(base, file) for file in job.export.deleted],
                "error": [],
            }
        )

    async def file(self, request: Request) -> Response:
        """GET $export-file/id/name: one file."""
        job = self._readable(request)
        name = str(request.path_params["name"])
        if not any(file.name == name for file in (*job.export.files, *job.export.deleted)):
            raise RecordMissing(f"this export has no file '{name}'")
        return FileResponse(job.export.folder / name, media_type=NDJSON)

    async def delete(self, request: Request) -> Response:
        """DELETE $export-status/id: stop the export and delete its files."""
        self._readable(request)
        await self._forget(str(request.path_params["job"]))
        return respond(outcomes.outcome("information", "informational", "the export is deleted"), 202)

    def _job(self, request: Request) -> _Job:
        job = self._jobs.get(str(request.path_params["job"]))
        if job is None or job.owner != _owner(request):
            raise RecordMissing("there is no such export")
        return job

    def _readable(self, request: Request) -> _Job:
        """The export, if the token that asks now also allows everything in it."""
        job = self._job(request)
        for type_ in job.export.types:
            access_of(request).require_all_patients(type_, "r", "s")
        return job

    async def _forget(self, id_: str) -> None:
        job = self._jobs.pop(id_)
        await cancel_all([job.task])
        await asyncio.to_thread(shutil.rmtree, job.export.folder, ignore_errors=True)

    async def close(self) -> None:
        """Stop and delete all exports."""
        for id_ in list(self._jobs):
            await self._forget(id_)


def _owner(request: Request) -> _Owner:
    """Who asks. Without SMART, everybody counts as the same client."""
    access = access_of(request)
    client, user = access.bearer
    if access is not OPEN and not client:
        raise Forbidden("an export needs a token that names its client")
    return client, user, in_r4(request)


def _listed(base: str, file: ExportFile) -> dict[str, object]:
    return {"type": file.type, "url": f"{base}/{file.name}", "count": file.resources}
