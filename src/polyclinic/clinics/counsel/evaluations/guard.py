"""Measuring the guard on labelled utterances: screen, trained guard, both, the cast's model, and all of them together.

Rows are ``{"text", "lang", "label"}`` (``kind`` is optional) with the labels active, implicit, passive, acceptance,
harm_others, abuse, emergency, and ordinary for what people say when there is no danger. Without a file, the lines of
the test authors are used. The utterances by the authors of the word lists are ``measure``, ``build``, ``probes`` (later
trials, used to correct the lists) and ``unseen`` (the last trial, measured before anything was corrected).
"""

from __future__ import annotations

import asyncio

from polyclinic.clinics.counsel.evaluations.figures import GuardFigures, Judged, JudgeName, Utterance, summarise
from polyclinic.clinics.counsel.evaluations.tables import sections
from polyclinic.clinics.counsel.prompts.reviewers import GuardChecks
from polyclinic.clinics.counsel.rules.guard import (
    at_once,
    decide,
    from_fault,
    from_trained,
    offline,
    settle_doubt,
    that_count,
)
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.rules.teaching import guard_lines
from polyclinic.clinics.counsel.rules.trained import GuardLabel, read_message
from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_text, read_text, rows_of
from polyclinic.core.judge import Bench
from polyclinic.errors import LimitReached, UserError
from polyclinic.eval.evaluation import Evaluate, Evaluation

AUTHORS = "authors"
HALVES = (AUTHORS, "measure", "build", "probes", "unseen")
AT_ONCE = 16
TIMEOUT_S = 120.0


def read_rows(source: str) -> list[Utterance]:
    """A file of rows, or one of the shipped sets by name; without a name, the lines of the test authors."""
    if source in ("", AUTHORS):
        lines = guard_lines("test")
        return [Utterance.model_validate({"text": r.text, "lang": r.lang, "label": r.label}) for r in lines]
    if source in HALVES:
        source = f"{source}.jsonl"
        text = package_text(PACKAGE, f"data/utterances/{source}")
    else:
        text = read_text(source)
    return rows_of(Utterance, text, source)


async def evaluate_guard(bench: Bench, file: str) -> Evaluation[GuardFigures]:
    """Recall, false alarms and every miss for each judge, by language and label. Takes JSON lines with text, lang and
    label.
    """
    rows = read_rows(file)
    room = asyncio.Semaphore(AT_ONCE)
    judged = await asyncio.gather(*(_judge(bench, row, room) for row in rows))
    figures = summarise(judged)
    return Evaluation(figures, sections(figures))


async def _judge(bench: Bench, row: Utterance, room: asyncio.Semaphore) -> Judged:
    seen, reading = screen(row.text), read_message(row.text)
    found = that_count(seen, reading)
    prompt = GuardChecks(lang=row.lang, summary="", recent=(), utterance=row.text)
    label: GuardLabel | None = None
    fault, agent = "", bench.agent("guard")
    async with room:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                verdict = await agent.ask(prompt)
            label = verdict.label
            decision = at_once(found, reading) or settle_doubt(
                decide(found, label, verdict.reason, verdict.words), reading, agent.is_language_model
            )
        except (LimitReached, UserError):
            raise
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            decision = at_once(found, reading) or from_fault(found, fault, row.text)
    said: dict[JudgeName, GuardLabel | None] = {
        "screen": seen.label,
        "trained": from_trained(reading).label,
        "both": offline(found, reading).label,
        "model": label,
        "guard": decision.label,
    }
    return Judged(row, said, decision.words, reading.danger, fault)


evaluations: dict[str, Evaluate] = {"guard": evaluate_guard}
