"""`polyclinic serve`: live sessions over HTTP, on this machine unless told otherwise."""

from __future__ import annotations

import os
import secrets

import click

from polyclinic.cli.options import pairs, refuse_busy_port, store_option
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError
from polyclinic.runner.plan.config import make_config

TOKEN = "POLYCLINIC_TOKEN"


@click.command(name="serve", short_help="Serve a clinic's live sessions over HTTP.")
@click.argument("clinic")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8030, show_default=True, help="Port to listen on; 0 takes a free one.")
@click.option("--token", default="", metavar="TOKEN", help=f"Service token.  [default: ${TOKEN}, else made and shown]")
@click.option(
    "--cast", default="all=understudy", show_default=True, metavar="ROLE=MODEL,…", help="Who plays which role."
)
@click.option("--documents", default="", metavar="FILE", help="Your own sources, made with 'polyclinic ingest'.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the clinic; may be repeated."
)
@click.option("--messages-per-minute", default=60.0, show_default=True, help="Messages that one session may send.")
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
    local_only: bool,
    store: str,
) -> int:
    """Serve a clinic's live sessions over HTTP.

    The API is described at /openapi.json. Sessions are episodes in the store and survive a restart.
    """
    try:
        import uvicorn

        from polyclinic.web.sessions.app import create_app
        from polyclinic.web.sessions.limits import ServiceLimits
    except ImportError as error:
        raise ConfigError(f"the service needs the extra 'web' ({error.name}): {install_hint('web')}") from None

    refuse_busy_port(host, port)
    token = token or os.environ.get(TOKEN, "")
    if not token:
        token = secrets.token_urlsafe(24)
        click.echo(f"service token (made for this run): {token}", err=True)
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
    app = create_app(config, token, ServiceLimits(messages_per_minute=messages_per_minute))
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
    return 0
