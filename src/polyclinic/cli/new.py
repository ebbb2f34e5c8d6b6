"""`polyclinic new`: a clinic of one's own, begun as a copy of the demo clinic."""

from __future__ import annotations

import keyword
import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from polyclinic.cli.options import json_option, print_json
from polyclinic.errors import ConfigError
from polyclinic.runner.registry import PATH_VARIABLE, clinic_modules

SOURCE = "polyclinic.clinics.demo"


@click.command(name="new", short_help="Start a clinic of your own from the demo clinic.")
@click.argument("name")
@click.option("--into", default="clinics", show_default=True, help="The folder that will hold the clinic's folder.")
@json_option
def command(name: str, into: str, as_json: bool) -> int:
    """Start a clinic of your own from the demo clinic.

    NAME must be a Python name in lower case. Then change scenario.py, prompts/, flow.py, understudies.py, judges.py.
    """
    folder = copy_demo(name, Path(into))
    if as_json:
        print_json({"name": name, "folder": str(folder)})
    else:
        click.echo(
            f"{folder} is ready. Try it:\n  export {PATH_VARIABLE}={folder.parent.resolve()}\n  polyclinic run {name}"
        )
    return 0


def copy_demo(name: str, into: Path) -> Path:
    """Copy the demo clinic under a new name; refuses names that are taken or cannot be imported."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ConfigError(
            f"'{name}' cannot be a clinic's name: use lower-case letters, digits and _, for example my_clinic"
        )
    if name in clinic_modules():
        raise ConfigError(f"there is a clinic called '{name}' already: choose another name")
    target = into / name
    if target.exists():
        raise ConfigError(f"{target} exists already: choose another name, or another folder with --into")
    inside = into.resolve() == Path(str(resources.files("polyclinic.clinics"))).resolve()
    package = f"polyclinic.clinics.{name}" if inside else name
    _copy(resources.files(SOURCE), target, package, name)
    return target


def _copy(source: Traversable, target: Path, package: str, name: str) -> None:
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                _copy(entry, target / entry.name, package, name)
        else:
            text = entry.read_text(encoding="utf-8").replace(SOURCE, package)
            text = text.replace('name="demo"', f'name="{name}"').replace("run demo", f"run {name}")
            (target / entry.name).write_text(text, encoding="utf-8")
