"""`polyclinic new`: create your own clinic as a copy of the demo clinic, with a test."""

from __future__ import annotations

import keyword
import re
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from polyclinic.cli.options import json_option, print_json
from polyclinic.core.files import bad_file, package_data, package_file, package_path
from polyclinic.errors import ConfigError
from polyclinic.runner.registry import PATH_VARIABLE, TEMPLATE, clinic_modules, load_clinic

TEST = '''"""{name} meets the contract for all clinics, and its episodes end without a failure."""

from __future__ import annotations

import asyncio
{found}
from polyclinic.runner.registry import load_clinic
from polyclinic.testing import check_clinic
from polyclinic.testing.runs import run_once


def test_{name}_keeps_the_contract_of_all_clinics() -> None:
    asyncio.run(check_clinic("{name}"))


def test_every_episode_of_{name}_ends_without_a_failure() -> None:
    results = asyncio.run(run_once(load_clinic("{name}")))
    assert results.episodes and not results.failures()
'''
FOUND = """import os
from pathlib import Path

os.environ.setdefault("{variable}", str(Path(__file__).parent))
"""
"""In a test beside a clinic: how the clinic is found. A clinic in this package is found without it."""


@click.command(name="new", short_help="Create your own clinic from the demo clinic.")
@click.argument("name")
@click.option("--into", default="clinics", show_default=True, help="The folder that will hold the clinic's folder.")
@json_option
def command(name: str, into: str, as_json: bool) -> int:
    """Create your own clinic from the demo clinic.

    NAME must be a Python name in lower case. Then change scenario.py, prompts/, flow.py, understudies.py, judges.py.
    """
    try:
        folder = copy_template(name, Path(into))
        test = write_test(name, folder)
    except OSError as fault:
        raise bad_file(into, f"cannot be written: {fault.strerror or fault}", fix="name a folder with --into") from None
    if as_json:
        print_json({"name": name, "folder": str(folder), "test": str(test)})
    else:
        found = "" if _in_the_tree(folder.parent) else f"  export {PATH_VARIABLE}={folder.parent.resolve()}\n"
        click.echo(
            f"{folder} is ready, and {test} tests it. Try it:\n"
            f"{found}  polyclinic run {name}\n  polyclinic check {name}"
        )
    return 0


def copy_template(name: str, into: Path) -> Path:
    """Copy the template under a new name; refuses names that are taken or cannot be imported."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ConfigError(
            f"'{name}' cannot be a clinic's name: use lower-case letters, digits and _, for example my_clinic"
        )
    if name in clinic_modules():
        raise ConfigError(f"a clinic called '{name}' already exists: choose another name")
    target = into / name
    if target.exists():
        raise ConfigError(f"{target} already exists: choose another name, or another folder with --into")
    package = f"polyclinic.clinics.{name}" if _in_the_tree(into) else name
    _copy(package_file(clinic_modules()[TEMPLATE]), target, package, name)
    return target


def write_test(name: str, folder: Path) -> Path:
    """Write a test beside the clinic's folder.

    For a clinic in this repository, write it where the other clinics' tests are.
    """
    place, found = folder.parent, FOUND.format(variable=PATH_VARIABLE)
    if _in_the_tree(place):
        tests = place.resolve().parents[2] / "tests" / "clinics"
        place, found = tests / name if tests.is_dir() else place, ""
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"test_{name}.py"
    path.write_text(TEST.format(name=name, found=found), encoding="utf-8")
    return path


def _in_the_tree(into: Path) -> bool:
    return into.resolve() == package_path("polyclinic.clinics").resolve()


def _copy(source: Traversable, target: Path, package: str, name: str) -> None:
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                _copy(entry, target / entry.name, package, name)
        else:
            (target / entry.name).write_text(
                renamed(entry.read_text(encoding="utf-8"), package, name), encoding="utf-8"
            )


def renamed(text: str, package: str, name: str) -> str:
    """Turn a file of the template into one of the new clinic: replaces the package, name, titles and headings."""
    source, old, title = clinic_modules()[TEMPLATE], load_clinic(TEMPLATE).title, name.replace("_", " ").capitalize()
    korean = package_data(source, "data/korean.toml")[old]
    text = text.replace(source, package).replace(old, title).replace(f'"{korean}"', f'"{title} 진료소"')
    text = re.sub(rf"\b(The|the) {TEMPLATE} clinic\b", rf"\1 clinic {name}", text)
    text = re.sub(rf"^# {TEMPLATE.capitalize()}\b.*$", f"# {title}", text, flags=re.MULTILINE)
    return re.sub(rf"\b{TEMPLATE}\b", name, text)
