"""How to install what is optional: an extra by the package's name or from the folder of a clone, or another package."""

from __future__ import annotations

import shlex
import shutil
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
    """The running environment's pip. An environment that uv made has none, so uv installs into it: the one on the path,
    or the one that `make` put into the clone.
    """
    if find_spec("pip") is not None:
        return f"{shlex.quote(sys.executable)} -m pip install"
    own = _ROOT / ".uv" / "bin" / "uv"
    uv = shlex.quote(str(own)) if shutil.which("uv") is None and own.is_file() else "uv"
    return f"{uv} pip install --python {shlex.quote(sys.executable)}"
