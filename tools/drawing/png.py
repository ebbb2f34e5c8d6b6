"""A 16-colour PNG writer whose bytes depend on nothing but the picture.

zlib's output differs between builds (zlib, zlib-ng, other levels), so a shipped file could not be compared byte for
byte. This compressor is small and fixed: DEFLATE with the fixed Huffman code and greedy matches from a table
of the last position of every three bytes. Every PNG reader can read the result.
"""

from __future__ import annotations

import struct
import zlib
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]

_LENGTHS = (
    *((3 + sum(1 << max(0, j // 4 - 1) for j in range(i)), max(0, i // 4 - 1)) for i in range(28)),
    (258, 0),
)  # (first length, extra bits) of the 29 length codes
_DISTANCES = tuple(
    (1 + sum(1 << max(0, j // 2 - 1) for j in range(i)), max(0, i // 2 - 1)) for i in range(30)
)  # (first distance, extra bits) of the 30 distance codes
_MAX_MATCH = 258
_WINDOW = 32768


def _reversed_bits(value: int, width: int) -> int:
    return int(format(value, f"0{width}b")[::-1], 2)


def _literal_code(symbol: int) -> tuple[int, int]:
    """The fixed Huffman code of a literal or length symbol, already in stream (reversed) bit order, and its width."""
    if symbol < 144:
        return _reversed_bits(0x30 + symbol, 8), 8
    if symbol < 256:
        return _reversed_bits(0x190 + symbol - 144, 9), 9
    if symbol < 280:
        return _reversed_bits(symbol - 256, 7), 7
    return _reversed_bits(0xC0 + symbol - 280, 8), 8


_LITERAL = tuple(_literal_code(symbol) for symbol in range(286))
_DISTANCE = tuple(_reversed_bits(code, 5) for code in range(30))


def _length_symbol(length: int) -> int:
    return max(i for i, (first, _) in enumerate(_LENGTHS) if first <= length)


_LENGTH_SYMBOL = tuple(0 if n < 3 else _length_symbol(n) for n in range(_MAX_MATCH + 1))


class _Bits:
    """Writes bits with the least significant one first, as DEFLATE requires."""

    def __init__(self) -> None:
        self.out = bytearray()
        self._held = 0
        self._count = 0

    def put(self, value: int, width: int) -> None:
        self._held |= value << self._count
        self._count += width
        while self._count >= 8:
            self.out.append(self._held & 0xFF)
            self._held >>= 8
            self._count -= 8

    def finish(self) -> bytes:
        if self._count:
            self.out.append(self._held & 0xFF)
        return bytes(self.out)


def _match_length(data: bytes, earlier: int, here: int) -> int:
    limit = min(_MAX_MATCH, len(data) - here)
    n = 0
    while n < limit and data[earlier + n] == data[here + n]:
        n += 1
    return n


def deflate(data: bytes) -> bytes:
    """A raw DEFLATE stream (one fixed-Huffman block) that inflates to `data`."""
    bits = _Bits()
    bits.put(0b011, 3)  # last block, fixed codes
    seen: dict[bytes, int] = {}
    at = 0
    while at < len(data):
        key = data[at : at + 3]
        earlier = seen.get(key, -1)
        seen[key] = at
        length = _match_length(data, earlier, at) if earlier >= 0 and at - earlier <= _WINDOW and len(key) == 3 else 0
        if length < 3:
            bits.put(*_LITERAL[data[at]])
            at += 1
            continue
        symbol = _LENGTH_SYMBOL[length]
        bits.put(*_LITERAL[257 + symbol])
        bits.put(length - _LENGTHS[symbol][0], _LENGTHS[symbol][1])
        distance = at - earlier
        code = max(i for i, (first, _) in enumerate(_DISTANCES) if first <= distance)
        bits.put(_DISTANCE[code], 5)
        bits.put(distance - _DISTANCES[code][0], _DISTANCES[code][1])
        for step in range(at + 1, min(at + length, len(data) - 2)):
            seen[data[step : step + 3]] = step
        at += length
    bits.put(*_LITERAL[256])
    return bits.finish()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(pixels: Pixels, palette: tuple[tuple[int, int, int], ...]) -> bytes:
    """A PNG file: `pixels` holds palette indices below 16, two to a byte, each row filtered against the one above."""
    height, width = pixels.shape
    if width % 2:
        pixels = np.pad(pixels, ((0, 0), (0, 1)))
    packed = (pixels[:, 0::2] << 4) | pixels[:, 1::2]
    above = np.vstack([np.zeros((1, packed.shape[1]), np.uint8), packed[:-1]])
    filtered = np.hstack([np.full((height, 1), 2, np.uint8), packed - above])
    raw = filtered.astype(np.uint8).tobytes()
    stream = b"\x78\x01" + deflate(raw) + struct.pack(">I", zlib.adler32(raw))
    colours = b"".join(bytes(colour) for colour in palette)
    header = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"PLTE", colours)
        + _chunk(b"IDAT", stream)
        + _chunk(b"IEND", b"")
    )
