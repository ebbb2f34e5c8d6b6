"""The requirements of a standardized patient, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import TypeAdapter

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen

CHUNK_LINES = 8


class Requirement(Frozen):
    """One requirement: its full text and a short form."""

    text: str
    short: str


class Demonstration(Frozen):
    """A question and how a standardized patient answered it."""

    question: str
    answer: str


@lru_cache(maxsize=1)
def requirements() -> tuple[Requirement, ...]:
    """All requirements, in order."""
    raw = data("requirements.yaml")
    return TypeAdapter(tuple[Requirement, ...]).validate_python(raw["lines"])


def requirement_lines() -> tuple[str, ...]:
    """The full texts of the requirements, as prompts show them."""
    return tuple(requirement.text for requirement in requirements())


def chunks(lines: Sequence[str], size: int = CHUNK_LINES) -> list[tuple[str, ...]]:
    """The lines in chunks that are short enough for the attention agent."""
    return [tuple(lines[at : at + size]) for at in range(0, len(lines), size)]


@lru_cache(maxsize=1)
def _demonstrations() -> dict[str, list[object]]:
    return data("demonstrations.yaml")


def written_demonstrations(name: str) -> tuple[Demonstration, ...]:
    """The written examples of a baseline."""
    return TypeAdapter(tuple[Demonstration, ...]).validate_python(_demonstrations()[name])


def principles() -> tuple[str, ...]:
    """The principles of the self-alignment baseline."""
    return tuple(str(line) for line in _demonstrations()["principles"])


@lru_cache(maxsize=1)
def online_dialogues() -> tuple[Demonstration, ...]:
    """Exchanges in the manner of ordinary consultations."""
    raw = data("online_dialogues.yaml")
    return TypeAdapter(tuple[Demonstration, ...]).validate_python(raw["dialogues"])
