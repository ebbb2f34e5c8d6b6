"""Cut a large file into parts, and put parts together again.

    python -m tools.encoder.parts cut network.npz
    python -m tools.encoder.parts join network.npz

The parts of `network.npz` are `network.npz.part1`, `network.npz.part2` and so on. A file that is small enough stays.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

MOST_BYTES = 16 * 2**20


def cut(path: Path, most: int = MOST_BYTES) -> list[Path]:
    """The file itself if it is small enough; otherwise its parts, and the file is gone."""
    content = path.read_bytes()
    if len(content) <= most:
        return [path]
    found: list[Path] = []
    for number, begin in enumerate(range(0, len(content), most), start=1):
        found.append(path.with_name(f"{path.name}.part{number}"))
        found[-1].write_bytes(content[begin : begin + most])
    path.unlink()
    return found


def join(path: Path) -> list[Path]:
    """Write the file from its parts, which stay. Returns them."""
    found: list[Path] = []
    while (part := path.with_name(f"{path.name}.part{len(found) + 1}")).exists():
        found.append(part)
    if not found:
        raise ValueError(f"{path}: there are no parts")
    path.write_bytes(b"".join(part.read_bytes() for part in found))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Cut or join."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("cut", "join"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--most", type=int, default=MOST_BYTES, help="bytes of a part; default: %(default)s")
    given = parser.parse_args(arguments)
    parts = cut(given.path, given.most) if given.command == "cut" else join(given.path)
    print(f"{given.path}: {', '.join(part.name for part in parts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
