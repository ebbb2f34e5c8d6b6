"""What one episode starts from: frozen data with an id that never changes its meaning."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypeVar

from polyclinic.core.message import Frozen


class Scenario(Frozen):
    """Base of every clinic's scenarios.

    Scenarios with the same non-empty `campaign` share state and run as one sequence in the order they are given; `wave`
    puts a barrier between groups of them (a wave starts when the one before it has wholly ended), and `lanes` says
    which lanes it may ask a turn in (empty: any), so that it holds up nobody in the others.
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


# What a clinic's scenarios and variants are. An episode and a case only give them out, a judge only takes them in; a
# clinic does both. The engine, which works with every clinic, leaves them open.
S = TypeVar("S", bound=Scenario, default=Any)
V = TypeVar("V", bound=Variant, default=Any)
S_co = TypeVar("S_co", bound=Scenario, covariant=True, default=Scenario)
V_co = TypeVar("V_co", bound=Variant, covariant=True, default=Variant)
S_contra = TypeVar("S_contra", bound=Scenario, contravariant=True, default=Any)
V_contra = TypeVar("V_contra", bound=Variant, contravariant=True, default=Any)
