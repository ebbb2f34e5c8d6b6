"""The named configurations of the helpline. Plain data; `flow` reads it."""

from __future__ import annotations

from polyclinic.core.scenario import Variant


class LineVariant(Variant):
    """What the nurse may use."""

    leaflet_tool: bool
    phrases: bool
    drafts: int = 2
    turns: int = 2


VARIANTS = {
    variant.name: variant
    for variant in (
        LineVariant(
            name="plain", about="the nurse answers from memory", baseline=True, leaflet_tool=False, phrases=False
        ),
        LineVariant(name="tool", about="the nurse may look into the leaflet", leaflet_tool=True, phrases=False),
        LineVariant(
            name="taught",
            about="the leaflet, and phrases that earlier callers understood",
            leaflet_tool=True,
            phrases=True,
        ),
    )
}
