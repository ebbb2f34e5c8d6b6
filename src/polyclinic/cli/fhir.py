"""`polyclinic fhir`: serve the records, load resources, or test an external server."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from polyclinic.cli.options import Group, json_option, print_result, refuse_busy_port, store_option, wait, waits
from polyclinic.core.extras import install_hint
from polyclinic.core.files import bad_file
from polyclinic.core.records import RecordInvalid, RecordsError, Resource
from polyclinic.core.turns import cancel_all
from polyclinic.errors import ConfigError
from polyclinic.models.spec import is_loopback
from polyclinic.store.store import default_store

if TYPE_CHECKING:
    from polyclinic.fhir.server.smart import Smart
    from polyclinic.fhir.store import FhirStore

READERS = 4


@click.group(cls=Group, name="fhir", short_help="Serve the hospital's FHIR R5 records, load data, or test a server.")
def command() -> None:
    """Serve the hospital's FHIR R5 records, load data, or test a server."""


@command.command(name="serve", short_help="Serve the store's records as a FHIR R5 server.")
@store_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. Any address but this machine's own needs --smart or --issuer.",
)
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Also answer under this host name.")
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="URL", help="Let web pages of this origin use the server."
)
@click.option("--base", metavar="URL", help="The server's address as clients see it. Default: http://HOST:PORT.")
@click.option(
    "--smart",
    "clients",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Require SMART on FHIR tokens of the built-in authorisation server, for the clients of this JSON file.",
)
@click.option("--issuer", metavar="URL", help="Require SMART on FHIR tokens of this issuer.")
def serve(
    store: str,
    host: str,
    port: int,
    names: tuple[str, ...],
    origins: tuple[str, ...],
    base: str | None,
    clients: Path | None,
    issuer: str | None,
) -> int:
    """Serve the store's records as a FHIR R5 server, until interrupted. R4 is under /r4."""
    if clients is not None and issuer is not None:
        raise ConfigError("--smart and --issuer exclude each other: give one of them")
    if not is_loopback(f"http://{host}") and clients is None and issuer is None:
        raise ConfigError(f"--host {host}: other machines could read and change everything; add --smart or --issuer")
    refuse_busy_port(host, port)
    guard = TokenGuard((base or f"http://{host}:{port}").rstrip("/"), clients, issuer)
    wait(_serve(store or default_store(), host, port, (*names, *guard.host()), origins, guard))
    return 0


@dataclass(frozen=True)
class TokenGuard:
    """Which tokens a server requires: its own (for known clients), another issuer's, or none."""

    base: str
    clients: Path | None = None
    issuer: str | None = None

    def host(self) -> tuple[str, ...]:
        """The host name in the base address: the server also answers under this name."""
        name = urlsplit(self.base).hostname
        return (name,) if name else ()

    async def smart(self, store: FhirStore) -> Smart | None:
        """The object that checks tokens; None if the server needs no token."""
        if self.clients is None and self.issuer is None:
            return None
        try:
            from polyclinic.fhir.server.smart import built_in, external
        except ModuleNotFoundError as error:
            raise ConfigError(f"SMART needs the extra 'smart' ({error.name}): {install_hint('smart')}") from None
        if self.clients is None:
            issuer = str(self.issuer)
            try:
                return await external(self.base, issuer)
            except RecordsError as error:
                raise ConfigError(f"--issuer {issuer}: {error}") from error
        passphrase = secrets.token_urlsafe(9)
        click.echo(f"To allow an app, open its page and give the passphrase: {passphrase}")
        return built_in(self.base, self.clients, store, passphrase)


async def _serve(
    url: str, host: str, port: int, names: tuple[str, ...], origins: tuple[str, ...], guard: TokenGuard
) -> None:
    import uvicorn

    from polyclinic.fhir.notifications import Notifier
    from polyclinic.fhir.server import fhir_app
    from polyclinic.fhir.store import FhirStore
    from polyclinic.fhir.topics import built_in_topics
    from polyclinic.serving.connections import server_config
    from polyclinic.store.connections import without_password
    from polyclinic.store.opening import open_database
    from polyclinic.store.schema import refuse_newer

    database = open_database(url, readers=READERS)
    try:
        await database.read(refuse_newer)
        store = await FhirStore.open(database)
        await store.load(built_in_topics())
        notifier = Notifier(store, guard.base)
        app = fhir_app(store, (host, *names), origins, await guard.smart(store))
        server = uvicorn.Server(server_config(app, host=host, port=port, lifespan="off"))
        click.echo(f"FHIR R5 on http://{host}:{port} over {without_password(url)}. Stop with Ctrl-C.")
        looking = asyncio.create_task(notifier.run())
        try:
            await server.serve()
        finally:
            await cancel_all([looking])
            await notifier.close()
            await app.state.exports.close()
    finally:
        await database.close()


@command.command(name="load", short_help="Load resources from JSON files.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
@click.option("--fhir", "server", metavar="URL", help="Load into an external FHIR R5 server instead of the store.")
@json_option
def load(files: tuple[Path, ...], store: str, server: str | None, as_json: bool) -> int:
    """Load resources from JSON files: single resources, Bundles, or one resource per line (.ndjson, .jsonl).

    Every resource is validated and needs an id. Resources that already exist are not changed.
    """
    resources = [resource for path in files for resource in read_resources(path)]
    added = wait(_load(resources, store or default_store(), server))
    print_result(
        as_json,
        {"read": len(resources), "added": added},
        f"{added} of {len(resources)} resources added, {len(resources) - added} already existed.",
    )
    return 0


async def _load(resources: list[Resource], url: str, server: str | None) -> int:
    try:
        if server:
            from polyclinic.fhir.client import open_client

            async with open_client(server) as client:
                return await client.load(resources)
        from polyclinic.fhir.store import FhirStore
        from polyclinic.store.opening import open_database
        from polyclinic.store.schema import refuse_newer

        database = open_database(url)
        try:
            await database.read(refuse_newer)
            return await (await FhirStore.open(database)).load(resources)
        finally:
            await database.close()
    except RecordsError as error:
        raise ConfigError(str(error)) from error


def read_resources(path: Path) -> Iterator[Resource]:
    """The validated resources of a file. Raises DataError naming the file and the place."""
    from polyclinic.fhir.codec import loads_object
    from polyclinic.fhir.validate import check

    text = path.read_bytes()
    if not text.strip():
        raise bad_file(path, "the file is empty", fix="write a resource, a Bundle, or one resource on each line")
    documents = text.splitlines() if path.suffix in (".ndjson", ".jsonl") else [text]
    for number, document in enumerate(documents, start=1):
        if not document.strip():
            continue
        try:
            value = loads_object(document)
            entries = value.get("entry", []) if value.get("resourceType") == "Bundle" else [{"resource": value}]
            for entry in entries:
                resource: Resource = entry["resource"]
                check(resource)
                if "id" not in resource:
                    raise RecordInvalid(f"a {resource['resourceType']} has no id")
                yield resource
        except (RecordsError, KeyError, TypeError) as error:
            raise bad_file(path, str(error), line=number) from error


@command.command(name="probe", short_help="Test whether an external FHIR R5 server can hold the records.")
@click.argument("url")
@json_option
@waits
async def probe(url: str, as_json: bool) -> int:
    """Test whether an external FHIR R5 server can hold the records.

    Creates two test organizations and deletes them again. Changes nothing else.
    """
    from polyclinic.fhir.client import open_client

    reason = None
    try:
        async with open_client(url):
            pass
    except RecordsError as error:
        reason = str(error)
    print_result(
        as_json,
        {"url": url, "fit": reason is None, "reason": reason},
        f"{url} can hold the records." if reason is None else reason,
    )
    return 0 if reason is None else 1
