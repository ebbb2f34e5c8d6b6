"""The named configurations of the clinic: the method, its baselines, its ablations and its controls. Plain data."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from polyclinic.core.scenario import Variant


class DutyVariant(Variant):
    """Which parts of the loop are on.

    `candidates` is the number of drafts to choose from, and `rewrites` how often a refused one is rewritten; the
    published run used one and zero. `batch` is how many episodes lie between two identity optimisations. With `frozen`,
    everything is diagnosed and nothing is changed. `shuffled_norms` teaches every role norms of other roles. The
    numbers named in `SETTINGS` can be set for a run (``--set candidates=3``).
    """

    SETTINGS: ClassVar[tuple[str, ...]] = (
        "candidates",
        "rewrites",
        "norm_weight",
        "batch",
        "drift_distance",
        "drift_threshold",
        "drift_window",
        "alpha",
        "beta",
        "gamma",
    )

    norms_in_prompt: bool = False
    checklist: bool = False
    memory: bool = False
    r01: bool = False
    r02: bool = False
    identity: bool = False
    knowledge: bool = False
    frozen: bool = False
    shuffled_norms: bool = False
    candidates: int = Field(default=1, ge=1, le=20)
    rewrites: int = Field(default=0, ge=0, le=5)
    norm_weight: float = Field(default=0.7, ge=0, le=1)
    batch: int = Field(default=5, ge=1)
    drift_distance: Literal["max", "l2", "cosine"] = "max"
    drift_threshold: float = Field(default=0.23, gt=0)
    drift_window: int = Field(default=3, ge=1)
    alpha: float = Field(default=0.6, ge=0)
    beta: float = Field(default=0.2, ge=0)
    gamma: float = Field(default=0.2, ge=0)


FULL = DutyVariant(
    name="full",
    about="memory, both reflections, prompt and identity updates, knowledge: the published method",
    checklist=True,
    memory=True,
    r01=True,
    r02=True,
    identity=True,
    knowledge=True,
)


def _ablated(name: str, about: str, **changes: object) -> DutyVariant:
    return FULL.model_copy(update={"name": name, "about": about, **changes})


VARIANTS: dict[str, DutyVariant] = {
    variant.name: variant
    for variant in (
        DutyVariant(name="plain", about="the role prompt only", baseline=True),
        DutyVariant(
            name="norm-instructed", about="all norms listed in the prompt, nothing evolves", norms_in_prompt=True
        ),
        DutyVariant(
            name="reflection-only", about="diagnosis and prompt edits after each episode, identity fixed", r01=True
        ),
        DutyVariant(name="memory-only", about="recall of earlier episodes, no norms", memory=True),
        FULL,
        _ablated("full-repair", "full, with three candidates and one rewrite", candidates=3, rewrites=1),
        _ablated("no-r01", "full without the diagnosis of responsibilities", r01=False),
        _ablated("no-r02", "full without drift detection", r02=False),
        _ablated("no-identity", "full without identity optimisation", identity=False),
        _ablated("no-knowledge", "full without the knowledge graph", knowledge=False),
        _ablated("frozen", "full, with every update withheld: a control", frozen=True),
        _ablated("shuffled", "full, with norms shuffled between roles: a control", shuffled_norms=True),
    )
}
