"""How to install an optional part: by the package's name, or from the folder of a clone."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def install_hint(extra: str) -> str:
    """The command that installs an extra into the running environment. A clone is not on the package index, so it is
    installed from its folder.
    """
    in_clone = (_ROOT / "pyproject.toml").is_file() and (_ROOT / "src" / "polyclinic").is_dir()
    package = f"-e '{_ROOT}[{extra}]'" if in_clone else f"'polyclinic[{extra}]'"
    return f"{installer()} {package}"


def installer() -> str:
    """The running environment's pip. An environment that uv made has none, so uv installs into it."""
    if find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    return f"{shlex.quote(sys.executable)} -m pip install"
