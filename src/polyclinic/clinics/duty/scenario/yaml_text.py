"""Reading YAML quickly: the C parser where the installed PyYAML has one, the same rules either way."""

from __future__ import annotations

from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:
    """The plain values of a YAML text."""
    return yaml.load(text, Loader=_LOADER)


def compose_yaml(text: str) -> yaml.Node | None:
    """The nodes of a YAML text, which know their lines; None for an empty one."""
    node: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
    return node
