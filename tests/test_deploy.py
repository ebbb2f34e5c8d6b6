"""The files in `deploy/`: the files, commands, options and extras in them exist; servers listen on loopback only."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from polyclinic.cli import serve, web
from polyclinic.cli.main import cli
from tools import try_container

ROOT = Path(__file__).parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text()
RAY: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "ray-cluster.yaml").read_text())


def extras() -> set[str]:
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])


def parsed(words: list[str]) -> click.Command:
    """Parse these words as a command with its options, without running it."""
    command: click.Command = cli
    context = cli.make_context("polyclinic", list(words), resilient_parsing=False)
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None
        command, context = found, found.make_context(name or "", rest, parent=context)
    return command


def command(service: str) -> list[str]:
    """A service's command; the path of the user's clients is replaced by the example's clients."""
    clients = str(ROOT / "deploy" / "example-clients.json")
    return [
        clients if word.endswith("/clients.json") else str(word) for word in COMPOSE["services"][service]["command"]
    ]


@pytest.mark.parametrize(("service", "name"), [("fhir", "serve"), ("sessions", "serve"), ("web", "web")])
def test_a_service_starts_a_command_that_exists_with_these_options(service: str, name: str) -> None:
    assert parsed(command(service)).name == name


@pytest.mark.parametrize("service", ["fhir", "sessions", "web"])
def test_a_service_comes_up_with_its_command_and_answers(service: str, tmp_path: Path) -> None:
    words = [str(tmp_path / "cases") if word == "/data/cases" else word for word in command(service)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words[words.index("--port") + 1] = str(port)
    store = str(tmp_path / "store.db")
    environment = {**os.environ, "POLYCLINIC_STORE": store, "POLYCLINIC_TOKEN": "t" * 32}
    base = [sys.executable, "-c", "from polyclinic.cli.main import main; main()"]
    if service == "web":
        added = [*base, "staff", "add", "ada", "--role", "administrator"]
        subprocess.run(added, env=environment, check=True, capture_output=True, input=b"a long password 1\n" * 2)
    with subprocess.Popen([*base, *words], env=environment, stderr=subprocess.PIPE, cwd=tmp_path) as server:
        try:
            assert answers(port, server), server.stderr and server.stderr.read().decode()
        finally:
            server.terminate()


def answers(port: int, server: subprocess.Popen[bytes]) -> bool:
    """Whether a server answers there before it ends or a minute has passed."""
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        time.sleep(0.2)
    return False


def test_services_listen_on_loopback_and_have_no_secret_in_the_file() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert ports and all(port.startswith("127.0.0.1:") for port in ports)
    example = (ROOT / "deploy" / "example.env").read_text()
    assert all(not line.partition("=")[2] for line in example.splitlines() if not line.startswith("#"))


def test_our_services_have_only_the_rights_that_they_need() -> None:
    for name, service in COMPOSE["services"].items():
        if name != "postgres":
            assert service["read_only"] and service["cap_drop"] == ["ALL"], name
    assert re.search(r"^USER polyclinic$", CONTAINER, re.MULTILINE)


def test_copied_files_and_installed_extras_exist() -> None:
    for line in re.findall(r"^COPY (.*)$", CONTAINER, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    texts = [CONTAINER, *RAY["setup_commands"]]
    named = {extra for text in texts for group in re.findall(r"\[([a-z,]+)\]", text) for extra in group.split(",")}
    assert named and named <= extras()


def compose_tool() -> list[str]:
    """The first installed compose tool that knows profiles, or nothing. Reading a file needs no server."""
    for tool in (["podman-compose"], ["docker", "compose"]):
        if shutil.which(tool[0]):
            said = subprocess.run([*tool, "--help"], capture_output=True, text=True, check=False)
            if "--profile" in said.stdout:
                return tool
    return []


def test_the_compose_file_is_read_by_a_compose_tool(tmp_path: Path) -> None:
    tool = compose_tool()
    if not tool:
        pytest.skip("no compose tool here: install podman-compose, or docker with its compose plugin")
    values = {"POSTGRES_PASSWORD": "p" * 16, "POLYCLINIC_TOKEN": "t" * 32}
    file = tmp_path / "env"
    file.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    command = [*tool, "-f", str(ROOT / "deploy" / "compose.yaml"), "--env-file", str(file), "--profile", "tools"]
    done = subprocess.run([*command, "config"], capture_output=True, text=True, check=True)
    found = yaml.safe_load(done.stdout)["services"]
    assert set(found) == set(COMPOSE["services"])
    for name in ("fhir", "sessions", "web", "cli"):
        assert f":{values['POSTGRES_PASSWORD']}@postgres" in str(found[name]["environment"]), name
    assert found["sessions"]["environment"][serve.TOKEN] == found["web"]["environment"][web.TOKEN] == "t" * 32


@pytest.mark.slow
def test_the_image_is_built_and_its_servers_answer() -> None:
    """Set POLYCLINIC_BUILD to options for the engine's `build`, such as a mirror of the base image."""
    if not try_container.found_engine():
        pytest.skip("no container engine here: install podman or docker")
    assert try_container.main(shlex.split(os.environ.get("POLYCLINIC_BUILD", ""))) == 0
