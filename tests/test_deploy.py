"""The files in `deploy/`: they name files, commands, options and extras that exist, and nothing but loopback."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from polyclinic.cli.main import cli

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text()
RAY: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "ray-cluster.yaml").read_text())


def extras() -> set[str]:
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])


def parsed(words: list[str]) -> click.Command:
    """The command that these words are for, with its options read and nothing run."""
    command: click.Command = cli
    context = cli.make_context("polyclinic", list(words), resilient_parsing=False)
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None
        command, context = found, found.make_context(name or "", rest, parent=context)
    return command


@pytest.mark.parametrize("service", ["fhir", "sessions"])
def test_a_service_starts_a_command_that_exists_with_these_options(service: str) -> None:
    assert parsed([str(word) for word in COMPOSE["services"][service]["command"]]).name == "serve"


def test_services_listen_on_loopback_and_have_no_secret_in_the_file() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert ports and all(port.startswith("127.0.0.1:") for port in ports)
    example = (ROOT / "deploy" / "example.env").read_text()
    assert all(not line.partition("=")[2] for line in example.splitlines() if not line.startswith("#"))


def test_ours_have_no_rights_that_they_do_not_need() -> None:
    for name, service in COMPOSE["services"].items():
        if name != "postgres":
            assert service["read_only"] and service["cap_drop"] == ["ALL"], name
    assert re.search(r"^USER polyclinic$", CONTAINER, re.MULTILINE)


def test_what_is_copied_and_installed_exists() -> None:
    for line in re.findall(r"^COPY (.*)$", CONTAINER, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    texts = [CONTAINER, *RAY["setup_commands"]]
    named = {extra for text in texts for group in re.findall(r"\[([a-z,]+)\]", text) for extra in group.split(",")}
    assert named and named <= extras()
