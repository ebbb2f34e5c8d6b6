"""What the offline critic and the offline judge read in a counsellor's words: one place for both."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.counsel.readings import SLIP
from polyclinic.clinics.counsel.rules.offers import without_offers
from polyclinic.core.understudy import Ask


def to_read(words: str) -> str:
    """What is read of a counsellor's words: all but offers of company; empty if there is nothing else."""
    return without_offers(words).strip()


def slips(ask: Ask[Any], words: str, said: str) -> bool:
    """Whether these words slip, as an answer to what the person said."""
    rest = to_read(words)
    return rest != "" and ask.understands(rest, SLIP.ask(said=said))
