"""How a session is scored: three teaching rubrics, the reward of each turn, rules over conduct, and what students
learned.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.rounds.judges.conduct import conduct
from polyclinic.clinics.rounds.judges.learning import learning
from polyclinic.clinics.rounds.judges.reward import RewardJudge
from polyclinic.clinics.rounds.judges.teaching import teaching_judges
from polyclinic.clinics.rounds.scenario import TeachingCase
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.judge import Judge


def judges() -> Sequence[Judge[TeachingCase, RoundsVariant]]:
    """New instances of all judges of this clinic."""
    return (conduct, learning, *teaching_judges(), RewardJudge())
