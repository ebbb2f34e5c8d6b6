"""Options and helpers that several commands share."""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from polyclinic.cli.language import own_words
from polyclinic.cli.stopping import wait as wait
from polyclinic.cli.stopping import waits as waits
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.text.layout import columns_of
from polyclinic.text.worded import Worded

if TYPE_CHECKING:
    from polyclinic.runner.execute.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])
OUTPUT = "-"
"""The name that stands for standard output where a file is named."""


class NewFile(click.Path):
    """The path of a file that a command writes, but never to standard output. Its name has one of the endings."""

    def __init__(self, *endings: str, dir_okay: bool = False) -> None:
        super().__init__(dir_okay=dir_okay)
        self._endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path as click checks it. With `-`, click would make a file of this name."""
        if value == OUTPUT:
            self.fail("this command cannot write it to standard output: name a file", param, ctx)
        path = Path(value)
        special = path.exists() and not path.is_file()  # a pipe or a device has no ending
        if value and self._endings and not special and path.suffix.lower() not in self._endings:
            self.fail(f"{value}: name a file that ends in {' or '.join(self._endings)}", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A number in a range. Click's own range lets "nan" through, because nan is not below any bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number as click checks it."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        return number


HTML = NewFile(".html", ".htm")
"""The path of a page that a command writes."""


class Group(click.Group):
    """A command with subcommands. The error for an unknown subcommand suggests similar names."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand as click does. The error for an unknown one suggests similar names."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            known = self.list_commands(ctx)
            if args[0] not in known:
                raise UnknownName("command of {1}", args[0], known, of=str(self.name))
        return super().resolve_command(ctx, args)


def store_option(function: F) -> F:
    """The option --store."""
    return click.option(
        "--store",
        default="",
        metavar="URL",
        help="A path, sqlite:///… or postgresql://… [default: .polyclinic/store.db]",
    )(function)


def scoring_option(function: F) -> F:
    """The option --scoring."""
    from polyclinic.store.scores import LIVE

    return click.option(
        "--scoring",
        default=LIVE,
        show_default=True,
        help="Which scores: 'live' for the run's own, or the name of a later scoring.",
    )(function)


def scenarios_option(*names: str, default: str | None = "", **attributes: Any) -> Callable[[F], F]:
    """The option --scenarios. It may be given only once: a second selection would silently replace the first."""

    def one(_context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            raise click.UsageError(
                Worded(
                    "--scenarios was given {1} times ({2}): give it once, and run each separately",
                    len(given),
                    ", ".join(given),
                )
            )
        return given[0] if given else default

    return click.option("--scenarios", *names, multiple=True, callback=one, **attributes)


def json_option(function: F) -> F:
    """The option --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print only JSON on standard output.")(function)


def print_json(value: object) -> None:
    """Print the value as one JSON document on standard output."""
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())


def print_result(as_json: bool, value: object, *lines: str) -> None:
    """Print the result of a command: with --json the value, otherwise the lines for people."""
    if as_json:
        print_json(value)
    else:
        click.echo("\n".join(lines))


def pairs(values: tuple[str, ...], flag: str, *, nameless: bool = False) -> dict[str, str]:
    """Read ``--flag name=value``, given several times.

    With `nameless`, a value without a name is stored under ``all``.
    """
    found: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals and nameless:
            name, rest = "all", value
        if not name or not rest:
            raise click.BadParameter(f"{flag} takes NAME=VALUE, not '{value}'")
        found[name.strip()] = rest.strip()
    return found


PORT, COUNT = click.IntRange(0, 65535), click.IntRange(1)


def refuse_busy_port(host: str, port: int) -> None:
    """Raise an error for an address that cannot be listened on, before anything is printed.

    Port 0 takes a free port.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror or error}"
        raise ConfigError(f"{host}:{port} {reason}; choose another port with --port") from None


def table(rows: list[list[str]], header: list[str]) -> str:
    """Rows as aligned columns in plain text, under headings in the person's language. A cell may have several lines."""
    heads = [own_words(head) for head in header]
    split = [list(zip_longest(*(cell.split("\n") for cell in row), fillvalue="")) for row in [heads, *rows]]
    widths = [max(columns_of(line[i]) for row in split for line in row) for i in range(len(header))]
    lines = [
        "  ".join(cell + " " * (width - columns_of(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        for row in split
        for line in row
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def terminal_progress(as_json: bool) -> Progress:
    """Progress goes to standard error, so that standard output stays clean."""
    from polyclinic.runner.execute.progress import Silent, Ticker

    return Silent() if as_json and not sys.stderr.isatty() else Ticker(sys.stderr)
