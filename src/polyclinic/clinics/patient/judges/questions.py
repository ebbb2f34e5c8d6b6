"""The doctors' questions: specificity, targetedness and professionalism by multi-step validation, quality as their
mean.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import heard, learned_from, read_exchanges
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.tools.validation import QuestionVerdict, judge_question
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import check_scores, mark

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


class QuestionsJudge:
    """Validates the fair questions of an interview, if the variant asks for it or it was a learning case."""

    name = "questions"
    metrics = METRICS

    async def score(self, case: Case[PatientScenario, PatientVariant], bench: Bench) -> list[Score]:
        """Means over the fair questions."""
        if not (case.variant.judge_questions or learned_from(case.transcript)):
            return []
        verdicts: list[QuestionVerdict] = []
        poor: list[str] = []
        for item, read in zip(heard(case.transcript), await read_exchanges(case, bench), strict=True):
            if item.cheat:
                continue
            verdict = judge_question(read)
            verdicts.append(verdict)
            if not verdict.qualified:
                poor.append(item.question)
        if not verdicts:
            return []
        count = len(verdicts)
        means = {part: sum(getattr(verdict, part) for verdict in verdicts) / count for part in _PARTS}
        marks = [mark(part, mean, weight=count, evidence=tuple(poor[:3])) for part, mean in means.items()]
        marks.append(mark("quality", sum(means.values()) / len(means), weight=count))
        return check_scores(marks, self.name, METRICS)
