"""A question to a role outside any episode, with the right answer, for auditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polyclinic.core.prompt import Prompt


@dataclass(frozen=True)
class KnownScene:
    """A prompt, and the right values for fields of its reply. Without such values, only the form of the reply is
    measured. Such a scene is for a role that no rehearsed episode asks. If it is not `auditioned`, it only shows what
    the prompt looks like.
    """

    role: str
    prompt: Prompt[Any]
    right: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    auditioned: bool = True
