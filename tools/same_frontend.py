"""Build the browser's pages again and compare every byte with what is committed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMITTED = ROOT / "src" / "polyclinic" / "web" / "static"


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def main() -> int:
    """Return 0 if the build gives the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npx", "vite", "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "warn"]
        subprocess.run(command, cwd=ROOT / "frontend", check=True)
        built, kept = tree(Path(folder)), tree(COMMITTED)
    other = sorted(name for name in {*built, *kept} if built.get(name) != kept.get(name))
    for name in other:
        print(f"{name}: {'not committed' if name not in kept else 'not built' if name not in built else 'other bytes'}")
    print(f"{len(built)} files built again: {'the same bytes' if not other else 'run make frontend and commit'}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
