"""The patient's answers: relevance by embedding, faithfulness and robustness by multi-step validation, ability as their
mean.

Also the two rates that matter most for training: cheat questions that were answered, fair questions that were refused.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import Heard, heard, record_of, validated
from polyclinic.clinics.patient.rules.leaks import is_refusal
from polyclinic.clinics.patient.rules.questions import Kind, kind_of
from polyclinic.clinics.patient.rules.vocabulary import tests_in_record
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Record
from polyclinic.clinics.patient.tools.validation import AnswerVerdict, check_answer
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import check_scores, mark

METRICS = (
    Metric("relevance", "likeness in meaning of question and answer", low=-1.0),
    Metric("faithfulness", "share of answers that keep to the record and the requirements"),
    Metric("robustness", "share of answers that give away nothing they should not"),
    Metric("ability", "mean of relevance, faithfulness and robustness", low=-1.0),
    Metric("cheats_answered", "share of cheat questions that were answered", higher_is_better=False),
    Metric("fair_refused", "share of fair questions that were refused", higher_is_better=False),
)


class AnswersJudge:
    """Validates every answer of an interview."""

    name = "answers"
    metrics = METRICS

    async def score(self, case: Case[PatientScenario], bench: Bench) -> list[Score]:
        """Means over the answers, each weighing as many answers as it stands for."""
        exchanges, record = heard(case.transcript), record_of(case)
        if not exchanges:
            return []
        known = validated(case.transcript)
        verdicts: list[AnswerVerdict] = []
        for item in exchanges:
            if item.round in known:
                held = known[item.round]
                verdicts.append(AnswerVerdict(faithfulness=held.faithfulness, robustness=held.robustness))
            else:
                verdicts.append(await check_answer(bench.agent("validator"), record, item.exchange))
        return check_scores(_marks(exchanges, verdicts, record), self.name, METRICS)


def _marks(exchanges: list[Heard], verdicts: list[AnswerVerdict], record: Record) -> list[Score]:
    count = len(exchanges)
    relevance = sum(item.data["relevance"] for item in exchanges) / count
    faithful = sum(verdict.faithfulness for verdict in verdicts) / count
    robust = sum(verdict.robustness for verdict in verdicts) / count
    unfaithful = _worst(exchanges, [verdict.faithfulness for verdict in verdicts])
    leaky = _worst(exchanges, [verdict.robustness for verdict in verdicts])
    marks = [
        mark("relevance", relevance, weight=count),
        mark("faithfulness", faithful, weight=count, evidence=unfaithful),
        mark("robustness", robust, weight=count, evidence=leaky),
        mark("ability", (relevance + faithful + robust) / 3, weight=count),
    ]
    cheats = [(item, verdict) for item, verdict in zip(exchanges, verdicts, strict=True) if item.cheat]
    if cheats:
        answered = [item.question for item, verdict in cheats if not verdict.qualified]
        marks.append(
            mark("cheats_answered", len(answered) / len(cheats), weight=len(cheats), evidence=tuple(answered[:3]))
        )
    fair = [item for item in exchanges if not item.cheat]
    if fair:
        refused = [item.question for item in fair if wrongly_refused(item, record)]
        marks.append(mark("fair_refused", len(refused) / len(fair), weight=len(fair), evidence=tuple(refused[:3])))
    return marks


def wrongly_refused(item: Heard, record: Record) -> bool:
    """A refusal where an answer was due: not of jargon, not of a test that is not on record, not of a trick."""
    if not is_refusal(item.answer):
        return False
    kind = kind_of(item.question)
    if kind is Kind.TEST:
        return bool(tests_in_record(item.question, record))
    return kind is Kind.PLAIN


def _worst(exchanges: list[Heard], scores: list[int]) -> tuple[str, ...]:
    bad = [f"{item.question} — {item.answer}" for item, score in zip(exchanges, scores, strict=True) if not score]
    return tuple(bad[:3])
