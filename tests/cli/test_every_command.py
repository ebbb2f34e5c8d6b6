from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from polyclinic.cli.main import cli

ENDLESS = {"web", "serve"}


def leaves(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from leaves(below, f"{path} {name}")
    else:
        yield path, command


COMMANDS = dict(leaves(cli, "polyclinic"))


@pytest.mark.parametrize("path", list(COMMANDS))
def test_every_command_and_option_has_a_help_text_and_commands_print_json(path: str) -> None:
    command = COMMANDS[path]
    assert command.help
    if path.rpartition(" ")[2] not in ENDLESS:
        assert any("--json" in option.opts for option in command.params), f"{path} has no --json"
    unexplained = [
        option.opts[-1]
        for option in command.params
        if isinstance(option, click.Option) and not option.help and not option.show_default
    ]
    assert not unexplained, f"{path}: no help for {', '.join(unexplained)}"


SELECTING = [path for path, command in COMMANDS.items() if any("--scenarios" in each.opts for each in command.params)]


def test_a_second_selection_of_scenarios_is_refused_by_every_command() -> None:
    assert len(SELECTING) > 5
    for path in SELECTING:
        with pytest.raises(click.UsageError, match=r"--scenarios was given 2 times \(4, 5\)"):
            COMMANDS[path].make_context(path, ["--scenarios", "4", "--scenarios", "5"])
