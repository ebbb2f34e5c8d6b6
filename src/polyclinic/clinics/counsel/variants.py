"""The paper's method, its ablations, and its limits on revision. Plain data; `flow` reads it."""

from __future__ import annotations

from polyclinic.core.scenario import Variant


class CounselVariant(Variant):
    """Which agents take part, and how many drafts the counsellor may make. The time limits apply in live talks, where a
    person waits; `guard_timeout_s` always applies.
    """

    guard: bool = True
    critic: bool = True
    single: bool = False
    drafts: int = 3
    guard_timeout_s: float = 30.0
    answer_timeout_s: float = 75.0


ABLATIONS = ("full", "nocritic", "noescalation", "neither", "single")
LIMITS = (1, 3, 5, 7, 10)

VARIANTS: dict[str, CounselVariant] = {
    variant.name: variant
    for variant in (
        CounselVariant(name="full", about="guard, counsellor and critic; at most 3 drafts"),
        CounselVariant(name="nocritic", about="no critic: the first draft is said", critic=False),
        CounselVariant(name="noescalation", about="no guard: automated talk never stops", guard=False),
        CounselVariant(
            name="neither", about="the counsellor alone, with plan, memory and sources", guard=False, critic=False
        ),
        CounselVariant(
            name="single", about="one model with one prompt", guard=False, critic=False, single=True, baseline=True
        ),
        *(CounselVariant(name=f"n{limit}", about=f"as full, at most {limit} drafts", drafts=limit) for limit in LIMITS),
    )
}
