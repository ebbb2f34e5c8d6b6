"""Measuring the guard on labelled utterances: screen, trained guard, both, the cast's model, and all of them together.

Rows are ``{"text", "lang", "label"}`` (``kind`` is optional) with the labels active, implicit, passive, acceptance,
harm_others, abuse, emergency, and ordinary for what people say when there is no danger. Rows of the kind ``opening``
are read as a person's first words. Without a file, the lines of
the test authors are used. The utterances by the authors of the word lists are ``measure``, ``build``, ``probes`` (later
trials, used to correct the lists) and ``unseen`` (the last trial, measured before anything was corrected).
"""

from __future__ import annotations

import asyncio

from polyclinic.clinics.counsel.evaluations.figures import (
    JUDGES,
    GuardFigures,
    Judged,
    JudgeName,
    Shares,
    Utterance,
    summarise,
)
from polyclinic.clinics.counsel.prompts.replies import Cue
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
from polyclinic.clinics.counsel.rules.teaching import OPENING, guard_lines
from polyclinic.clinics.counsel.rules.trained import GuardLabel, read_message
from polyclinic.clinics.counsel.scenario import PACKAGE
from polyclinic.core.files import package_text, read_text, rows_of
from polyclinic.core.judge import Bench
from polyclinic.errors import LimitReached, UserError
from polyclinic.eval.evaluation import Evaluate, Evaluation
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

_HEADS = ("active", "implicit", "both dangers", "other dangers", "passive", "acceptance", "acceptance up", "ordinary")
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
    opening = row.kind == OPENING
    seen, reading = screen(row.text), read_message(row.text, opening)
    found = that_count(seen, reading)
    prompt = GuardChecks(lang=row.lang, summary="", recent=(), utterance=row.text, cue=Cue(opening=opening))
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


def sections(figures: GuardFigures) -> list[Section]:
    """The evaluation as a report."""
    blocks: list[Block] = [
        Paragraph(
            "The screen is word lists. Trained is the trained guard, which escalates when in doubt. Both is the more"
            " serious of these two; it needs no model. The model is the cast's guard. The guard is all of them; it"
            " escalates when the model fails."
            f" {figures.rows} utterances, {figures.faults} faults of the model. Shares: danger escalated, passive"
            " wishes flagged, acceptance and ordinary talk left alone, with 95 % intervals."
        ),
        _matters_most(figures),
        _classes(figures),
    ]
    kinds: list[list[Cell]] = [[kind, found.rows, found.right] for kind, found in figures.by_kind.items()]
    if kinds:
        blocks.append(Table("The guard by kind: share decided correctly", ["kind", "rows", "right"], kinds))
    if figures.wrong:
        blocks.append(_misses(figures))
    return [Section("Guard", blocks)]


def _matters_most(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [[judge, *_shares(found)] for judge, found in figures.judges.items()]
    for lang, judges in figures.by_language.items():
        rows += [[f"{judge}, {lang}", *_shares(found)] for judge, found in judges.items()]
    return Table("What matters most", ["judge", *_HEADS], rows)


def _shares(shares: Shares) -> list[str]:
    """Each share with its interval, as text."""
    cells = []
    for name, share in shares.values.items():
        low, high = shares.intervals[name]
        cells.append("" if share is None else f"{share:.3f} ({low:.2f} to {high:.2f})")
    return cells


def _classes(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [
        [judge, label, found.precision, found.recall, found.f1, found.support]
        for judge, judged in figures.judges.items()
        for label, found in judged.classes.items()
    ]
    return Table("By class", ["judge", "class", "precision", "recall", "F1", "rows"], rows)


def _misses(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [
        [m.label, m.lang, m.screen, m.trained, m.both, m.model, m.guard, m.chance, m.words, m.text]
        for m in figures.wrong
    ]
    return Table("Every miss", ["label", "lang", *JUDGES, "chance", "words", "text"], rows)
