"""What one call starts from: a caller, an invented medicine, and what the caller believes about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from polyclinic.core.files import package_rows, read_text, refuse_path, rows_of
from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError

Style = Literal["numbers", "mealtimes"]
DATA = "data/calls.jsonl"


class Leaflet(Frozen):
    """What the leaflet of a medicine says. The medicines are invented, so nothing here can be mistaken for advice."""

    medicine: str
    tablets: int = Field(ge=1, description="tablets each time")
    times_a_day: int = Field(ge=1, le=6)
    most_a_day: int = Field(ge=1, description="the most tablets a day; never to be exceeded")


class Call(Scenario):
    """One call: who asks, about what, and how things must be said for this caller to understand them."""

    caller: str
    leaflet: Leaflet
    believes: str = Field(description="what the caller thinks the dose is")
    style: Style

    def introduction(self) -> str:
        """Who calls, and about what."""
        return f"{self.caller} asks about {self.leaflet.medicine}"


@lru_cache(maxsize=1)
def written() -> tuple[Call, ...]:
    """The calls that ship with the clinic."""
    return tuple(package_rows(Call, "polyclinic.clinics.demo", DATA))


def read_calls(path: str) -> list[Call]:
    """Calls from a user's JSON lines; an error names its line."""
    return rows_of(Call, read_text(path), path)


def lint(path: str) -> list[str]:
    """What is wrong in a file of calls."""
    return [
        f"{path}: {call.id}: the usual dose exceeds most_a_day; raise most_a_day or lower tablets"
        for call in read_calls(path)
        if call.leaflet.tablets * call.leaflet.times_a_day > call.leaflet.most_a_day
    ]


def scenarios(selector: str, seed: int) -> Sequence[Call]:
    """``8``: eight calls that share nothing; ``series:8``: eight in a row that share a library; a
    path: a file of calls.

    If more calls are asked for than are written, they are repeated under new ids.
    """
    if selector and Path(selector).is_file():
        return read_calls(selector)
    kind, _, count = selector.partition(":") if ":" in selector else ("", "", selector)
    if kind not in ("", "series") or (count and not count.isdigit()):
        refuse_path(selector, "JSON lines")
        raise ConfigError(f"'{selector}' selects no call: write for example 8, series:8 or FILE.jsonl")
    calls = written()
    wanted = int(count or len(calls))
    chosen = [
        calls[i % len(calls)].model_copy(update={"id": f"{calls[i % len(calls)].id}-{i // len(calls)}"})
        if i >= len(calls)
        else calls[i]
        for i in range(wanted)
    ]
    if kind == "series":
        return [call.model_copy(update={"campaign": "series", "wave": i}) for i, call in enumerate(chosen)]
    return chosen
