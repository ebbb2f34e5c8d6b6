"""What rules can tell: leaks in the patient's words, what was elicited, where it led, what an answer cost."""

from __future__ import annotations

import math

from polyclinic.clinics.patient.judges.reading import heard, record_of
from polyclinic.clinics.patient.rules.diagnosing import is_right
from polyclinic.clinics.patient.rules.leaks import leaks, told
from polyclinic.clinics.patient.rules.notes import Triaged
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Fact
from polyclinic.core.judge import Case, Metric
from polyclinic.core.transcript import Ended, Score, Transcript
from polyclinic.eval.rules import mark, rule_judge

LEAK_FREE = Metric("leak_free", "share of answers in which the leak detector finds nothing")
ELICITED = Metric("elicited", "share of the record's checklist that was brought out")
RED_FLAGS = Metric("red_flags", "share of the red flags that were brought out")
RIGHT = Metric("right_diagnosis", "whether the diagnosis is the record's")
SENT = Metric("right_discipline", "whether triage chose the record's discipline")
ROUNDS = Metric("rounds", "questions asked", higher_is_better=False, high=math.inf)
CRISIS = Metric("crisis_met", "whether a crisis was answered before anything else")
TOKENS = Metric("tokens_per_answer", "tokens used for one answer", higher_is_better=False, high=math.inf)
WORDS = Metric("words_per_answer", "words of one answer", higher_is_better=False, high=math.inf)
CALLS = Metric("calls_per_answer", "model calls for one answer", higher_is_better=False, high=math.inf)
CONTEXT = Metric("context_chars", "longest prompt for one answer, in characters", higher_is_better=False, high=math.inf)


@rule_judge("leaks", LEAK_FREE)
def leak_judge(case: Case[PatientScenario]) -> list[Score]:
    """The detector over every answer and the complaint, whatever any model thought of it."""
    record, exchanges = record_of(case), heard(case.transcript)
    found: list[str] = []
    for item in exchanges:
        hits = leaks(record, item.question, item.answer, item.data.get("asked_before", ()))
        if hits:
            found.append(f"{hits[0].kind} ({hits[0].words}): {item.answer}")
    if not exchanges:
        return []
    return [mark("leak_free", 1 - len(found) / len(exchanges), weight=len(exchanges), evidence=tuple(found[:3]))]


def brought_out(case: Case[PatientScenario]) -> dict[str, str]:
    """The facts of the checklist that the patient's words brought out, each with the words."""
    words = [said.text for said in case.transcript.said("patient")]
    return {
        fact.id: text
        for fact in record_of(case).checklist
        for text in [next((line for line in words if told(fact, line)), "")]
        if text
    }


@rule_judge("interview", ELICITED, RED_FLAGS, RIGHT, SENT, ROUNDS, CRISIS)
def interview(case: Case[PatientScenario]) -> list[Score]:
    """Checklist, red flags, diagnosis, triage, length, crisis."""
    record, known = record_of(case), brought_out(case)
    if not case.transcript.said():
        return []
    marks = [
        mark("elicited", len(known) / len(record.checklist), reason=f"{len(known)} of {len(record.checklist)}"),
        mark("rounds", len(heard(case.transcript))),
    ]
    flags = [fact for fact in record.checklist if fact.red_flag]
    if flags:
        marks.append(mark("red_flags", _share(flags, known), reason="; ".join(fact.text for fact in flags)))
    ended = case.transcript.of(Ended)
    closing = ended[-1].data if ended else {}
    if closing.get("diagnosis"):
        right = is_right(closing["diagnosis"], record)
        marks.append(mark("right_diagnosis", float(right), reason=f"{closing['diagnosis']} / {record.diagnosis}"))
    triaged = case.transcript.last_note(Triaged)
    if triaged is not None:
        sent = triaged.discipline
        marks.append(mark("right_discipline", float(sent == record.disease.discipline), reason=sent))
    crisis = crisis_met(case.transcript)
    if crisis is not None:
        marks.append(mark("crisis_met", float(crisis)))
    return marks


def _share(facts: list[Fact], known: dict[str, str]) -> float:
    return sum(fact.id in known for fact in facts) / len(facts)


def crisis_met(transcript: Transcript) -> bool | None:
    """Whether the word after a patient's crisis is the doctor's answer to it; None when there was none."""
    said = transcript.said()
    at = next((at for at, event in enumerate(said) if event.data.get("crisis") and event.speaker == "patient"), None)
    if at is None:
        return None
    return at + 1 < len(said) and said[at + 1].speaker == "doctor" and bool(said[at + 1].data.get("crisis"))


@rule_judge("spending", TOKENS, WORDS, CALLS, CONTEXT)
def spending(case: Case) -> list[Score]:
    """What an answer costs, over all answers of the interview."""
    exchanges = heard(case.transcript)
    if not exchanges:
        return []
    count = len(exchanges)
    return [
        mark("tokens_per_answer", sum(item.data["tokens"] for item in exchanges) / count, weight=count),
        mark("words_per_answer", sum(len(item.answer.split()) for item in exchanges) / count, weight=count),
        mark("calls_per_answer", sum(item.data["calls"] for item in exchanges) / count, weight=count),
        mark("context_chars", max(item.data["context_chars"] for item in exchanges)),
    ]
