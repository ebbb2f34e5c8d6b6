"""The doctors' questions: specificity, targetedness and professionalism by multi-step validation, quality as their
mean.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import heard, record_of, validated
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.tools.validation import QuestionVerdict, check_question
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import check_scores, mark

METRICS = (
    Metric("specificity", "share of questions that aim at a part of the body, a symptom or a named test"),
    Metric("targetedness", "share of questions that bring out what the record holds"),
    Metric("professionalism", "share of questions that show medical understanding"),
    Metric("quality", "mean of specificity, targetedness and professionalism"),
)
_PARTS = ("specificity", "targetedness", "professionalism")


class QuestionsJudge:
    """Validates the fair questions of an interview, where the variant asks for it or the flow has done so already."""

    name = "questions"
    metrics = METRICS

    async def score(self, case: Case[PatientScenario, PatientVariant], bench: Bench) -> list[Score]:
        """Means over the fair questions."""
        known = validated(case.transcript)
        if not (case.variant.judge_questions or known):
            return []
        verdicts: list[QuestionVerdict] = []
        poor: list[str] = []
        for item in heard(case.transcript):
            if item.cheat:
                continue
            if item.round in known:
                held = known[item.round]
                verdict = QuestionVerdict(
                    specificity=held.specificity, targetedness=held.targetedness, professionalism=held.professionalism
                )
            else:
                verdict = await check_question(bench.agent("validator"), record_of(case), item.exchange)
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
