"""Check that every clinic's exports have the same bytes before and after a change that must not change results.

    python tools/identity.py > before.txt     # before the change
    python tools/identity.py --against before.txt

Each clinic runs all of its variants on a fixed seed, offline, and prints one digest for each kind of export.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

WHAT = ("episodes", "events", "calls", "scores")
SCENARIOS = {"frontdesk": "primary:16", "patient": "1", "rounds": "1", "duty": "3", "counsel": "2", "demo": "8"}


def polyclinic(*arguments: str) -> None:
    """Run one command of the package that is installed for this Python."""
    done = subprocess.run([sys.executable, "-m", "polyclinic", *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"polyclinic {' '.join(arguments)} failed:\n{done.stderr}")


def digests(clinic: str, folder: Path) -> dict[str, str]:
    """The digest of each export of one run over all variants."""
    store = folder / f"{clinic}.db"
    polyclinic(
        "run",
        clinic,
        "--variant",
        "all",
        "--scenarios",
        SCENARIOS[clinic],
        "--seed",
        "7",
        "--store",
        str(store),
        "--json",
    )
    found = {}
    for what in WHAT:
        out = folder / f"{clinic}.{what}.jsonl"
        polyclinic("export", "last", "--what", what, "-o", str(out), "--store", str(store))
        found[what] = hashlib.sha256(out.read_bytes()).hexdigest()[:24]
    return found


def main() -> int:
    """Print the digests, or compare them with a file of earlier ones; exit status 1 where one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a file printed by an earlier call")
    parser.add_argument("clinics", nargs="*", default=sorted(SCENARIOS))
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for clinic in arguments.clinics:
            for what, digest in digests(clinic, Path(folder)).items():
                lines.append(f"{clinic} {what} {digest}")
                print(lines[-1], flush=True)
    if arguments.against is None:
        return 0
    before = set(arguments.against.read_text(encoding="utf-8").splitlines())
    changed = [line for line in lines if line not in before]
    print(f"changed: {', '.join(line.rpartition(' ')[0] for line in changed)}" if changed else "all the same")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
