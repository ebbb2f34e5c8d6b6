"""`polyclinic serve`: live sessions over HTTP, by default on this machine only."""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable

import click

from polyclinic.cli.options import PORT, FiniteRange, pairs, refuse_busy_port, store_option, wait
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError
from polyclinic.runner.plan.config import make_config
from polyclinic.store.opening import ready_folder
from polyclinic.store.store import default_store, folder_of, open_store

TOKEN = "POLYCLINIC_TOKEN"
FIRST = "admin"
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(name="serve", short_help="Serve a clinic's live sessions over HTTP.")
@click.argument("clinic")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8030, show_default=True, type=PORT, help="Port to listen on; 0 takes a free one.")
@click.option("--token", default="", metavar="TOKEN", help=f"Service token.  [default: ${TOKEN}, else made and shown]")
@click.option(
    "--cast", default="all=understudy", show_default=True, metavar="ROLE=MODEL,…", help="Who plays which role."
)
@click.option("--documents", default="", metavar="FILE", help="Your own sources, made with 'polyclinic ingest'.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the clinic; may be repeated."
)
@click.option(
    "--messages-per-minute",
    type=FiniteRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Messages that one session may send.",
)
@click.option(
    "--alert", default="", metavar="URL", help="Webhook that is called for every open case until acknowledged."
)
@click.option("--local-only", is_flag=True, help="Refuse any model endpoint outside this machine.")
@store_option
def command(
    clinic: str,
    host: str,
    port: int,
    token: str,
    cast: str,
    documents: str,
    settings: tuple[str, ...],
    messages_per_minute: float,
    alert: str,
    local_only: bool,
    store: str,
) -> int:
    """Serve a clinic's live sessions over HTTP.

    The API is described at /docs, staff work at /staff, and 'polyclinic staff' manages their accounts. If there is no
    account yet, an administrator is created and shown. Sessions are episodes in the store and survive a restart.
    """
    try:
        from polyclinic.web.sessions.alerts import check_webhook
        from polyclinic.web.sessions.app import create_app
        from polyclinic.web.sessions.limits import ServiceLimits
        from polyclinic.web.sessions.logins import hash_password
        from polyclinic.web.sessions.opening import check_service, make_ready
        from polyclinic.web.sessions.server import SpokenServer, service_config
    except ImportError as error:
        raise ConfigError(f"the service needs the extra 'web' ({error.name}): {install_hint('web')}") from None

    given = token or os.environ.get(TOKEN, "")
    token = given or secrets.token_urlsafe(24)
    options = {**pairs(settings, "--set"), **({"documents": documents} if documents else {})}
    config = make_config(
        {
            "clinic": clinic,
            "cast": cast,
            "options": options,
            "store": store,
            "local_only": local_only,
            "judges": ("none",),
        }
    )
    webhook = check_webhook(alert, local_only) if alert else ""
    wait(check_service(config))
    ready_folder(folder_of(store or default_store()))
    refuse_busy_port(host, port)
    app = create_app(config, token, ServiceLimits(messages_per_minute=messages_per_minute, webhook=webhook))
    wait(make_ready(config))
    wait(_first_administrator(store, hash_password))
    if not given:
        click.echo(f"service token (created for this run): {token}", err=True)

    if host not in LOOPBACK:
        click.echo(f"{host} can be reached from other machines: put a proxy with TLS in front of it", err=True)

    def say(address: str) -> None:
        click.echo(f"serving {clinic} at {address} (staff: {address}/staff, API: {address}/docs)")

    SpokenServer(service_config(app, host, port), say).run()
    return 0


async def _first_administrator(store: str, hash_password: Callable[[str], Awaitable[str]]) -> None:
    """If there is no account yet, create one and show its password once."""
    async with open_store(store) as found:
        if any(account.active for account in await found.staff.all()):
            return
        password = secrets.token_urlsafe(12)
        await found.staff.add(FIRST, "administer", await hash_password(password))
        await found.audit_log.append("command line", "", "add account", f"staff/{FIRST}")
    click.echo(f"first administrator: {FIRST}, password {password} (shown once)", err=True)
