"""Install a wheel into an empty environment and use it there, outside the source tree.

    python tools/try_wheel.py dist/polyclinic-*.whl

It checks that the wheel contains every clinic with its data, that a run works offline, and that report and export are
written.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

USES = (
    ("clinics",),
    ("run", "demo", "--scenarios", "4", "--store", "store.db"),
    ("report", "last", "--html", "report.html", "--store", "store.db"),
    ("export", "last", "--what", "scores", "-o", "scores.parquet", "--store", "store.db"),
    ("run", "duty", "--scenarios", "1", "--store", "store.db"),
    ("run", "frontdesk", "--scenarios", "primary:4", "--store", "store.db"),
    ("scenarios", "list", "rounds"),
)


def main(arguments: list[str] | None = None) -> int:
    """Install and use the wheel; exit status 1 with the reason if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    wheel: Path = parser.parse_args(arguments).wheel.resolve()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "env", with_pip=True)
        python = home / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        _run(home, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        for use in USES:
            _run(home, python, "-m", "polyclinic", *use)
            print(f"works: polyclinic {' '.join(use)}", flush=True)
        for made in ("report.html", "scores.parquet"):
            if not (home / made).stat().st_size:
                raise SystemExit(f"{made} is empty")
    return 0


def _run(folder: Path, *command: str | Path) -> None:
    """Run one command in that folder, with nothing of the caller's Python in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "POLYCLINIC_"))}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
