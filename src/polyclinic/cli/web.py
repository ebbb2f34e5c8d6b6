"""`polyclinic web`: everything in the browser, on this machine."""

from __future__ import annotations

import os
import secrets
import webbrowser
from pathlib import Path

import click

from polyclinic.cli.options import PORT, refuse_busy_port, store_option, wait
from polyclinic.cli.serve import LOOPBACK
from polyclinic.core.extras import install_hint
from polyclinic.core.files import bad_file, read_text
from polyclinic.errors import ConfigError
from polyclinic.store.opening import is_missing, ready_folder
from polyclinic.store.staff import WEB_ROLES
from polyclinic.store.store import default_store, folder_of, open_store

TOKEN = "POLYCLINIC_WEB_TOKEN"
TOKEN_FILE = "web-token"


@click.command(name="web", short_help="Open the browser: practise, look into runs, watch over live sessions.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; people on other machines need accounts.",
)
@click.option("--port", default=8040, show_default=True, type=PORT, help="Port to listen on; 0 takes a free one.")
@click.option("--open/--no-open", "opens", default=False, help="Open the browser at once.")
@click.option("--allow-host", "names", multiple=True, metavar="NAME", help="Also answer under this host name.")
@click.option("--accounts", is_flag=True, help="Ask for a login on this machine too.")
@click.option("--cases", default=None, type=click.Path(file_okay=False), help="Folder for cases that people write.")
@store_option
def command(
    host: str, port: int, opens: bool, names: tuple[str, ...], accounts: bool, cases: str | None, store: str
) -> int:
    """Open the browser: practise, look into runs, watch over live sessions.

    One process, no account, no network. The address that is printed holds a token: anyone who has it can use the pages.
    The token stays the same after a restart, so open pages keep working.

    With a --host that other machines can reach, people log in: add an administrator with 'polyclinic staff add NAME
    --role administrator'. Put a proxy with TLS in front of it.
    """
    try:
        from polyclinic.serving.metrics import few_arenas
        from polyclinic.web.app import create_web
        from polyclinic.web.sessions.server import SpokenServer, service_config
    except ImportError as error:
        raise ConfigError(f"the browser needs the extra 'web' ({error.name}): {install_hint('web')}") from None

    url = store or default_store()
    ready_folder(folder_of(url))
    refuse_busy_port(host, port)
    if is_missing(url):
        click.echo(f"{url} is a new, empty store", err=True)
    accounts = accounts or host not in LOOPBACK
    if accounts:
        wait(_refuse_without_accounts(url))
    token = start_up_token(url)

    def say(address: str) -> None:
        whole = address if accounts else f"{address}/?token={token}"
        click.echo(f"open {whole}")
        if opens:
            webbrowser.open(whole)

    app = create_web(url, token, accounts=accounts, hosts=names, cases=Path(cases) if cases else None)
    few_arenas()
    SpokenServer(service_config(app, host, port, leave_s=1), say).run()
    return 0


async def _refuse_without_accounts(url: str) -> None:
    """Refuse to start a server that nobody can log in to."""
    async with open_store(url) as store:
        if not any(account.active and account.role in WEB_ROLES for account in await store.staff.all()):
            raise ConfigError(
                "people log in here, and there is no account yet: "
                "add one with: polyclinic staff add NAME --role administrator"
            )


def start_up_token(store: str) -> str:
    """The token that opens the pages of a store. It comes from the environment, else from a file beside the store that
    only its owner can read.
    """
    given = os.environ.get(TOKEN, "")
    if given:
        return given
    file = folder_of(store) / TOKEN_FILE
    try:
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        found = read_text(file, about="token file", fix="delete it", error=ConfigError).strip()
        if not found:
            raise bad_file(file, "the token file is empty", fix="delete it", error=ConfigError) from None
        return found
    with os.fdopen(made, "w", encoding="ascii") as out:
        token = secrets.token_urlsafe(24)
        out.write(token)
    return token
