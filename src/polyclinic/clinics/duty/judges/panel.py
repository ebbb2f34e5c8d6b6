"""How a shift is scored: norms, identity, role, social quality, task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from polyclinic.clinics.duty.judges.identity import IdentityJudge
from polyclinic.clinics.duty.judges.norms import norms
from polyclinic.clinics.duty.judges.task import task
from polyclinic.clinics.duty.judges.view import by_role, everybody
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.embedding import Embedder
from polyclinic.core.judge import Judge
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import package_rubric

K_SAMPLES = 1


@lru_cache(maxsize=1)
def _embedder() -> Embedder:
    """The frozen embedder of identity scores, loaded when first needed."""
    from polyclinic.retrieval.embedders import WordLlamaEmbedder

    return WordLlamaEmbedder()


def judges() -> Sequence[Judge[AnyDuty]]:
    """All judges of this clinic. Models that judge are asked once, as in the published run; ``--samples 5`` asks five
    times.
    """
    role = package_rubric("polyclinic.clinics.duty", "data/rubrics/role.toml")
    social = package_rubric("polyclinic.clinics.duty", "data/rubrics/social.toml")
    return (
        norms,
        IdentityJudge(_embedder, K_SAMPLES),
        RubricJudge(role, k_samples=K_SAMPLES, view=by_role, name="role"),
        RubricJudge(social, k_samples=K_SAMPLES, view=everybody, name="social"),
        task,
    )
