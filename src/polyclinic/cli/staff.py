"""`polyclinic staff`: the people who watch over live sessions or work in the browser, and what they did."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import click

from polyclinic.cli.options import Group, json_option, print_json, print_result, store_option, wait, waits
from polyclinic.core.extras import install_hint
from polyclinic.errors import ConfigError
from polyclinic.store.staff import LEAST_PASSWORD, MOST_PASSWORD, STAFF_ROLES, WEB_ROLES, AccountRole, StaffAccounts
from polyclinic.store.store import open_store
from polyclinic.text.layout import number_of

BY = "command line"
ADDED = "add account"


@click.group(cls=Group, name="staff", short_help="Manage accounts (live sessions, browser) and read the audit log.")
def command() -> None:
    """Manage accounts (live sessions, browser) and read the audit log.

    polyclinic staff add kim --role take_over
    """


@command.command(name="add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice((*STAFF_ROLES, *WEB_ROLES)),
    default="watch",
    show_default=True,
    help="What the person may do: the first three at a live service, the others in the browser.",
)
@store_option
@json_option
def add(name: str, role: AccountRole, store: str, as_json: bool) -> int:
    """Add an account. The password is asked for, or read from standard input."""
    hashed = _asked()
    words = f"{name} is {role}" if role in WEB_ROLES else f"{name} may {role.replace('_', ' ')}"
    return _changes(store, lambda staff: staff.add(name, role, hashed), name, ADDED, words, as_json)


@command.command(name="password")
@click.argument("name")
@store_option
@json_option
def password(name: str, store: str, as_json: bool) -> int:
    """Set a new password, which ends the account's logins. It is asked for, or read from standard input."""
    hashed = _asked()
    words = f"{name} has a new password"
    return _changes(store, lambda staff: staff.set_password(name, hashed), name, "change password", words, as_json)


def _changes(
    url: str, change: Callable[[StaffAccounts], Awaitable[None]], name: str, done: str, words: str, as_json: bool
) -> int:
    """Change an account, record the change in the audit log, and print it."""

    async def work() -> None:
        async with open_store(url, must_exist=done != ADDED) as store:
            await change(store.staff)
            await store.audit_log.append(BY, "", done, f"staff/{name}")

    wait(work())
    print_result(as_json, {"name": name, "done": done}, words)
    return 0


def _asked() -> str:
    """Ask for a new password and return its argon2id hash."""
    try:
        from polyclinic.web.sessions.logins import hash_password
    except ImportError as error:
        raise ConfigError(f"accounts need the extra 'web' ({error.name}): {install_hint('web')}") from None

    if sys.stdin.isatty():
        given = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        given = sys.stdin.readline().rstrip("\n")
    if not LEAST_PASSWORD <= len(given) <= MOST_PASSWORD:
        where = "" if given else "; type it at a terminal, or write it to standard input"
        raise ConfigError(f"the password must have {LEAST_PASSWORD} to {MOST_PASSWORD} characters{where}")
    return wait(hash_password(given))


@command.command(name="list")
@store_option
@json_option
@waits
async def listed(store: str, as_json: bool) -> int:
    """List the accounts."""
    async with open_store(store, must_exist=True) as opened:
        accounts = await opened.staff.all()
    if as_json:
        print_json([account.model_dump() for account in accounts])
    elif not accounts:
        click.echo("there are no accounts yet; add one with: polyclinic staff add NAME --role ROLE", err=True)
    for account in () if as_json else accounts:
        click.echo(f"{account.name}  {account.role}{'' if account.active else '  (ended)'}")
    return 0


@command.command(name="end")
@click.argument("name")
@store_option
@json_option
def end(name: str, store: str, as_json: bool) -> int:
    """End an account and its logins. Its name stays in the audit log."""
    return _changes(store, lambda staff: staff.end(name), name, "end account", f"{name} is ended", as_json)


@command.command(name="log")
@click.option("--fhir", is_flag=True, help="As a FHIR R5 Bundle of AuditEvent resources.")
@store_option
@json_option
@waits
async def log(fhir: bool, store: str, as_json: bool) -> int:
    """Read the audit log, and check that nothing in it was changed."""
    from polyclinic.web.sessions.trail import audit_bundle

    async with open_store(store, must_exist=True) as found:
        entries = [entry async for entry in found.audit_log.every()]
        broken = await found.audit_log.broken_at()
    if fhir:
        print_json(audit_bundle(entries))
    elif as_json:
        print_json({"entries": [entry.model_dump() for entry in entries], "broken_at": broken})
    else:
        for entry in entries:
            at = datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="seconds")
            done = f"{entry.action}  {entry.target}  {entry.outcome}"
            click.echo(f"{entry.number}  {at}  {entry.who}  {done}")
        click.echo(
            f"{number_of(len(entries), 'entry')}; the last one's digest is {entries[-1].digest if entries else 'none'}"
        )
    if broken:
        click.echo(f"entry {broken} does not fit the one before it: the log was changed", err=True)
    return 1 if broken else 0
