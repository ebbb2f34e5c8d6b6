"""The habits of offline staff, found by their exact words, and the norm that each breaks. It measures readers."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.understudies.voices import voice

BREAKS = {
    "decides_alone": "SOP-1",
    "overrules": "SOP-2",
    "talks_medicine": "SOP-3",
    "plays_down": "ESC-1",
    "calls_safe": "ESC-2",
    "closes_early": "ESC-3",
    "makes_up": "INFO-1",
    "promises": "INFO-2",
    "changes_dose": "INFO-3",
    "brushes_off": "SAFE-1",
    "overclaims": "SAFE-2",
    "skips_check": "SAFE-3",
}
"""Which of the clinic's norms each habit breaks."""


def given_in(text: str, to: str) -> set[str]:
    """The habits that an offline player's words show, in either voice."""
    found = set()
    for name in ("first", "second"):
        moves = voice(name).moves
        for move in moves.values():
            pieces = [piece for piece in re.split(r"\{\w+\}", move.bad.rstrip(".")) if len(piece) > 3]
            if move.bad and all(piece.lower() in text.lower() for piece in pieces):
                found.add(move.habit)
        ends = (moves["outlook"].good, moves["outlook"].bad)
        if to == "patient" and any(end in text for end in ends) and moves["check"].good not in text:
            found.add("skips_check")
    return found
