"""A run's settings for offline players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from polyclinic.core.message import Frozen
from polyclinic.errors import ConfigError


class Steering(Frozen):
    """A run's settings for offline players: which voice they speak in, and how strongly a line that they understand
    changes their behaviour.
    """

    voice: Literal["first", "second"] = "first"
    learning: float = Field(default=0.8, ge=0, le=1)


def steering(options: Mapping[str, str]) -> Steering:
    """The settings `voice` and `learning` of a run."""
    given = {name: options[name] for name in Steering.model_fields if name in options}
    try:
        return Steering.model_validate(given)
    except ValueError as error:
        raise ConfigError("duty's setting voice must be first or second, and learning a number from 0 to 1") from error
