"""Read an endpoint's bytes with limits: before and after decompression, for each line of a stream, and for errors.

aiohttp would decompress everything that arrives. A megabyte of compressed zeros is a gigabyte, so we decompress
ourselves, step by step.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

import orjson

from polyclinic.models.arriving import Reading
from polyclinic.models.failure import AttemptFailed
from polyclinic.models.guard import Deadline

if TYPE_CHECKING:
    import aiohttp

MOST_BYTES = 24 * 1024 * 1024
_LEAST_BYTES = 4 * 1024 * 1024
_BYTES_A_CHAR = 16
_LONGEST_LINE = 1024 * 1024
_LONGEST_ERROR = 64 * 1024
_PIECE = 64 * 1024
_END_S = 0.05


async def read_whole(response: aiohttp.ClientResponse, reading: Reading, deadline: Deadline) -> None:
    """Read an answer that comes in one piece."""
    raw = bytearray()
    async for chunk in unpacked(response, most_bytes(reading)):
        deadline.heard()
        raw += chunk
    try:
        payload = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise AttemptFailed("the answer is not complete JSON", "truncated") from None
    reading.take(payload, raw)
    reading.enough(ended=True)
    if not isinstance(payload.get("choices"), list) or not payload["choices"]:
        raise AttemptFailed("the answer has no choices", "truncated")


async def read_stream(response: aiohttp.ClientResponse, reading: Reading, deadline: Deadline) -> None:
    """Read server-sent events until [DONE]. If a stream ends before its reply does, it was cut off.

    If a reply only repeats itself, the connection is closed at once, which stops the server's work too.
    """
    kept = bytearray()
    async with aclosing(unpacked(response, most_bytes(reading))) as chunks:
        async for chunk in chunks:
            deadline.heard()
            kept += chunk
            *lines, rest = kept.split(b"\n")
            kept = rest
            if len(kept) > _LONGEST_LINE:
                raise AttemptFailed("the stream has a line that never ends", "truncated")
            for line in lines:
                if _event(line, reading):
                    reading.enough(ended=True)
                    await _wait_for_end(response)
                    return
            if reading.enough():
                response.close()
                return
    if not reading.finish:
        raise AttemptFailed("the stream ended before the reply did", "truncated")


async def _wait_for_end(response: aiohttp.ClientResponse) -> None:
    """Wait briefly for the end of the body, which many servers send just after [DONE]. Without it, the connection could
    not be used again, and each call would open a new one. The reply is complete, so no error here matters.
    """
    import aiohttp

    if not response.content.is_eof():
        with suppress(TimeoutError, aiohttp.ClientError, ConnectionError):
            async with asyncio.timeout(_END_S):
                await response.content.readany()


def _event(line: bytes | bytearray, reading: Reading) -> bool:
    """Read one line of a stream. Returns whether it was the last."""
    if not line.startswith(b"data:"):
        return False
    data = line[5:].strip()
    if data == b"[DONE]":
        return True
    if data:
        try:
            payload = orjson.loads(data)
        except orjson.JSONDecodeError:
            raise AttemptFailed("the stream has invalid JSON", "truncated") from None
        reading.take(payload, data)
    return False


async def read_error(response: aiohttp.ClientResponse) -> bytes:
    """The beginning of an error's text."""
    raw = bytearray()
    with suppress(AttemptFailed):
        async with aclosing(unpacked(response)) as chunks:
            async for chunk in chunks:
                raw += chunk
                if len(raw) > _LONGEST_ERROR:
                    break
    return bytes(raw[:_LONGEST_ERROR])


def most_bytes(reading: Reading) -> int:
    """The most bytes that are read of an answer. A short reply gets fewer: its JSON, with all escapes and the frame of
    each event, is never so long, and what is read takes much more memory and time once it is parsed.
    """
    return min(MOST_BYTES, _LEAST_BYTES + _BYTES_A_CHAR * reading.most_chars)


async def unpacked(response: aiohttp.ClientResponse, most: int = MOST_BYTES) -> AsyncGenerator[bytes, None]:
    """The body, decompressed if necessary, and never more than `most` bytes of it, compressed or not."""
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    packed = plain = 0
    unpack = None
    if coding in ("gzip", "x-gzip", "deflate"):
        unpack = zlib.decompressobj(wbits=47 if coding != "deflate" else zlib.MAX_WBITS)
    elif coding not in ("", "identity"):
        raise AttemptFailed(f"the answer is compressed as '{coding}', which was not requested", "truncated")
    async for chunk in response.content.iter_any():
        packed += len(chunk)
        _bounded(packed, most)
        if unpack is None:
            yield chunk
            continue
        rest = chunk
        while rest:
            try:
                piece = unpack.decompress(rest, _PIECE)
            except zlib.error:
                raise AttemptFailed("the compressed answer is damaged", "truncated") from None
            plain += len(piece)
            _bounded(plain, most)
            if piece:
                yield piece
            rest = unpack.unconsumed_tail


def _bounded(size: int, most: int) -> None:
    if size > most:
        raise AttemptFailed(f"the answer is larger than {most // 1024 // 1024} MiB; the rest was not read", "truncated")
