"""The named configurations of the desk. Plain data; `flow` reads it."""

from __future__ import annotations

from typing import Literal

from polyclinic.clinics.frontdesk.scenario.foresight import REJECTION
from polyclinic.core.scenario import Variant


class DeskVariant(Variant):
    """The settings of a variant.

    They are: how many rounds a dialogue may have, how times are found, how often a first offer is turned down, and who
    goes through the waiting list after a cancellation.
    """

    scheduling: Literal["tool", "reasoning", "none"]
    rounds: int = 5
    rejection: float = REJECTION
    waiting_list: Literal["rule", "staff"] = "rule"


VARIANTS = {
    variant.name: variant
    for variant in (
        DeskVariant(name="tool", about="tools find the time, reasoning is the fallback", scheduling="tool"),
        DeskVariant(
            name="reasoning",
            about="the diaries are in the prompt and the staff finds the time by itself",
            scheduling="reasoning",
            baseline=True,
        ),
        DeskVariant(
            name="tool-list",
            about="as tool; the staff walks the waiting list itself, patient by patient",
            scheduling="tool",
            waiting_list="staff",
        ),
        DeskVariant(
            name="reasoning-list",
            about="as reasoning; the staff walks the waiting list itself, patient by patient",
            scheduling="reasoning",
            waiting_list="staff",
        ),
        DeskVariant(name="tool-8", about="as tool, with up to eight rounds of intake", scheduling="tool", rounds=8),
        DeskVariant(name="intake", about="intake only", scheduling="none"),
        DeskVariant(name="intake-8", about="intake only, with up to eight rounds", scheduling="none", rounds=8),
    )
}
