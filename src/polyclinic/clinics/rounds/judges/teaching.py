"""ETS, MSM and MPS: three rubrics over the whole session, each asked separately."""

from __future__ import annotations

from polyclinic.clinics.rounds.rules.view import session_view
from polyclinic.core.judge import Case
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.eval.view import View

PACKAGE = "polyclinic.clinics.rounds"
RUBRICS = ("ets", "msm", "mps")


def taught_session(case: Case) -> View:
    """The session, or nothing when no tutor spoke (the control group is not judged for teaching)."""
    return session_view(case.transcript) if case.transcript.said("tutor") else View("")


def teaching_judges(k_samples: int = 1) -> tuple[RubricJudge, ...]:
    """One judge for each rubric."""
    return tuple(
        RubricJudge(package_rubric(PACKAGE, f"data/rubrics/{name}.toml"), k_samples=k_samples, view=taught_session)
        for name in RUBRICS
    )
