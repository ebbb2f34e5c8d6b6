"""Danger in a message that is too long for the conversation, part by part.

A part is as long as a message may be. It is read as a message is, by the word screen and the trained guard. No model is
asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from polyclinic.clinics.counsel.rules.guard import at_once, offline, that_count
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.trained import WINDOW_CHARS, gravest, pieces_to_read, read_piece
from polyclinic.core.turns import parts_in_thread
from polyclinic.text.sentences import sentences


def parts_to_read(text: str, most: int) -> Iterator[str]:
    """The sentences of a text, joined to parts of at most `most` characters. The pieces of a longer sentence overlap,
    so that no few words are cut in two.
    """
    part = ""
    for sentence in sentences(text):
        starts = [0] if len(sentence) <= most else range(0, len(sentence), most - WINDOW_CHARS)
        for piece in (sentence[at : at + most] for at in starts):
            if part and len(part) + 1 + len(piece) > most:
                yield part
                part = ""
            part = f"{part} {piece}" if part else piece
    if part:
        yield part


async def gravest_part(text: str, most: int) -> str:
    """The part in which most danger is found: danger beyond doubt, or else any danger, or else a wish to be dead.
    Empty if no part holds any of these. It is read in a thread: people with short messages do not wait for it.
    """
    found: dict[str, str] = {}
    for part in parts_to_read(text, most):
        reading = gravest(await parts_in_thread([partial(read_piece, piece) for piece in pieces_to_read(part)]))
        screened = that_count(screen(part), reading)
        if at_once(screened, reading) is not None:
            return part
        found.setdefault(offline(screened, reading).way, part)
    return found.get("escalate") or found.get("ask_gently", "")
