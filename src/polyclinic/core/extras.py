"""How to install an optional part: by the package's name, or from the folder of a clone."""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def install_hint(extra: str) -> str:
    """The command that installs an extra into the running environment. A clone is not on the package index, so it is
    installed from its folder.
    """
    in_clone = (_ROOT / "pyproject.toml").is_file() and (_ROOT / "src" / "polyclinic").is_dir()
    if in_clone:
        return f"{sys.executable} -m pip install -e '{_ROOT}[{extra}]'"
    return f"pip install 'polyclinic[{extra}]'"
