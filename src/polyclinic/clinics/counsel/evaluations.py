"""Measuring the guard on labelled utterances: screen alone, model alone, and both together.

Rows are ``{"text", "lang", "label"}`` (``kind`` is optional) with the labels active, implicit, passive and
acceptance. The shipped set is in two halves, one to build with and one only for measuring, which is the default;
``probes`` are later trials that the word lists were mended with, ``unseen`` the last trial, measured before anything
was mended.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ConfigDict

from polyclinic.clinics.counsel.prompts import GuardChecks
from polyclinic.clinics.counsel.rules.guard import Decision, decide, from_fault, way_of
from polyclinic.clinics.counsel.rules.lexicon import LABELS, Label, screen
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.core.files import bad_file, package_text, read_text, rows_of
from polyclinic.core.judge import Bench
from polyclinic.core.message import Frozen
from polyclinic.errors import LimitReached, UserError
from polyclinic.eval.sections import Block, Paragraph, Section, Table

HALVES = ("measure", "build", "probes", "unseen")
AT_ONCE = 16
TIMEOUT_S = 120.0
JUDGES = ("screen", "model", "guard")


class Utterance(Frozen):
    """One labelled utterance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    lang: Lang
    label: Label
    kind: str = ""


@dataclass(frozen=True)
class Judged:
    """An utterance and what each judge made of it."""

    row: Utterance
    screen: Label
    model: Label | None
    guard: Label
    fault: str = ""

    def said(self, judge: str) -> Label | None:
        """The label that one judge gave."""
        found: Label | None = {"screen": self.screen, "model": self.model, "guard": self.guard}[judge]
        return found


@dataclass(frozen=True)
class Evaluation:
    """Numbers for machines and sections for people."""

    data: dict[str, Any]
    sections: Sequence[Section] = field(default_factory=list)


def read_rows(source: str) -> list[Utterance]:
    """A file of rows, or one of the shipped halves by name."""
    if source in ("", *HALVES):
        source = f"{source or HALVES[0]}.jsonl"
        text = package_text(PACKAGE, f"data/utterances/{source}")
    else:
        text = read_text(source)
    rows = rows_of(Utterance, text, source)
    if not rows:
        raise bad_file(source, "there are no rows in it")
    return rows


async def evaluate_guard(bench: Bench, file: str) -> Evaluation:
    """Precision and recall by class for the screen, the cast's guard model, and the two together."""
    rows = read_rows(file)
    room = asyncio.Semaphore(AT_ONCE)
    judged = await asyncio.gather(*(_judge(bench, row, room) for row in rows))
    data = summarise(judged)
    return Evaluation(data, sections(data))


async def _judge(bench: Bench, row: Utterance, room: asyncio.Semaphore) -> Judged:
    found = screen(row.text)
    prompt = GuardChecks(lang=row.lang, summary="", recent=(), utterance=row.text)
    fault, decision, label = "", None, None
    async with room:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                verdict = await bench.agent("guard").ask(prompt)
            label = verdict.label
            decision = decide(found, label, verdict.reason, verdict.words)
        except (LimitReached, UserError):
            raise
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
            decision = from_fault(found, fault, row.text)
    return Judged(row, found.label, label, _label(decision), fault)


def _label(decision: Decision) -> Label:
    return decision.label


def summarise(judged: Sequence[Judged]) -> dict[str, Any]:
    """All numbers of one evaluation."""
    faults = [item.fault for item in judged if item.fault]
    return {
        "rows": len(judged),
        "labels": dict(Counter(item.row.label for item in judged)),
        "faults": len(faults),
        **{judge: _numbers(judged, judge) for judge in JUDGES},
        "by_language": {
            lang: {judge: _headline([item for item in judged if item.row.lang == lang], judge) for judge in JUDGES}
            for lang in sorted({item.row.lang for item in judged})
        },
        "by_kind": _by_kind(judged),
        "wrong": [
            {
                "text": item.row.text,
                "label": item.row.label,
                "screen": item.screen,
                "model": item.model,
                "guard": item.guard,
            }
            for item in judged
            if way_of(item.guard) != way_of(item.row.label)
        ],
    }


def _numbers(judged: Sequence[Judged], judge: str) -> dict[str, Any]:
    heard = [item for item in judged if item.said(judge) is not None]
    confusion = Counter((item.row.label, item.said(judge)) for item in heard)
    return {
        "heard": len(heard),
        **_headline(judged, judge),
        "classes": {label: _class(confusion, label) for label in LABELS},
        "confusion": {true: {given: confusion[(true, given)] for given in LABELS} for true in LABELS},
    }


def _class(confusion: Counter[Any], label: Label) -> dict[str, float | int | None]:
    hit = confusion[(label, label)]
    true = sum(count for (wanted, _), count in confusion.items() if wanted == label)
    given = sum(count for (_, said), count in confusion.items() if said == label)
    precision, recall = _ratio(hit, given), _ratio(hit, true)
    both = (precision or 0) + (recall or 0)
    f1 = None if precision is None or recall is None else (2 * precision * recall / both if both else 0.0)
    return {"precision": precision, "recall": recall, "f1": f1, "support": true}


def _headline(judged: Sequence[Judged], judge: str) -> dict[str, float | None]:
    """What matters most: explicit and all danger caught, and acceptance left in peace."""
    heard = [(item.row.label, item.said(judge)) for item in judged]
    known = [(true, said) for true, said in heard if said is not None]
    explicit = [said for true, said in known if true == "active"]
    danger = [said for true, said in known if true in ("active", "implicit")]
    peace = [said for true, said in known if true == "acceptance"]
    passive = [said for true, said in known if true == "passive"]
    return {
        "explicit_recall": _ratio(sum(way_of(said) == "escalate" for said in explicit), len(explicit)),
        "danger_recall": _ratio(sum(way_of(said) == "escalate" for said in danger), len(danger)),
        "passive_flagged": _ratio(sum(way_of(said) != "go_on" for said in passive), len(passive)),
        "acceptance_specificity": _ratio(sum(way_of(said) == "go_on" for said in peace), len(peace)),
        "acceptance_escalated": _ratio(sum(way_of(said) == "escalate" for said in peace), len(peace)),
    }


def _by_kind(judged: Sequence[Judged]) -> dict[str, dict[str, float | int]]:
    kinds = sorted({(item.row.label, item.row.kind) for item in judged if item.row.kind})
    found: dict[str, dict[str, float | int]] = {}
    for label, kind in kinds:
        mine = [item for item in judged if (item.row.label, item.row.kind) == (label, kind)]
        right = sum(way_of(item.guard) == way_of(label) for item in mine)
        found[f"{label}/{kind}"] = {"rows": len(mine), "right": right / len(mine)}
    return found


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def sections(data: dict[str, Any]) -> list[Section]:
    """The evaluation as a report."""
    head = [
        "judge",
        "explicit recall",
        "danger recall",
        "passive flagged",
        "acceptance specificity",
        "acceptance escalated",
    ]
    names = ("explicit_recall", "danger_recall", "passive_flagged", "acceptance_specificity", "acceptance_escalated")
    rows: list[list[Any]] = [[judge, *(data[judge][name] for name in names)] for judge in JUDGES]
    for lang, judges in data["by_language"].items():
        rows += [[f"{judge}, {lang}", *(judges[judge][name] for name in names)] for judge in JUDGES]
    classes: list[list[Any]] = [
        [judge, label, *(data[judge]["classes"][label][name] for name in ("precision", "recall", "f1", "support"))]
        for judge in JUDGES
        for label in LABELS
    ]
    kinds: list[list[Any]] = [[kind, row["rows"], row["right"]] for kind, row in data["by_kind"].items()]
    blocks: list[Block] = [
        Paragraph(
            "The screen is word lists alone; the model is the cast's guard; the guard is both, the graver counting, and"
            f" faults escalating. {data['rows']} utterances, {data['faults']} faults of the model."
        ),
        Table("What matters most", head, rows),
        Table("By class", ["judge", "class", "precision", "recall", "F1", "rows"], classes),
    ]
    if kinds:
        blocks.append(Table("The guard by kind: share sent the right way", ["kind", "rows", "right"], kinds))
    return [Section("Guard", blocks)]


evaluations = {"guard": evaluate_guard}
