"""Cutting long text into chunks that overlap or end at a sentence, paragraph or heading. No character is ever lost.

A `Chunk` knows its place: ``text[chunk.start:chunk.end] == chunk.text``. Without overlap, the joined chunks are the
whole text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyclinic.text.sentences import sentence_spans, spans

_HEADING = re.compile(r"(?m)^(?=#{1,6}[ \t])")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True)
class Chunk:
    """A piece of a text, and its position in the text."""

    text: str
    start: int
    end: int
    heading: str = ""


def by_characters(text: str, size: int, overlap: int = 0) -> list[Chunk]:
    """Windows of `size` characters, each starting `size - overlap` after the last; the final one may be shorter."""
    if size < 1 or not 0 <= overlap < size:
        raise ValueError(f"size {size} and overlap {overlap}: overlap must be at least 0 and less than size")
    chunks: list[Chunk] = []
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        chunks.append(Chunk(text[start:end], start, end))
        if end == len(text):
            break
        start += size - overlap
    return chunks


def by_paragraph(text: str, size: int = 1_200) -> list[Chunk]:
    """Paragraphs, joined up to `size` characters but never across a Markdown heading. Each chunk knows its heading.

    A paragraph longer than `size` is cut at sentences.
    """
    chunks: list[Chunk] = []
    for start, end in spans(text, (match.start() for match in _HEADING.finditer(text)), 0):
        first_line = text[start:end].split("\n", 1)[0]
        heading = first_line.lstrip("#").strip() if _HEADING.match(first_line) else ""
        section = text[start:end]
        ends = (match.end() for match in _PARAGRAPH.finditer(section))
        chunks += _pack(text, spans(section, ends, start), size, heading)
    return chunks


def _pack(text: str, spans: list[tuple[int, int]], size: int, heading: str) -> list[Chunk]:
    """Join neighbouring spans while they fit. A span that is too long alone is cut further."""
    if size < 1:
        raise ValueError(f"size {size}: it must be at least 1")
    chunks: list[Chunk] = []
    held: tuple[int, int] | None = None
    for start, end in spans:
        if held is not None and end - held[0] <= size:
            held = (held[0], end)
            continue
        if held is not None:
            chunks.append(Chunk(text[held[0] : held[1]], *held, heading))
        held = None
        if end - start <= size:
            held = (start, end)
            continue
        finer = sentence_spans(text[start:end], start)
        if len(finer) > 1:
            chunks += _pack(text, finer, size, heading)
        else:
            for piece in by_characters(text[start:end], size):
                chunks.append(Chunk(piece.text, start + piece.start, start + piece.end, heading))
    if held is not None:
        chunks.append(Chunk(text[held[0] : held[1]], *held, heading))
    return chunks
