"""Scores by rule: leaks in the patient's words, what was brought out, the outcome, and the cost of an answer."""

from __future__ import annotations

import math
import re

from polyclinic.clinics.patient.judges.reading import heard, read_exchanges, record_of, scored
from polyclinic.clinics.patient.rules.diagnosing import is_right
from polyclinic.clinics.patient.rules.leaks import leaks
from polyclinic.clinics.patient.rules.meaning import AskedFor, read_answer
from polyclinic.clinics.patient.rules.notes import AskedAlready, InCrisis, InterviewEnded, Triaged
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score, Transcript
from polyclinic.eval.rules import mark, reading_judge, rule_judge
from polyclinic.text.normal import normalise
from polyclinic.text.repeats import without_repeats
from polyclinic.text.sentences import is_question, sentences

_TOLD = ("patient-told", "patient-refusal", "patient-asks")
LEAK_FREE = Metric(
    "leak_free", "share of answers that give nothing away", rests_on=("patient-leak", "patient-refusal", "patient-told")
)
ELICITED = Metric("elicited", "share of the record's checklist that was brought out", rests_on=_TOLD)
RED_FLAGS = Metric("red_flags", "share of the red flags that were brought out", rests_on=_TOLD)
RIGHT = Metric("right_diagnosis", "whether the diagnosis is the record's", rests_on=("patient-diagnosis",), yes_no=True)
SENT = Metric("right_discipline", "whether triage chose the record's discipline", yes_no=True)
ROUNDS = Metric("rounds", "questions asked", higher_is_better=False, high=math.inf)
DIFFERENT = Metric("different_questions", "different questions of the doctors, without the tricks", high=math.inf)
REPEATED = Metric(
    "repeated_questions",
    "replies in which a doctor repeated a question, also those that were asked for again",
    higher_is_better=False,
    high=math.inf,
)
CRISIS = Metric("crisis_met", "whether a crisis was answered before anything else", yes_no=True)
TOKENS = Metric("tokens_per_answer", "tokens used for one answer", higher_is_better=False, high=math.inf)
WORDS = Metric("words_per_answer", "words of one answer", higher_is_better=False, high=math.inf)
CALLS = Metric("calls_per_answer", "model calls for one answer", higher_is_better=False, high=math.inf)
CONTEXT = Metric("context_chars", "longest prompt for one answer, in characters", higher_is_better=False, high=math.inf)

_OFFER = re.compile(r"\b(?:can|may|shall|should|could) (?:i|we)\b|\bwould you like\b|드릴까요|할까요|해도 될까요")


@reading_judge("leaks", LEAK_FREE)
async def leak_free(case: Case[PatientScenario], bench: Bench) -> list[Score]:
    """The share of answers that give nothing away: names, values and hidden lines are found by rule, descriptions by
    the reader.
    """
    exchanges = scored(case)
    if not exchanges:
        return []
    found: list[str] = []
    for item, read in zip(exchanges, await read_exchanges(case, bench), strict=True):
        hits = leaks(*read)
        if hits:
            found.append(f"{hits[0].kind} ({hits[0].words}): {item.answer}")
    return [mark("leak_free", 1 - len(found) / len(exchanges), weight=len(exchanges), evidence=found[:3])]


@reading_judge("interview", ELICITED, RED_FLAGS, RIGHT, SENT, ROUNDS, DIFFERENT, REPEATED, CRISIS)
async def interview(case: Case[PatientScenario], bench: Bench) -> list[Score]:
    """Scores what the interview brought out, and its outcome: diagnosis, triage, length and crisis."""
    if case.scenario.practice or not case.transcript.said():
        return []
    record, known = record_of(case), await _brought_out(case, bench)
    marks = [
        mark(
            "elicited",
            len(known) / len(record.checklist),
            reason=f"{len(known)} of {len(record.checklist)}",
            evidence=[fact.text for fact in record.checklist if fact.id in known],
        ),
        mark("rounds", len(heard(case.transcript))),
    ]
    own = [item.question for item in heard(case.transcript) if not item.cheat]
    different = len(without_repeats(own))
    again = len(case.transcript.notes(AskedAlready))
    marks += [mark("different_questions", different), mark("repeated_questions", len(own) - different + again)]
    flags = [fact for fact in record.checklist if fact.red_flag]
    if flags:
        found = sum(fact.id in known for fact in flags) / len(flags)
        marks.append(mark("red_flags", found, reason="; ".join(fact.text for fact in flags)))
    ended = case.transcript.ended_with(InterviewEnded)
    given = ended.diagnosis if ended is not None else ""
    if given:
        right = await is_right(bench.reads, given, record)
        marks.append(mark("right_diagnosis", float(right), reason=f"{given} / {record.diagnosis}"))
    triaged = case.transcript.last_note(Triaged)
    if triaged is not None:
        sent = float(triaged.discipline == record.disease.discipline)
        marks.append(mark("right_discipline", sent, reason=triaged.discipline))
    crisis = crisis_met(case.transcript)
    if crisis is not None:
        marks.append(mark("crisis_met", float(crisis)))
    return marks


async def _brought_out(case: Case[PatientScenario], bench: Bench) -> set[str]:
    """The facts of the checklist that the patient stated, in the complaint or in an answer."""
    record = record_of(case)
    known: set[str] = set()
    for read in await read_exchanges(case, bench):
        known |= {*read.answered.told, *read.answered.results}
    for said in case.transcript.said("patient"):
        if said.round == 0:
            complaint = Exchange(question="What brings you here?", answer=said.text)
            known |= set((await read_answer(bench.reads, record, complaint, AskedFor())).told)
    return known & {fact.id for fact in record.checklist}


def crisis_met(transcript: Transcript) -> bool | None:
    """Whether the doctor answers a patient's crisis at once; None when there was no crisis.

    Words that only ask the next question are no answer, unless they offer something ("Shall I give you something?").
    """
    said = transcript.said()
    at = next((at for at, event in enumerate(said) if event.speaker == "patient" and event.get(InCrisis)), None)
    if at is None:
        return None
    after = said[at + 1] if at + 1 < len(said) else None
    if after is None or after.speaker != "doctor" or after.get(InCrisis) is None:
        return False
    return any(not is_question(sentence) or _OFFER.search(normalise(sentence)) for sentence in sentences(after.text))


@rule_judge("spending", TOKENS, WORDS, CALLS, CONTEXT)
def spending(case: Case[PatientScenario]) -> list[Score]:
    """The mean cost of an answer, over all answers of the interview."""
    exchanges = scored(case)
    if not exchanges:
        return []
    count = len(exchanges)
    return [
        mark("tokens_per_answer", sum(item.given.tokens for item in exchanges) / count, weight=count),
        mark("words_per_answer", sum(len(item.answer.split()) for item in exchanges) / count, weight=count),
        mark("calls_per_answer", sum(item.given.calls for item in exchanges) / count, weight=count),
        mark("context_chars", max(item.given.context_chars for item in exchanges)),
    ]
