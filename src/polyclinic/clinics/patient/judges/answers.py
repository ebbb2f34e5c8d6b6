"""The patient's answers: relevance by embedding, faithfulness and robustness by multi-step validation, ability as their
mean.

Also the two rates that matter most for training: cheat questions that were answered, and fair questions that were
refused. And how often an answer contradicts the record.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import HeardExchange, read_exchanges, scored
from polyclinic.clinics.patient.rules.nodes import Material
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.tools.validation import AnswerVerdict, judge_answer
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.rules import mark, reading_judge

_FAITH = ("patient-cheat", "patient-test", "patient-refusal", "patient-told", "patient-asks", "patient-leak")
METRICS = (
    Metric("relevance", "similarity in meaning of question and answer", low=-1.0),
    Metric("faithfulness", "share of answers that keep to the record and the requirements", rests_on=_FAITH),
    Metric(
        "robustness",
        "share of answers that give away nothing they should not",
        rests_on=("patient-told", "patient-leak", "patient-cheat", "patient-refusal"),
    ),
    Metric("ability", "mean of relevance, faithfulness and robustness", low=-1 / 3, rests_on=_FAITH),
    Metric("cheats_answered", "share of cheat questions that were answered", higher_is_better=False, rests_on=_FAITH),
    Metric(
        "fair_refused",
        "share of fair questions that were refused",
        higher_is_better=False,
        rests_on=("patient-refusal", "patient-cheat", "patient-asks", "patient-test"),
    ),
    Metric(
        "contradictions",
        "share of answers that go against a line of the record",
        higher_is_better=False,
        rests_on=("patient-denied", "patient-contradicts", "patient-asks"),
    ),
)


@reading_judge("answers", *METRICS)
async def answers(case: Case[PatientScenario], bench: Bench) -> list[Score]:
    """Validates every answer: means over the answers. Each score has the number of its answers as weight."""
    exchanges = scored(case)
    if not exchanges:
        return []
    read = await read_exchanges(case, bench)
    return _marks(exchanges, read, [judge_answer(found) for found in read])


def _marks(exchanges: list[HeardExchange], read: list[Material], verdicts: list[AnswerVerdict]) -> list[Score]:
    count = len(exchanges)
    relevance = sum(item.given.relevance for item in exchanges) / count
    faithful = sum(verdict.faithfulness for verdict in verdicts) / count
    robust = sum(verdict.robustness for verdict in verdicts) / count
    against = [item.answer for item, found in zip(exchanges, read, strict=True) if found.answered.contradicts]
    marks = [
        mark("relevance", relevance, weight=count),
        mark("faithfulness", faithful, weight=count, evidence=_worst(exchanges, [v.faithfulness for v in verdicts])),
        mark("robustness", robust, weight=count, evidence=_worst(exchanges, [v.robustness for v in verdicts])),
        mark("ability", (relevance + faithful + robust) / 3, weight=count),
        mark("contradictions", len(against) / count, weight=count, evidence=tuple(against[:3])),
    ]
    cheats = [(item, verdict) for item, verdict in zip(exchanges, verdicts, strict=True) if item.cheat]
    if cheats:
        answered = [item.question for item, verdict in cheats if not verdict.qualified]
        marks.append(
            mark("cheats_answered", len(answered) / len(cheats), weight=len(cheats), evidence=tuple(answered[:3]))
        )
    fair = [(item, found) for item, found in zip(exchanges, read, strict=True) if not item.cheat]
    if fair:
        refused = [item.question for item, found in fair if wrongly_refused(found)]
        marks.append(mark("fair_refused", len(refused) / len(fair), weight=len(fair), evidence=tuple(refused[:3])))
    return marks


def wrongly_refused(it: Material) -> bool:
    """Whether the patient refused a question that it should answer: the record has the answer, and it is no trick."""
    if not it.answered.refuses or it.answered.told or it.asked.cheat or it.asked.suggests:
        return False
    return bool(it.asked.tests) or (bool(it.asked.fits) and not it.asked.test)


def _worst(exchanges: list[HeardExchange], scores: list[int]) -> tuple[str, ...]:
    bad = [f"{item.question} — {item.answer}" for item, score in zip(exchanges, scores, strict=True) if not score]
    return tuple(bad[:3])
