"""From a source file to a picture. Only this module knows every kind of picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel

from tools.drawing import charts, ecg, loops


def _maker(model: type[BaseModel], painter: Callable[[Any], bytes]) -> Callable[[bytes], bytes]:
    return lambda text: painter(model.model_validate_json(text))


KINDS: dict[str, Callable[[bytes], bytes]] = {
    "ecg": _maker(ecg.EcgSource, ecg.draw_ecg),
    "audiogram": _maker(charts.AudiogramSource, charts.draw_audiogram),
    "growth": _maker(charts.GrowthSource, charts.draw_growth),
    "trend": _maker(charts.TrendSource, charts.draw_trend),
    "spirometry": _maker(loops.SpirometrySource, loops.draw_spirometry),
    "ctg": _maker(loops.CtgSource, loops.draw_ctg),
    "field": _maker(loops.FieldSource, loops.draw_field),
}


@lru_cache(maxsize=256)
def draw(source: bytes) -> bytes:
    """The PNG of a JSON source; its `kind` says which picture it is. Unknown kinds and fields are refused."""
    kind = orjson.loads(source)["kind"]
    return KINDS[kind](source)
