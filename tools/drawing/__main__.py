"""Draw the picture of every JSON source in a folder, or report which pictures differ from their sources.

    python -m tools.drawing [FOLDER]            # writes NAME.png beside each NAME.json
    python -m tools.drawing [FOLDER] --check    # writes nothing; exit status 1 where a picture differs

Without a folder: the pictures that ship with the clinic `rounds`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from polyclinic.clinics.rounds.scenario.shipped import data_folder
from tools.drawing import draw


def outdated(folder: Path) -> dict[Path, bytes]:
    """Every picture that is missing or differs from its source, with the bytes it should have."""
    drawn = {source.with_suffix(".png"): draw(source.read_bytes()) for source in sorted(folder.glob("*.json"))}
    return {path: content for path, content in drawn.items() if not path.is_file() or path.read_bytes() != content}


def main(arguments: list[str] | None = None) -> int:
    """Draw or check one folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(str(data_folder().joinpath("images"))))
    parser.add_argument("--check", action="store_true", help="write nothing; name the pictures that differ")
    given = parser.parse_args(arguments)
    found = outdated(given.folder)
    for path, content in found.items():
        print(f"{path}: differs from its source" if given.check else f"{path}: drawn")
        if not given.check:
            path.write_bytes(content)
    return 1 if given.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
