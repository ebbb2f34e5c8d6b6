"""`polyclinic`: the command group. Commands are imported when they are used, so that help is quick."""

from __future__ import annotations

import asyncio
import errno
import importlib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from time import monotonic

import click

from polyclinic import __version__
from polyclinic.cli.names import COMMANDS
from polyclinic.cli.streams import LogForm, configure, give_up_output, steady_streams
from polyclinic.errors import LimitReached, PolyclinicError, UserError
from polyclinic.text.worded import Worded, worded

STARTED = monotonic()
NOTICE = "Research and training tool. Not a medical device, not for clinical use."
_PLAIN = {
    r"'(.*)' is not a valid integer(?: range)?": "'{1}' is not a whole number",
    r"'(.*)' is not a valid float": "'{1}' is not a number",
    r"(.*) is not in the range (\S+?)<=x<=(\S+)": "{1} is not between {2} and {3}",
    r"(.*) is not in the range x>=(\S+)": "{1} is less than {2}",
    r"(.*) is not in the range x>(\S+)": "{1} is not more than {2}",
    r"Got unexpected extra arguments \((.*)\)": "too many words ({1})",
    r"Got unexpected extra argument \((.*)\)": "one word too many ({1})",
    r"Option '(.*)' requires an argument": "{1} needs a value",
    r"'(.*)' is not one of (.*)": "'{1}' is not one of these: {2}",
}
"""Plain words for what click says."""
_ELSEWHERE = {"--html": "a page is made from a run that is saved: polyclinic report RUN --html FILE"}
"""Options that belong to another command."""
EXIT_FAILED, EXIT_USER, EXIT_LIMIT, EXIT_INTERRUPTED = 1, 2, 3, 130


class LazyGroup(click.Group):
    """Knows its commands by name and short help; imports a command's module only when that command is used."""

    lazy: Mapping[str, tuple[str, str]] = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a user needs them."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, imported now."""
        if cmd_name not in self.lazy:
            return None
        module = importlib.import_module(f"polyclinic.cli.{self.lazy[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table of names, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.lazy.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command as click does. The error for an unknown command suggests similar names."""
        if args and args[0] not in self.lazy and not args[0].startswith("-"):
            from polyclinic.errors import UnknownName

            raise UnknownName("command", args[0], self.lazy)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=NOTICE,
)
@click.version_option(__version__, prog_name="polyclinic")
@click.option("--log", "log", type=click.Choice(["text", "json"]), help="Log events to standard error in this format.")
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", help="With --log."
)
def cli(log: LogForm | None, log_level: str) -> None:
    """Teams of AI agents at work in simulated healthcare.

    Everything works offline: without --cast, every role is played by an understudy, a rule-based baseline.
    Exit codes: 0 done, 1 the run has failures, 2 the input is wrong, 3 stopped by a limit, 130 interrupted.
    """
    configure(log, log_level)


def main() -> None:
    """The entry point of the command line."""
    steady_streams()
    sys.exit(invoke(began=STARTED))


def invoke(words: Sequence[str] | None = None, began: float | None = None) -> int:
    """Run a command line and return its exit code. User errors print one line, without a traceback.

    The context's object says when it began, for commands that promise to be quick.
    """
    try:
        colour = False if os.environ.get("NO_COLOR") else None
        code = cli.main(words, prog_name="polyclinic", standalone_mode=False, color=colour, obj=began)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        code = EXIT_INTERRUPTED
    except click.ClickException as error:
        _say(_usage(error))
        code = EXIT_USER
    except UserError as error:
        _say(worded(error))
        code = EXIT_USER
    except LimitReached as error:
        _say(worded(error))
        code = EXIT_LIMIT
    except PolyclinicError as error:
        _say(f"{type(error).__name__}: {error}")
        code = EXIT_FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        give_up_output()
        code = 0
    except OSError as error:
        give_up_output()
        _say(_about(error))
        code = EXIT_FAILED
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException) -> str:
    """One line that says which word on the command line is wrong, and where to read what belongs there."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    what = _what_is_wrong(error)
    if context is None:
        return what
    form = "{1} See {2} --help" if what.endswith("?") else "{1}; see {2} --help"
    return Worded(form, what, context.command_path)


def _what_is_wrong(error: click.ClickException) -> Worded:
    if isinstance(error, click.NoSuchOption):
        if error.option_name in _ELSEWHERE:
            return Worded("there is no option {1} here; {2}", error.option_name, Worded(_ELSEWHERE[error.option_name]))
        wrong = Worded("there is no option {1}", error.option_name)
        near = tuple(sorted(error.possibilities or ()))
        return Worded("{1}: {2}", wrong, Worded("did you mean {1}?", near)) if near else wrong
    if isinstance(error, click.BadParameter) and error.param is not None:
        param = error.param
        name = max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name
        missing = isinstance(error, click.MissingParameter)
        return Worded("{1} is missing", name) if missing else Worded("{1}: {2}", name, _plainly(error.message))
    return _plainly(error.format_message())


def _plainly(said: str) -> Worded:
    """What click says, in plain words."""
    if isinstance(said, Worded):
        return said
    said = said.rstrip(".").removeprefix("Invalid value: ")
    for pattern, form in _PLAIN.items():
        if found := re.fullmatch(pattern, said):
            return Worded(form, *found.groups())
    return Worded(said)


def _about(error: OSError) -> str:
    """One line that says what the operating system refused, and what to do about it."""
    what = error.strerror or str(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"{what}: lower --concurrency, or allow more with 'ulimit -n'"
    return f"{error.filename}: {what}" if error.filename else f"standard output cannot be written: {what}"


def _say(message: str) -> None:
    from polyclinic.cli.language import own_words

    click.echo(f"polyclinic: {own_words(message)}", err=True)
