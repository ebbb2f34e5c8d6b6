"""How an interview is scored: answers and questions by multi-step validation, leaks and the outcome by rule, duels in
pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.patient.judges.answers import answers
from polyclinic.clinics.patient.judges.interview import interview, leak_free, spending
from polyclinic.clinics.patient.judges.preference import PreferenceJudge
from polyclinic.clinics.patient.judges.reading import heard, read_exchanges
from polyclinic.clinics.patient.rules.notes import Validated
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.tools.validation import judge_question
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.judge import Bench, Case, Judge, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import mark, reading_judge

_ASKED = ("patient-asks", "patient-clear", "patient-cheat", "patient-test")
METRICS = (
    Metric("specificity", "share of questions that aim at a part of the body, a symptom or a test", rests_on=_ASKED),
    Metric(
        "targetedness", "share of questions that bring out what the record holds", rests_on=(*_ASKED, "patient-told")
    ),
    Metric("professionalism", "share of questions that show medical understanding", rests_on=_ASKED),
    Metric("quality", "mean of specificity, targetedness and professionalism", rests_on=(*_ASKED, "patient-told")),
)
_PARTS = ("specificity", "targetedness", "professionalism")


@reading_judge("questions", *METRICS)
async def questions(case: Case[PatientScenario, PatientVariant], bench: Bench) -> list[Score]:
    """Validates the fair questions of an interview, if the variant asks for it or it was a learning case: means over
    them.
    """
    if not (case.variant.judge_questions or case.transcript.notes(Validated)):
        return []
    pairs = zip(heard(case.transcript), await read_exchanges(case, bench), strict=True)
    judged = [(item.question, judge_question(read)) for item, read in pairs if not item.cheat]
    if not judged:
        return []
    count, poor = len(judged), [question for question, verdict in judged if not verdict.qualified]
    means = {part: sum(getattr(verdict, part) for _, verdict in judged) / count for part in _PARTS}
    marks = [mark(part, mean, weight=count, evidence=poor[:3]) for part, mean in means.items()]
    return [*marks, mark("quality", sum(means.values()) / len(means), weight=count)]


def judges() -> Sequence[Judge[PatientScenario, PatientVariant]]:
    """New instances of all judges of this clinic."""
    return (answers, questions, leak_free, interview, spending, PreferenceJudge())
