"""`polyclinic train NAME` for the weights that a clinic ships: each entry of `Clinic.trainings` is a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import click

from polyclinic.cli.options import Group, NewFile, json_option, print_json
from polyclinic.core.dataset import TrainedWeights
from polyclinic.core.value import plain
from polyclinic.errors import ConfigError

Train = Callable[[Path | None], TrainedWeights]


class TrainGroup(Group):
    """A command group: its own commands, and the trainings of all clinics. Clinics are loaded only when they are
    needed.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted({*self.commands, *trainings()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of this group, or a training of a clinic."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        train = trainings().get(cmd_name)
        return None if train is None else _command(cmd_name, train)


def trainings() -> dict[str, Train]:
    """Every clinic's trainings by name."""
    from polyclinic.runner.registry import clinic_modules, load_clinic

    found: dict[str, tuple[str, Train]] = {}
    for clinic in map(load_clinic, clinic_modules()):
        for name, train in clinic.trainings.items():
            if name in found:
                raise ConfigError(f"{found[name][0]} and {clinic.name} both have a training '{name}': rename one")
            found[name] = (clinic.name, train)
    return {name: train for name, (_, train) in found.items()}


def _command(name: str, train: Train) -> click.Command:
    """A training as a command. Its docstring is the help."""

    @click.command(name=name, help=inspect.getdoc(train))
    @click.option(
        "--out",
        type=NewFile(".npz"),
        default="",
        metavar="FILE",
        help="Where the weights go.  [default: into the package]",
    )
    @json_option
    def command(out: str, as_json: bool) -> int:
        found = train(Path(out) if out else None)
        if as_json:
            print_json(plain(found))
            return 0
        click.echo(f"{found.lines} lines; weights in {found.weights} ({found.bytes} bytes)")
        for lang, shares in found.left_out.items():
            click.echo(f"{lang}: " + ", ".join(f"{name} {share:.3f}" for name, share in shares.items()))
        return 0

    return command
