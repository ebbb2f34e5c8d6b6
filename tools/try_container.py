"""Build the container image from `deploy/Containerfile` and use it, with no more rights than the compose file gives.

    python tools/try_container.py [--engine podman] [--base IMAGE] [options for the engine's `build` …]

It checks that the image builds and runs as its own user on a read-only root, and that a run works in it. Each server of
`deploy/compose.yaml` must start with its own command, answer, and end by itself when it is stopped. Without a container
engine nothing is tried, and the exit status is 2.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
IMAGE = "polyclinic:try"
ENGINES = ("podman", "docker")
CLIENTS = ROOT / "deploy" / "example-clients.json"
ANSWERS = {"fhir": ("/metadata", 200), "sessions": ("/metrics", 401), "web": ("/", 200)}
"""For each server: a path to request without a login, and the expected status."""
USES = (
    ("run", "demo", "--scenarios", "4"),
    ("run", "frontdesk", "--scenarios", "primary:2"),
    ("export", "last", "--what", "scores", "-o", "/data/scores.parquet"),
)
PATIENCE_S = 90.0


def main(arguments: list[str] | None = None) -> int:
    """Build and use the image; exit with an explanation if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=found_engine(), help="podman or docker; by default the first one found")
    parser.add_argument("--base", help="a base image, instead of the one in the container file")
    asked, build = parser.parse_known_args(arguments)
    if not asked.engine:
        print("no container engine here: install podman or docker")
        return 2
    base = ["--build-arg", f"BASE={asked.base}"] if asked.base else []
    trial = Trial(asked.engine)
    trial.said("build", "-f", "deploy/Containerfile", "-t", IMAGE, *base, *build, ".")
    print(f"built: {IMAGE}", flush=True)
    trial.use()
    return 0


def found_engine() -> str:
    """The first engine on the path that can list images; a docker without its server cannot."""
    for engine in ENGINES:
        if shutil.which(engine) and not subprocess.run([engine, "images"], capture_output=True, check=False).returncode:
            return engine
    return ""


class Trial:
    """Use the image: one volume for all its containers, which are removed afterwards."""

    def __init__(self, engine: str) -> None:
        self._engine, self._volume = engine, f"polyclinic-try-{time.time_ns()}"
        self._compose: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]

    def said(self, *words: str, given: str = "") -> str:
        """The output of a command of the engine; a failed command ends the trial."""
        command = [self._engine, *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input=given, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def use(self) -> None:
        """The first steps of an operator."""
        try:
            user = self.once("-c", "id -u; touch /opt/x 2>&1 || true", entry="sh")
            if "10001" not in user or "Read-only file system" not in user:
                raise SystemExit(f"the image does not run as its own user on a read-only root: {user}")
            for use in USES:
                self.once(*use)
                print(f"works: polyclinic {' '.join(use)}", flush=True)
            self.once("staff", "add", "ada", "--role", "administrator", given="a long password 1\n" * 2)
            for service in ANSWERS:
                self.serve(service)
        finally:
            subprocess.run([self._engine, "volume", "rm", "-f", self._volume], capture_output=True, check=False)

    def rights(self) -> list[str]:
        """The options that the compose file gives its services, as options of `run`."""
        shared = self._compose["web"]
        listed = [f"--tmpfs={path}" for path in shared["tmpfs"]] + [f"--cap-drop={name}" for name in shared["cap_drop"]]
        safe = [f"--security-opt={option.replace(':true', '')}" for option in shared["security_opt"]]
        store = ["-e", "POLYCLINIC_STORE=/data/store.db", "-e", f"POLYCLINIC_TOKEN={'t' * 32}"]
        return ["--read-only", *listed, *safe, *store, "-v", f"{self._volume}:/data"]

    def once(self, *words: str, entry: str = "", given: str = "") -> str:
        """Run one command in a separate container."""
        instead = ["--entrypoint", entry] if entry else []
        return self.said("run", "--rm", "-i", *self.rights(), *instead, IMAGE, *words, given=given)

    def serve(self, service: str) -> None:
        """Start a service of the compose file, wait for its answer and stop it. It must stop without being killed."""
        words = [str(word) for word in self._compose[service]["command"]]
        port = words[words.index("--port") + 1]
        clients = ["-v", f"{CLIENTS}:/etc/polyclinic/clients.json:ro"] if service == "fhir" else []
        options = [*self.rights(), *clients, "-p", f"127.0.0.1::{port}"]
        name = self.said("run", "-d", *options, IMAGE, *words).split()[-1]
        try:
            path, status = ANSWERS[service]
            address = self.said("port", name, port).split()[0]
            if answer(f"http://{address}{path}") != status:
                raise SystemExit(f"{service} does not answer {path} with {status}:\n{self.said('logs', name)}")
            began = time.monotonic()
            self.said("stop", "-t", "30", name)
            if time.monotonic() - began > 20:
                raise SystemExit(f"{service} had to be killed")
            print(f"works: {service} answers {path} with {status}, and ends when it is stopped", flush=True)
        finally:
            subprocess.run([self._engine, "rm", "-f", name], capture_output=True, check=False)


def answer(url: str) -> int:
    """The status of the first answer; 0 if there is none."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with suppress(OSError):
            try:
                with urllib.request.urlopen(url, timeout=20) as found:
                    return int(found.status)
            except urllib.error.HTTPError as refused:
                return refused.code
        time.sleep(0.3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
