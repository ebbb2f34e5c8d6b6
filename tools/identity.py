"""Check that every clinic's exports have the same bytes before and after a change that must not change results.

    python tools/identity.py > before.txt     # before the change
    python tools/identity.py --against before.txt

Each clinic runs all of its variants on a fixed seed, offline, and prints one digest for each kind of export. Events
hold notes and payloads. Three things that a store keeps but no export shows have their own digests: the plan of the
run, effects (without the order of commits, which differs from run to run), and messages to people.
``PYTHONPATH=OTHER/src`` runs the code of another checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

WHAT = ("episodes", "events", "calls", "scores")
KEPT = {
    "plan": "SELECT clinic, config, players, (SELECT group_concat(id || unit || campaign || position || wave, ';') "
    "FROM (SELECT * FROM episodes ORDER BY number)) FROM runs",
    "effects": "SELECT episode, number, body FROM effects ORDER BY episode, number",
    "posts": "SELECT episode, queue, key, body FROM posts ORDER BY episode, queue, key",
}
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
        found[what] = digest(out.read_bytes())
    with closing(sqlite3.connect(store)) as rows:
        found |= {what: digest(repr(rows.execute(query).fetchall()).encode()) for what, query in KEPT.items()}
    return found


def digest(data: bytes) -> str:
    """A short name of these bytes; other bytes have another one."""
    return hashlib.sha256(data).hexdigest()[:24]


def main() -> int:
    """Print the digests, or compare them with a file of earlier ones; exit status 1 where one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a file printed by an earlier call")
    parser.add_argument("clinics", nargs="*", default=sorted(SCENARIOS))
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for clinic in arguments.clinics:
            for what, found in digests(clinic, Path(folder)).items():
                lines.append(f"{clinic} {what} {found}")
                print(lines[-1], flush=True)
    if arguments.against is None:
        return 0
    before = set(arguments.against.read_text(encoding="utf-8").splitlines())
    changed = [line for line in lines if line not in before]
    print(f"changed: {', '.join(line.rpartition(' ')[0] for line in changed)}" if changed else "all the same")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
