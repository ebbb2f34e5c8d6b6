"""How an optional part is installed: by its name from a wheel, from its folder in a clone."""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def install_hint(extra: str) -> str:
    """The command that installs an extra here, into the environment that runs. A clone is not on the package index, so
    it is named by its folder.
    """
    in_clone = (_ROOT / "pyproject.toml").is_file() and (_ROOT / "src" / "polyclinic").is_dir()
    if in_clone:
        return f"{sys.executable} -m pip install -e '{_ROOT}[{extra}]'"
    return f"pip install 'polyclinic[{extra}]'"
