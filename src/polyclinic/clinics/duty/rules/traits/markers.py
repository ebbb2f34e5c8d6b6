"""How a trait sounds in words: the sentences that express a level, and the cues by which a level is estimated again."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen


class Marker(Frozen):
    """One level of a dimension: where it lies, a sentence that shows it, and the cues it is known by."""

    value: float
    says: str
    cues: tuple[str, ...]


class Estimate(Frozen):
    """What some words imply about one dimension: the mean over the cues seen, and how many there were."""

    value: float
    seen: int


@lru_cache(maxsize=1)
def markers() -> Mapping[str, tuple[Marker, ...]]:
    """All markers, by dimension, from low to high."""
    plain = package_data("polyclinic.clinics.duty", "data/markers.yaml")
    return {
        dimension: tuple(Marker.model_validate(entry) for entry in sorted(entries, key=lambda entry: entry["value"]))
        for dimension, entries in plain.items()
    }


def express(dimension: str, level: float, rng: random.Random) -> str:
    """A sentence at about this level: one of the two nearest, drawn so that the mean over many is the level itself."""
    scale = markers()[dimension]
    values = [marker.value for marker in scale]
    above = min(bisect_left(values, level), len(scale) - 1)
    below = max(above - 1, 0)
    if above == below or values[above] <= level:
        return scale[above].says
    share = (level - values[below]) / (values[above] - values[below])
    return scale[above if rng.random() < share else below].says


def estimate(texts: Iterable[str], dimensions: Sequence[str]) -> dict[str, Estimate]:
    """The traits that some messages imply. A dimension without any cue is left out: silence says nothing."""
    joined = "\n".join(texts).lower()
    found: dict[str, Estimate] = {}
    for dimension in dimensions:
        seen = [
            (marker.value, count)
            for marker in markers().get(dimension, ())
            for count in [sum(joined.count(cue) for cue in marker.cues)]
            if count
        ]
        total = sum(count for _, count in seen)
        if total:
            found[dimension] = Estimate(value=sum(value * count for value, count in seen) / total, seen=total)
    return found


def alignment(text: str, target: Mapping[str, float]) -> float:
    """How well one message agrees with the target traits: 1 is wholly, 0 the opposite; no marker at all is 0.5."""
    found = estimate([text], list(target))
    if not found:
        return 0.5
    return 1 - sum(abs(found[name].value - target[name]) for name in found) / len(found)
