"""Whether a model sees pictures: it gets squares of one colour, made here, and a closed question about each."""

from __future__ import annotations

import struct
import zlib
from typing import Literal

from pydantic import Field

from polyclinic.core.message import Image
from polyclinic.core.model import Completion, Request, Settings
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.runner.audition.scenes import AuditionScene

Colour = Literal["red", "green", "blue", "yellow"]
_PAINT: dict[Colour, tuple[int, int, int]] = {
    "red": (200, 20, 20),
    "green": (20, 150, 40),
    "blue": (30, 60, 200),
    "yellow": (240, 220, 30),
}
_SIDE = 96
_EDGE = 16


class SeenColour(ReplyModel):
    """What is in the picture, then what colour the square has."""

    seen: str = Field(description="what you see, in a few words", json_schema_extra=ASIDE)
    colour: Colour = Field(description="the colour of the square")


class SeesPicture(Prompt[SeenColour]):
    """A white picture with a square in the middle."""

    template = "sees_picture.md"
    words = 15
    picture: Image


def square(colour: Colour) -> Image:
    """A square of this colour on white, as a PNG. Its caption says nothing about the colour."""
    rows = bytearray()
    for y in range(_SIDE):
        rows.append(0)
        for x in range(_SIDE):
            inside = _EDGE <= x < _SIDE - _EDGE and _EDGE <= y < _SIDE - _EDGE
            rows += bytes(_PAINT[colour] if inside else (255, 255, 255))
    header = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)
    return Image.from_bytes(data, caption="A test picture")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def picture_scenes(role: str) -> list[AuditionScene]:
    """One scene for each colour."""
    scenes = []
    for number, colour in enumerate(_PAINT):
        prompt = SeesPicture(picture=square(colour))
        request = Request(role, prompt, tuple(prompt.render()), settings=Settings(seed=number))
        right = SeenColour(seen="a square on white", colour=colour)
        scenes.append(AuditionScene(role, request, Completion(text=right.model_dump_json())))
    return scenes
