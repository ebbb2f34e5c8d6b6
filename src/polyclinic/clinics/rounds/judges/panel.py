"""How a session is scored: three teaching rubrics, the reward of each turn, rules over conduct, and what students
learned.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.rounds.judges.conduct import conduct
from polyclinic.clinics.rounds.judges.reward import RewardJudge
from polyclinic.clinics.rounds.rules.notes import Chose, When
from polyclinic.clinics.rounds.rules.view import session_view
from polyclinic.clinics.rounds.scenario import TeachingCase
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.judge import Case, Judge, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rubric import RubricJudge
from polyclinic.eval.rubric_file import package_rubric
from polyclinic.eval.rules import mark, rule_judge
from polyclinic.eval.view import View

RUBRICS = ("ets", "msm", "mps")
_CHOICE, _LEAK = ("rounds-choice",), ("rounds-leak",)
METRICS = (
    Metric("first_right", "share of students with the right answer before the teaching", rests_on=_CHOICE),
    Metric(
        "final_right", "share of students with the right answer after the teaching", rests_on=_CHOICE, follows=_LEAK
    ),
    Metric(
        "learning_gain",
        "share of right answers after the teaching minus the share before",
        low=-1.0,
        rests_on=_CHOICE,
        follows=_LEAK,
    ),
    Metric(
        "transfer_right",
        "share of students with the right answer to an unseen case afterwards",
        rests_on=_CHOICE,
        follows=_LEAK,
    ),
)


def choices(case: Case, when: When) -> dict[str, bool]:
    """For each student, whether the answer at that time was right."""
    return {note.student: note.right for note in case.transcript.notes(Chose) if note.when == when}


def _share(answers: dict[str, bool]) -> float:
    return sum(answers.values()) / len(answers)


@rule_judge("learning", *METRICS)
def learning(case: Case) -> list[Score]:
    """Scores of a session; all students count equally. Compare with the untutored variant: answering twice also
    teaches.
    """
    first, final, transfer = choices(case, "first"), choices(case, "final"), choices(case, "transfer")
    scores = []
    if first:
        scores.append(mark("first_right", _share(first), weight=len(first)))
    if final:
        scores.append(mark("final_right", _share(final), weight=len(final)))
    if first and final:
        better = [name for name in final if final[name] and not first.get(name)]
        worse = [name for name in final if not final[name] and first.get(name)]
        words = f"better: {', '.join(better) or 'nobody'}; worse: {', '.join(worse) or 'nobody'}"
        scores.append(mark("learning_gain", _share(final) - _share(first), weight=len(final), reason=words))
    if transfer:
        scores.append(mark("transfer_right", _share(transfer), weight=len(transfer)))
    return scores


def taught_session(case: Case) -> View:
    """The session, or nothing when no tutor spoke (the control group is not judged for teaching)."""
    return session_view(case.transcript) if case.transcript.said("tutor") else View("")


def judges() -> Sequence[Judge[TeachingCase, RoundsVariant]]:
    """New instances of all judges of this clinic. ETS, MSM and MPS are three rubrics, each asked separately."""
    rubrics = [package_rubric("polyclinic.clinics.rounds", f"data/rubrics/{name}.toml") for name in RUBRICS]
    return (conduct, learning, *(RubricJudge(rubric, view=taught_session) for rubric in rubrics), RewardJudge())
