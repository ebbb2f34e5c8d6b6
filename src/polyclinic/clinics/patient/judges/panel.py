"""How an interview is scored: answers and questions by multi-step validation, leaks and the outcome by rule, duels in
pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.patient.judges.answers import answers
from polyclinic.clinics.patient.judges.interview import interview, leak_free, spending
from polyclinic.clinics.patient.judges.preference import PreferenceJudge
from polyclinic.clinics.patient.judges.questions import questions
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.judge import Judge


def judges() -> Sequence[Judge[PatientScenario, PatientVariant]]:
    """New instances of all judges of this clinic."""
    return (answers, questions, leak_free, interview, spending, PreferenceJudge())
