"""Which episodes of a run contain which words, so that a search does not read every transcript.

A run is indexed in parts, when somebody first opens it; a part is indexed again after it has changed. Nothing is
written while episodes run. A row says which episodes of its part contain a word. Transcripts remain the source: the
rows can be deleted at any time, and without them a search reads the transcripts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from polyclinic.core.database import Database, Transaction
from polyclinic.text.words import words

PART = 2_048
"""The number of episodes in one part of the index."""
AT_ONCE = 128
LONGEST = 64
"""Only this many characters of a longer word are indexed: an index key has a maximum size."""
_LISTED = 64
_NO_TEXT = frozenset(("seq", "kind", "key"))


class EpisodeWords:
    """The word index of a store's episodes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._filling = asyncio.Lock()
        self._whole: dict[str, Hashable] = {}

    async def having(self, run: str, wanted: Sequence[str], state: Hashable) -> dict[int, int]:
        """The episodes that contain all these words, each as a whole word or inside one.

        Returns a bit mask for each part, with a bit for each episode. A part that is not indexed yet is searched in its
        transcripts. `state` changes whenever episodes have ended.
        """
        stale: Mapping[int, str] = {}
        if self._whole.get(run) != state:
            stale = await self._database.read(partial(_stale, run=run))
            if not stale:
                self._whole[run] = state
        found: dict[int, int] = {}
        for place, word in enumerate(dict.fromkeys(wanted)):
            here = await self._database.read(partial(_bits, run=run, word=word[:LONGEST]))
            found = here if place == 0 else {part: found[part] & bits for part, bits in here.items() if part in found}
        for part in stale:
            found[part] = await self._database.read(partial(_scanned, run=run, part=part, wanted=wanted))
        return found

    async def fill(self, run: str, *, ended: bool = True) -> int:
        """Index the new and changed parts; of a run that is still running, only the full ones. Returns how many."""
        async with self._filling:
            stale = await self._database.read(partial(_stale, run=run))
            ready = {part: stamp for part, stamp in stale.items() if ended or stamp.startswith(f"{PART}.")}
            for part, stamp in ready.items():
                await self._index(run, part, stamp)
        return len(ready)

    async def _index(self, run: str, part: int, stamp: str) -> None:
        texts: dict[str, int] = {}
        for first in range(part * PART, (part + 1) * PART, AT_ONCE):
            rows = await self._database.read(partial(_transcripts, run=run, first=first))
            await asyncio.to_thread(_collect, rows, texts)
        rows = await asyncio.to_thread(_rows, texts)
        await self._database.write(partial(_put, run=run, part=part, stamp=stamp, rows=rows))


def _stale(tx: Transaction, run: str) -> dict[int, str]:
    """The parts whose index is out of date, each with its present stamp."""
    found = tx.execute(
        f"SELECT number / {PART}, COUNT(*), SUM(attempt) FROM episode_facts WHERE run = ? GROUP BY 1 ORDER BY 1", (run,)
    )
    known = dict(tx.execute("SELECT part, stamp FROM episode_word_parts WHERE run = ?", (run,)))
    stamps = {int(part): f"{int(count)}.{int(attempts)}" for part, count, attempts in found}
    return {part: stamp for part, stamp in stamps.items() if known.get(part) != stamp}


def _transcripts(tx: Transaction, run: str, first: int) -> list[tuple[Any, ...]]:
    return tx.execute(
        "SELECT f.number, e.transcript FROM episode_facts f JOIN episodes e ON e.run = f.run AND e.id = f.id "
        "WHERE f.run = ? AND f.number >= ? AND f.number < ?",
        (run, first, first + AT_ONCE),
    )


def _collect(rows: Sequence[Sequence[Any]], texts: dict[str, int]) -> None:
    """Note for each text which episodes contain it.

    So a text that many episodes share is split into words only once.
    """
    for number, transcript in rows:
        bit = 1 << int(number) % PART
        mine: set[str] = set()
        for event in orjson.loads(transcript):
            values = [value for name, value in event.items() if name not in _NO_TEXT]
            for value in values:  # the list grows while it is processed: items of lists and objects are added
                if isinstance(value, str):
                    mine.add(value)
                elif isinstance(value, dict):
                    values.extend(value.values())
                elif isinstance(value, list):
                    values.extend(value)
        for text in mine:
            texts[text] = texts.get(text, 0) | bit


def _rows(texts: dict[str, int]) -> list[tuple[str, str]]:
    bits: dict[str, int] = {}
    for text, where in texts.items():
        for word in {word[:LONGEST] for word in words(text)}:
            bits[word] = bits.get(word, 0) | where
    return [(word, _written(where)) for word, where in sorted(bits.items())]


def _put(tx: Transaction, run: str, part: int, stamp: str, rows: Sequence[tuple[str, str]]) -> None:
    for table in ("episode_words", "episode_word_parts"):
        tx.execute(f"DELETE FROM {table} WHERE run = ? AND part = ?", (run, part))
    tx.executemany(
        "INSERT INTO episode_words (run, word, part, episodes) VALUES (?, ?, ?, ?)",
        [(run, word, part, where) for word, where in rows],
    )
    tx.execute("INSERT INTO episode_word_parts (run, part, stamp) VALUES (?, ?, ?)", (run, part, stamp))


def _bits(tx: Transaction, run: str, word: str) -> dict[int, int]:
    """For each part, the episodes that have a word which contains this text, as bits.

    A single letter is in nearly every word, so a word must begin with it.
    """
    pattern = ("%" if len(word) > 1 else "") + as_pattern(word) + "%"
    found: dict[int, int] = {}
    for part, where in tx.execute(
        "SELECT part, episodes FROM episode_words WHERE run = ? AND word LIKE ? ESCAPE '!'", (run, pattern)
    ):
        found[part] = found.get(part, 0) | _read(where)
    return found


def _scanned(tx: Transaction, run: str, part: int, wanted: Sequence[str]) -> int:
    """The episodes of a part that contain all these words, as bits. Searches transcripts: the part is not indexed."""
    like = "LIKE" if tx.dialect == "sqlite" else "ILIKE"  # SQLite's LIKE ignores case anyway
    each = f" AND e.transcript {like} ? ESCAPE '!'"
    rows = tx.execute(
        "SELECT f.number FROM episode_facts f JOIN episodes e ON e.run = f.run AND e.id = f.id WHERE f.run = ?"
        f" AND f.number >= ? AND f.number < ?{each * len(wanted)}",
        (run, part * PART, (part + 1) * PART, *(f"%{as_pattern(word)}%" for word in wanted)),
    )
    return sum(1 << int(number) % PART for (number,) in rows)


def as_pattern(text: str) -> str:
    """Escape a text for LIKE with `!`, so that its characters are not read as a pattern."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _written(bits: int) -> str:
    """Write the episodes as a short list of positions or as a number, depending on how many there are."""
    return ",".join(map(str, _places(bits))) if bits.bit_count() <= _LISTED else f"x{bits:x}"


def _read(text: str) -> int:
    return int(text[1:], 16) if text[0] == "x" else sum(1 << int(place) for place in text.split(","))


def _places(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
