"""What one episode starts from: frozen data with an id that never changes its meaning."""

from __future__ import annotations

from polyclinic.core.message import Frozen


class Scenario(Frozen):
    """Base of every clinic's scenarios.

    Scenarios with the same non-empty `campaign` share state and run as one sequence in the order they are given; `wave`
    puts a barrier between groups of them (a wave starts when the one before it has wholly ended), and `lanes` says which
    lanes it may ask a turn in (empty: any), so that it holds up nobody in the others.
    """

    id: str
    tags: tuple[str, ...] = ()
    campaign: str = ""
    wave: int = 0
    lanes: tuple[str, ...] = ()


class Variant(Frozen):
    """Base of a clinic's variants: a named configuration of its flow. Plain data, no code."""

    name: str
    about: str
    baseline: bool = False
