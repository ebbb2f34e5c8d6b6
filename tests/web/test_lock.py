"""The lock file of the front end is complete: `npm ci` on any machine installs exactly its packages."""

from __future__ import annotations

import json
from pathlib import Path

FRONTEND = Path(__file__).parents[2] / "frontend"


def test_the_lock_names_every_package_that_a_package_in_it_needs_on_any_machine() -> None:
    """A lock made where packages of some platforms are not available leaves them out, and `npm ci` then refuses it."""
    packages = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    missing = {
        f"{path or 'package.json'}: {name}"
        for path, package in packages.items()
        for kind in ("dependencies", "devDependencies", "optionalDependencies")
        for name in package.get(kind, {})
        if f"node_modules/{name}" not in packages and f"{path}/node_modules/{name}" not in packages
    }
    assert missing == set()
    assert [path for path, package in packages.items() if path and "integrity" not in package] == []


def test_the_lock_has_the_versions_that_the_front_end_names() -> None:
    wanted = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    packages = json.loads((FRONTEND / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
